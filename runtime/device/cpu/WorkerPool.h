// SPDX-License-Identifier: Apache-2.0
//
// WorkerPool: the threads that run the parts of a launch, where the caller
// brings no pool. A thread that the system does not run at the moment delays
// nobody unless it has begun a part: the caller runs alone what nobody has
// begun and waits only for what somebody has. docs/runtime.md says why no
// library that others maintain does this for us.

#ifndef MINIC_RUNTIME_DEVICE_CPU_WORKERPOOL_H
#define MINIC_RUNTIME_DEVICE_CPU_WORKERPOOL_H

#include "absl/status/statusor.h"

#include <pthread.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace minic::runtime {

/// Any number of threads may call run() at once, also from within a part.
class WorkerPool {
public:
  using Body = void (*)(int worker, void *data);
  /// Threads are kept for it while it lives, and it must not outlive the pool.
  using Reservation = std::shared_ptr<void>;

  struct Options {
    /// Most threads to start; -1: one less than the CPUs of the thread that
    /// reserves.
    int threadLimit = -1;
    /// Called by each thread of the pool whenever it is about to look for
    /// parts: tests hold it there.
    void (*beforeClaiming)() = nullptr;
  };

  explicit WorkerPool(Options options) : options_(options) {}
  /// Ends and joins the threads. No run() may be under way.
  ~WorkerPool() { stop(); }
  WorkerPool(const WorkerPool &) = delete;
  WorkerPool &operator=(const WorkerPool &) = delete;

  /// The process's own. Its threads end when the process exits or unloads this
  /// library; in a forked child they do not exist until the next reserve().
  static WorkerPool &process();

  /// Asks for `threads` beside the caller's, and starts those that are missing
  /// up to the limit. FailedPrecondition where one cannot be started.
  absl::StatusOr<Reservation> reserve(int threads);

  /// As ParallelFor. The caller runs worker 0 and whatever no thread of the
  /// pool has begun by then. Allocates nothing. With more than `mostParts`
  /// workers, a part is every mostParts-th of them.
  void run(int workers, Body body, void *data);

  static constexpr int mostParts = 256;

private:
  static constexpr int mostLaunches = 16; // at once; a caller beyond is alone
  static constexpr int32_t callerSleeps = 1 << 30; // a bit of `unfinished`

  /// A run() under way. Up to 32 parts all is on one cache line.
  struct alignas(64) Launch {
    std::atomic<bool> taken{false};
    std::atomic<int32_t> unfinished{0}; // parts
    /// Written before `unclaimed`; read by whoever has claimed a part, which
    /// keeps the launch in place.
    int workers = 0;
    Body body = nullptr;
    void *data = nullptr;
    std::atomic<int32_t> parts{0};
    /// Taking one back claims the part, of whichever launch is here by now.
    std::array<std::atomic<bool>, mostParts> unclaimed{};

    int claim(int preferred);
    void runPart(int part) const;
    void finish();
    void join(int ownParts);
  };

  static void *threadMain(void *pool);
  void serve(int thread);
  void help(int thread);
  bool spinForLaunch(uint32_t seen) const;
  Launch *take();
  void wake(int32_t wanted);
  absl::Status startThread();
  void stop();
  void forgetThreads(); // in a forked child

  const Options options_;
  std::mutex mutex_; // guards the next two, and starting threads
  std::vector<pthread_t> handles_;
  int reserved_ = 0;

  std::atomic<int32_t> threads_{0}; // handles_.size()
  std::atomic<int32_t> latestThread_{0};
  std::atomic<bool> stopping_{false};            //
  alignas(64) std::atomic<uint32_t> ticket_{0};  // of the latest launch
  std::atomic<int> callerCpu_{-1};               // where it came from
  alignas(64) std::atomic<int32_t> sleeping_{0}; // threads
  alignas(64) std::atomic<int32_t> wanted_{0};   // threads, by all launches
  std::array<Launch, mostLaunches> launches_;
};

} // namespace minic::runtime

#endif // MINIC_RUNTIME_DEVICE_CPU_WORKERPOOL_H
