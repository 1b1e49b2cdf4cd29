// SPDX-License-Identifier: Apache-2.0
//
// ThreadTeam: the threads that run the parts of a launch.

#ifndef MINIC_RUNTIME_DEVICE_CPU_THREADTEAM_H
#define MINIC_RUNTIME_DEVICE_CPU_THREADTEAM_H

#include "runtime/base/ParallelFor.h"
#include "runtime/device/cpu/WorkerPool.h"

#include "absl/status/statusor.h"

namespace minic::runtime {

struct Libgomp;

/// Which threads run a plan's launches if the caller brings no pool.
enum class DefaultPool {
  workers, // WorkerPool::process()
  libgomp, // those of oneDNN's calls from the same thread
};

/// The caller's pool or the default one. One thread needs neither: workers then
/// run on the calling thread. Copyable; one calling thread at a time.
class ThreadTeam {
public:
  /// FailedPrecondition where a thread cannot be started or libgomp is needed
  /// and cannot be opened.
  static absl::StatusOr<ThreadTeam>
  create(int threads, ParallelFor parallelFor, void *pool,
         DefaultPool defaultPool = DefaultPool::workers);

  int threads() const { return threads_; }
  /// As ParallelFor; `workers` is at most threads().
  void run(int workers, void (*body)(int worker, void *data), void *data) const;

private:
  int threads_ = 1;
  ParallelFor parallelFor_ = nullptr;
  void *pool_ = nullptr;
  const Libgomp *gomp_ = nullptr;
  WorkerPool::Reservation reservation_;
};

} // namespace minic::runtime

#endif // MINIC_RUNTIME_DEVICE_CPU_THREADTEAM_H
