// SPDX-License-Identifier: Apache-2.0
//
// Claiming by one atomic operation; waiting by spinning, then by a futex.

#include "runtime/device/cpu/WorkerPool.h"

#include "runtime/device/cpu/ThreadPlace.h"

#include "absl/strings/str_cat.h"

#include <immintrin.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <climits>
#include <cstring>

namespace minic::runtime {
namespace {

using Clock = std::chrono::steady_clock;

// docs/measurements/2026-11-22-beside-others.md has the times that were tried.
constexpr std::chrono::microseconds threadSpin(200), callerSpin(50);

/// Whether `done` became true within `limit`.
template <typename Done> bool spin(Clock::duration limit, Done done) {
  Clock::time_point end = Clock::now() + limit;
  do {
    for (int i = 0; i < 32; ++i) {
      if (done()) {
        return true;
      }
      _mm_pause();
    }
  } while (Clock::now() < end);
  return false;
}

template <typename T> void futexWait(std::atomic<T> &word, T value) {
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, value, nullptr, nullptr, 0);
}

template <typename T> void futexWake(std::atomic<T> &word, int threads) {
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, threads, nullptr, nullptr, 0);
}

int usableCpus() {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : 1;
}

} // namespace

/// A part that nobody had, `preferred` or the next one from there; -1: none.
/// Threads prefer the same part in every launch, whose weights their caches
/// may hold.
int WorkerPool::Launch::claim(int preferred) {
  int count = parts.load(std::memory_order_relaxed);
  for (int i = 0; i < count; ++i) {
    int part = (preferred + i) % count;
    if (unclaimed[part].load(std::memory_order_relaxed) &&
        unclaimed[part].exchange(false, std::memory_order_acq_rel)) {
      return part;
    }
  }
  return -1;
}

void WorkerPool::Launch::runPart(int part) const {
  for (int worker = part; worker < workers; worker += mostParts) {
    body(worker, data);
  }
}

/// A thread of the pool has finished a part. The caller may be gone and its
/// next launch here when it is woken in vain, which does no harm.
void WorkerPool::Launch::finish() {
  if (unfinished.fetch_sub(1, std::memory_order_acq_rel) - 1 == callerSleeps) {
    futexWake(unfinished, 1);
  }
}

/// The caller waits for the parts that others have begun.
void WorkerPool::Launch::join(int ownParts) {
  int32_t left =
      unfinished.fetch_sub(ownParts, std::memory_order_acq_rel) - ownParts;
  if (left == 0 || spin(callerSpin, [&] {
        return unfinished.load(std::memory_order_acquire) == 0;
      })) {
    return;
  }
  left = unfinished.fetch_or(callerSleeps, std::memory_order_acq_rel) |
         callerSleeps;
  while (left != callerSleeps) {
    futexWait(unfinished, left);
    left = unfinished.load(std::memory_order_acquire);
  }
}

WorkerPool::Launch *WorkerPool::take() {
  for (Launch &launch : launches_) {
    if (!launch.taken.load(std::memory_order_relaxed) &&
        !launch.taken.exchange(true, std::memory_order_acquire)) {
      return &launch;
    }
  }
  return nullptr;
}

/// Wakes as many threads as are missing among those awake. A thread counts
/// itself as sleeping before it compares the ticket for the last time, so
/// either it sees the new ticket or it is seen here.
void WorkerPool::wake(int32_t wanted) {
  int32_t asleep = sleeping_.load();
  int32_t awake = threads_.load(std::memory_order_relaxed) - asleep;
  if (asleep > 0 && wanted > awake) {
    futexWake(ticket_, wanted - awake);
  }
}

