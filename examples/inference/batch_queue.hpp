// SPDX-License-Identifier: Apache-2.0
//
// BatchQueue: requests that arrive one by one, taken several at a time.

#ifndef MINIC_EXAMPLES_BATCH_QUEUE_HPP
#define MINIC_EXAMPLES_BATCH_QUEUE_HPP

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <utility>
#include <vector>

/// For any number of threads on both sides.
template <typename Request> class BatchQueue {
public:
  /// Batches have at most `most` requests. The oldest one waits for others no
  /// longer than `patience`.
  BatchQueue(size_t most, std::chrono::microseconds patience)
      : most(most), patience(patience) {}

  void push(Request request) {
    std::lock_guard<std::mutex> lock(mutex);
    waiting.push_back({std::move(request), Clock::now()});
    changed.notify_all();
  }

  /// Waits for the next batch; an empty one when closed and all is served.
  std::vector<Request> take() {
    std::unique_lock<std::mutex> lock(mutex);
    for (;;) {
      changed.wait(lock, [&] { return closed || !waiting.empty(); });
      if (waiting.empty()) {
        return {};
      }
      // Another thread may have taken the oldest by then.
      auto until = waiting.front().arrived + patience;
      changed.wait_until(lock, until, [&] {
        return closed || waiting.empty() || waiting.size() >= most;
      });
      if (!waiting.empty()) {
        break;
      }
    }
    std::vector<Request> batch;
    size_t count = std::min(most, waiting.size());
    for (size_t i = 0; i < count; ++i) {
      batch.push_back(std::move(waiting.front().request));
      waiting.pop_front();
    }
    return batch;
  }

  /// No more requests will come.
  void close() {
    std::lock_guard<std::mutex> lock(mutex);
    closed = true;
    changed.notify_all();
  }

private:
  using Clock = std::chrono::steady_clock;
  struct Waiting {
    Request request;
    Clock::time_point arrived;
  };
  const size_t most;
  const std::chrono::microseconds patience;
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Waiting> waiting;
  bool closed = false;
};

#endif // MINIC_EXAMPLES_BATCH_QUEUE_HPP
