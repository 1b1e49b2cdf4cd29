// SPDX-License-Identifier: Apache-2.0
//
// TryInOrder: what a loop over tries does that ends after so many of them
// worked, on several threads.

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

/// Tries what `next` gives, in that order, until `most` tries have worked or
/// `next` has no more; returns all that was tried. The next one is begun only
/// while those that run could all work and still be too few: so it tries what a
/// loop would, neither more nor less, whichever of them is done first. Neither
/// function may throw.
template <typename Item> class TryInOrder {
public:
  /// Called by one thread at a time, whichever.
  using Next = std::function<std::optional<Item>()>;
  /// Whether it worked. Threads are numbered from 0, the caller's.
  using Attempt = std::function<bool(Item &item, int thread)>;

  TryInOrder(int most, Next next, Attempt attempt)
      : most(most), next(std::move(next)), attempt(std::move(attempt)) {}

  /// Once. On fewer threads where the system has no more.
  std::vector<Item> run(int threads) {
    std::vector<std::thread> others;
    others.reserve(size_t(std::max(threads, 1)));
    try {
      for (int thread = 1; thread < std::min(threads, most); ++thread) {
        others.emplace_back([this, thread] { work(thread); });
      }
    } catch (const std::system_error &) {
      // Those that started do it, the caller's alone if need be.
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

  std::mutex mutex; // of all below, and of `next`
  std::condition_variable changed;
  std::deque<Item> items;
  int running = 0, worked = 0;
  bool isExhausted = false;
};

} // namespace minic::runtime

#endif // MINIC_RUNTIME_BASE_TRYINORDER_H