void WorkerPool::run(int workers, Body body, void *data) {
  Launch *launch =
      threads_.load(std::memory_order_relaxed) > 0 ? take() : nullptr;
  if (!launch) {
    for (int worker = 0; worker < workers; ++worker) {
      body(worker, data);
    }
    return;
  }
  int parts = std::min(workers, mostParts);
  launch->workers = workers;
  launch->body = body;
  launch->data = data;
  launch->unfinished.store(parts, std::memory_order_relaxed);
  launch->parts.store(parts, std::memory_order_relaxed);
  for (int part = 1; part < parts; ++part) {
    launch->unclaimed[part].store(true, std::memory_order_release);
  }
  int32_t wanted =
      wanted_.fetch_add(parts - 1, std::memory_order_relaxed) + parts - 1;
  callerCpu_.store(sched_getcpu(), std::memory_order_relaxed);
  ticket_.fetch_add(1);
  wake(wanted);

  int own = 0;
  for (int part = 0; part >= 0; part = launch->claim(part)) {
    launch->runPart(part);
    ++own;
  }
  launch->join(own);
  wanted_.fetch_sub(parts - 1, std::memory_order_relaxed);
  launch->taken.store(false, std::memory_order_release);
}

void WorkerPool::help(int thread) {
  for (Launch &launch : launches_) {
    for (int part = launch.claim(thread); part >= 0;
         part = launch.claim(part)) {
      launch.runPart(part);
      launch.finish();
    }
  }
}

void WorkerPool::serve(int thread) {
  ThreadPlace place;
  while (!stopping_.load()) {
    // Read before looking for work: what comes later changes it.
    uint32_t seen = ticket_.load();
    if (options_.beforeClaiming) {
      options_.beforeClaiming();
    }
    help(thread);
    auto changed = [&] {
      return ticket_.load(std::memory_order_acquire) != seen;
    };
    if (!spin(threadSpin, changed)) {
      sleeping_.fetch_add(1);
      futexWait(ticket_, seen);
      sleeping_.fetch_sub(1);
    }
    place.keepOff(callerCpu_.load(std::memory_order_relaxed));
  }
}

void *WorkerPool::threadMain(void *pool) {
  auto *self = static_cast<WorkerPool *>(pool);
  int thread = ++self->latestThread_;
  char name[16];
  snprintf(name, sizeof(name), "minic-%d", thread);
  pthread_setname_np(pthread_self(), name);
  self->serve(thread);
  return nullptr;
}

absl::Status WorkerPool::startThread() {
  // The program's signals are for its own threads.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t handle;
  int error = pthread_create(&handle, nullptr, threadMain, this);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (error != 0) {
    return absl::FailedPreconditionError(
        absl::StrCat("cannot start a thread: ", strerror(error)));
  }
  handles_.push_back(handle);
  ++threads_;
  return absl::OkStatus();
}

absl::StatusOr<WorkerPool::Reservation> WorkerPool::reserve(int threads) {
  std::lock_guard lock(mutex_);
  int limit =
      options_.threadLimit < 0 ? usableCpus() - 1 : options_.threadLimit;
  while (!stopping_ &&
         int(handles_.size()) < std::min(reserved_ + threads, limit)) {
    if (absl::Status status = startThread(); !status.ok()) {
      return status;
    }
  }
  reserved_ += threads;
  return Reservation(this, [threads](void *pool) {
    auto *self = static_cast<WorkerPool *>(pool);
    std::lock_guard lock(self->mutex_);
    self->reserved_ -= threads;
  });
}

void WorkerPool::stop() {
  std::lock_guard lock(mutex_);
  stopping_ = true;
  ticket_.fetch_add(1);
  futexWake(ticket_, INT_MAX);
  for (pthread_t handle : handles_) {
    pthread_join(handle, nullptr);
  }
  handles_.clear();
  threads_ = 0;
}

/// A fork copies one thread, which is in no launch, and whatever the others had
/// under way.
void WorkerPool::forgetThreads() {
  handles_.clear();
  threads_ = latestThread_ = sleeping_ = wanted_ = 0;
  for (Launch &launch : launches_) {
    for (std::atomic<bool> &part : launch.unclaimed) {
      part = false;
    }
    launch.taken = false;
  }
}

WorkerPool &WorkerPool::process() {
  // Never freed: a thread that outlives main() may still call it.
  static WorkerPool &pool = *new WorkerPool({});
  static struct Lifetime {
    Lifetime() {
      pthread_atfork([] { pool.mutex_.lock(); }, [] { pool.mutex_.unlock(); },
                     [] {
                       pool.forgetThreads();
                       pool.mutex_.unlock();
                     });
    }
    ~Lifetime() { pool.stop(); }
  } lifetime;
  return pool;
}

} // namespace minic::runtime
