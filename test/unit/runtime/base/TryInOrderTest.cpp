// SPDX-License-Identifier: Apache-2.0

#include "runtime/base/TryInOrder.h"

#include <gmock/gmock.h>

#include <atomic>
#include <chrono>
#include <random>
#include <set>

namespace minic::runtime {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// 0, 1, ... below `end`.
auto countTo(int end) {
  return [=, i = 0]() mutable {
    return i < end ? std::optional<int>(i++) : std::nullopt;
  };
}

TEST(TryInOrder, StopsAtTheLastThatIsWanted) {
  auto isOdd = [](int item, int) { return item % 2 == 1; };
  for (int threads : {1, 2, 5, 16}) {
    EXPECT_THAT(TryInOrder<int>(2, countTo(100), isOdd).run(threads),
                ElementsAre(0, 1, 2, 3));
    EXPECT_THAT(TryInOrder<int>(9, countTo(3), isOdd).run(threads),
                ElementsAre(0, 1, 2));
    EXPECT_THAT(TryInOrder<int>(0, countTo(3), isOdd).run(threads), IsEmpty());
  }
}

// Whatever takes how long.
TEST(TryInOrder, TriesWhatALoopWouldTry) {
  std::mt19937 random(7);
  for (int time = 0; time < 50; ++time) {
    std::vector<int> delays(20);
    std::vector<bool> works(20);
    for (size_t i = 0; i < 20; ++i) {
      delays[i] = int(random() % 300);
      works[i] = random() % 2;
    }
    int most = 1 + int(random() % 8);
    int end = 0;
    for (int found = 0; end < 20 && found < most; ++end) {
      found += works[end];
    }
    std::atomic<int> runs = 0;
    std::vector<int> tried =
        TryInOrder<int>(most, countTo(20), [&](int item, int) {
          ++runs;
          std::this_thread::sleep_for(std::chrono::microseconds(delays[item]));
          return bool(works[item]);
        }).run(4);
    EXPECT_EQ(int(tried.size()), end);
    EXPECT_EQ(runs, end);
    EXPECT_TRUE(std::is_sorted(tried.begin(), tried.end()));
  }
}

// Each waits until all have begun: on fewer threads it would never end.
TEST(TryInOrder, TriesSideBySide) {
  std::mutex mutex;
  std::condition_variable changed;
  std::set<int> threads;
  auto meet = [&](int, int thread) {
    std::unique_lock<std::mutex> lock(mutex);
    EXPECT_TRUE(threads.insert(thread).second);
    changed.notify_all();
    return changed.wait_for(lock, std::chrono::seconds(10),
                            [&] { return threads.size() == 4; });
  };
  TryInOrder<int> tries(4, countTo(9), meet);
  EXPECT_THAT(tries.run(6), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(threads, ElementsAre(0, 1, 2, 3));
}

TEST(TryInOrder, OneThreadIsTheCallers) {
  std::thread::id caller = std::this_thread::get_id();
  auto isHere = [&](int, int thread) {
    return thread == 0 && std::this_thread::get_id() == caller;
  };
  EXPECT_THAT(TryInOrder<int>(3, countTo(9), isHere).run(1),
              ElementsAre(0, 1, 2));
}

} // namespace
} // namespace minic::runtime
