// SPDX-License-Identifier: Apache-2.0
//
// Claiming by one atomic operation; waiting by spinning, then by a futex.

#include "runtime/device/cpu/WorkerPool.h"

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

/// Where a thread of the pool may run. On a busy machine the system likes to
/// wake a thread on the CPU of the one that wakes it, where it would push its
/// caller aside; so it leaves that CPU.
class Place {
public:
  void keepOff(int cpu) {
    cpu_set_t now;
    if (sched_getcpu() != cpu || sched_getaffinity(0, sizeof(now), &now) != 0) {
      return;
    }
    if (!CPU_EQUAL(&now, &narrowed_)) {
      allowed_ = now; // at first, or somebody else has set it
    }
    cpu_set_t narrowed = allowed_;
    CPU_CLR(cpu, &narrowed);
    if (CPU_COUNT(&narrowed) > 0 &&
        sched_setaffinity(0, sizeof(narrowed), &narrowed) == 0) {
      narrowed_ = narrowed;
    }
  }

private:
  cpu_set_t allowed_{}, narrowed_{};
};

} // namespace

/// A part that nobody had, `preferred` or the next one from there; -1: none.
/// Threads prefer the same part in every launch, whose weights their caches
/// may hold.
int WorkerPool::Launch::claim(int preferred) {
  for (size_t i = 0; i < unclaimed.size(); ++i) {
    size_t word = (preferred / 64 + i) % unclaimed.size();
    uint64_t left = unclaimed[word].load(std::memory_order_relaxed);
    while (left != 0) {
      uint64_t later =
          i == 0 ? left >> (preferred % 64) << (preferred % 64) : 0;
      int bit = __builtin_ctzll(later != 0 ? later : left);
      uint64_t mask = uint64_t(1) << bit;
      left = unclaimed[word].fetch_and(~mask, std::memory_order_acq_rel);
      if ((left & mask) != 0) {
        return int(word) * 64 + bit;
      }
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
  for (int i = 0; i < mostLaunches; ++i) {
    if (!launches_[i].taken.load(std::memory_order_relaxed) &&
        !launches_[i].taken.exchange(true, std::memory_order_acquire)) {
      int32_t used = launchesUsed_.load(std::memory_order_relaxed);
      while (used <= i && !launchesUsed_.compare_exchange_weak(used, i + 1)) {
      }
      return &launches_[i];
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
  for (int word = (parts - 1) / 64; word >= 0; --word) {
    int bits = std::min(parts - word * 64, 64);
    uint64_t mask = ~uint64_t(0) >> (64 - bits);
    launch->unclaimed[word].store(word == 0 ? mask & ~uint64_t(1) : mask,
                                  std::memory_order_release);
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
  int used = launchesUsed_.load(std::memory_order_relaxed);
  for (int i = 0; i < used; ++i) {
    Launch &launch = launches_[i];
    for (int part = launch.claim(thread % mostParts); part >= 0;
         part = launch.claim(part)) {
      launch.runPart(part);
      launch.finish();
    }
  }
}

void WorkerPool::serve(int thread) {
  Place place;
  while (!stopping_.load()) {
    // Read before looking for work: what comes later changes it.
    uint32_t seen = ticket_.load();
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
    if (options_.onLaunchSeen && changed()) {
      options_.onLaunchSeen();
    }
  }
}

void *WorkerPool::threadMain(void *pool) {
  auto *self = static_cast<WorkerPool *>(pool);
  int thread = self->threads_.fetch_add(1) + 1;
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
  threads_ = sleeping_ = wanted_ = 0;
  for (Launch &launch : launches_) {
    for (std::atomic<uint64_t> &word : launch.unclaimed) {
      word = 0;
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
