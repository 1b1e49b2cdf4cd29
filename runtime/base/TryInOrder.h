// SPDX-License-Identifier: Apache-2.0
//
// TryInOrder: runs attempts in parallel, in order, until N have succeeded.

#ifndef MINIC_RUNTIME_BASE_TRYINORDER_H
#define MINIC_RUNTIME_BASE_TRYINORDER_H

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <functional>
#include <iterator>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <vector>

namespace minic::runtime {

/// Attempts the items that `next` gives, in that order, until `most` attempts
/// have succeeded or `next` has no more. Returns all items that it attempted.
/// An attempt starts only if those that run would still be too few if all of
/// them succeeded. So it attempts exactly what a plain loop would, whichever
/// attempt ends first. Neither function may throw.
template <typename Item> class TryInOrder {
public:
  /// Called on any thread, by one at a time.
  using Next = std::function<std::optional<Item>()>;
  /// Returns whether it succeeded. The caller's thread is number 0.
  using Attempt = std::function<bool(Item &item, int thread)>;

  TryInOrder(int most, Next next, Attempt attempt)
      : most(most), next(std::move(next)), attempt(std::move(attempt)) {}

  /// Call it once. Uses fewer threads if the system cannot start more.
  std::vector<Item> run(int threads) {
    std::vector<std::thread> others;
    others.reserve(size_t(std::max(threads, 1)));
    try {
      for (int thread = 1; thread < std::min(threads, most); ++thread) {
        others.emplace_back([this, thread] { work(thread); });
      }
    } catch (const std::system_error &) {
      // The threads that did start do the work, if need be the caller alone.
    }
    work(0);
    for (std::thread &other : others) {
      other.join();
    }
    return {std::make_move_iterator(items.begin()),
            std::make_move_iterator(items.end())};
  }

private:
  void work(int thread) {
    std::unique_lock<std::mutex> lock(mutex);
    while (true) {
      changed.wait(lock, [&] {
        return isExhausted || worked >= most || worked + running < most;
      });
      if (isExhausted || worked >= most) {
        return;
      }
      std::optional<Item> found = next();
      if (!found) {
        isExhausted = true;
        changed.notify_all();
        return;
      }
      Item &item = items.emplace_back(*std::move(found)); // stays where it is
      ++running;
      lock.unlock();
      bool didWork = attempt(item, thread);
      lock.lock();
      --running;
      worked += didWork;
      changed.notify_all();
    }
  }

  const int most;
  const Next next;
  const Attempt attempt;

  std::mutex mutex; // guards all below, and `next`
  std::condition_variable changed;
  std::deque<Item> items;
  int running = 0, worked = 0;
  bool isExhausted = false;
};

} // namespace minic::runtime

#endif // MINIC_RUNTIME_BASE_TRYINORDER_H
