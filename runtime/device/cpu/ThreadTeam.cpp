// SPDX-License-Identifier: Apache-2.0
//
// Dispatch to the calling thread, the caller's pool, WorkerPool or libgomp.

#include "runtime/device/cpu/ThreadTeam.h"

#include "runtime/device/cpu/Libgomp.h"

#include "absl/strings/str_cat.h"

namespace minic::runtime {

absl::StatusOr<ThreadTeam> ThreadTeam::create(int threads,
                                              ParallelFor parallelFor,
                                              void *pool,
                                              DefaultPool defaultPool) {
  ThreadTeam team;
  team.threads_ = threads;
  team.parallelFor_ = parallelFor;
  team.pool_ = pool;
  if (threads == 1 || parallelFor) {
    return team;
  }
  absl::Status status;
  if (defaultPool == DefaultPool::libgomp) {
    absl::StatusOr<const Libgomp *> gomp = Libgomp::open();
    status = gomp.status();
    team.gomp_ = gomp.ok() ? *gomp : nullptr;
  } else {
    auto reservation = WorkerPool::process().reserve(threads - 1);
    status = reservation.status();
    team.reservation_ = reservation.ok() ? *reservation : nullptr;
  }
  if (!status.ok()) {
    return absl::FailedPreconditionError(
        absl::StrCat("a plan for ", threads, " threads: ", status.message(),
                     "; pass a thread pool or compile with --threads=1"));
  }
  return team;
}

namespace {
struct GompCall {
  const Libgomp &gomp;
  int workers;
  void (*body)(int worker, void *data);
  void *data;
};
} // namespace

/// libgomp may grant fewer threads than asked for (a nested call, a limit), so
/// each takes every threadCount-th worker.
static void runGompThread(void *data) {
  const GompCall &call = *static_cast<const GompCall *>(data);
  int stride = call.gomp.threadCount();
  for (int worker = call.gomp.threadNumber(); worker < call.workers;
       worker += stride) {
    call.body(worker, call.data);
  }
}

void ThreadTeam::run(int workers, void (*body)(int worker, void *data),
                     void *data) const {
  if (workers == 1 || threads_ == 1) {
    for (int worker = 0; worker < workers; ++worker) {
      body(worker, data);
    }
  } else if (parallelFor_) {
    parallelFor_(pool_, workers, body, data);
  } else if (!gomp_) {
    WorkerPool::process().run(workers, body, data);
  } else {
    // Always the whole team: libgomp ends the threads that a smaller one
    // leaves out and starts them again for the next.
    GompCall call{*gomp_, workers, body, data};
    gomp_->parallel(runGompThread, &call, threads_, 0);
  }
}

} // namespace minic::runtime
