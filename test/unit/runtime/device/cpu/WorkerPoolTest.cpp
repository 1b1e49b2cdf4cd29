// SPDX-License-Identifier: Apache-2.0
//
// WorkerPool: every worker once, by whoever has time; nobody waits for a thread
// that has begun nothing.

#include "runtime/device/cpu/WorkerPool.h"

#include <gmock/gmock.h>

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <set>
#include <thread>

namespace minic::runtime {
namespace {

/// A launch that counts how often each worker ran, and on which threads.
class Counting {
public:
  explicit Counting(int workers) : counts_(workers) {}
  void runOn(WorkerPool &pool) {
    pool.run(
        int(counts_.size()),
        [](int worker, void *data) {
          auto *self = static_cast<Counting *>(data);
          ++self->counts_[worker];
          std::lock_guard lock(self->mutex_);
          self->threads_.insert(std::this_thread::get_id());
        },
        this);
  }
  /// Whether each worker ran `times` times.
  bool allRan(int times = 1) const {
    return std::all_of(counts_.begin(), counts_.end(),
                       [&](const auto &count) { return count == times; });
  }
  const std::set<std::thread::id> &threads() const { return threads_; }

private:
  std::deque<std::atomic<int>> counts_;
  std::mutex mutex_;
  std::set<std::thread::id> threads_;
};

/// Opened once; whoever passes before waits.
class Gate {
public:
  void open() {
    std::lock_guard lock(mutex_);
    isOpen_ = true;
    changed_.notify_all();
  }
  void pass() {
    std::unique_lock lock(mutex_);
    ++waiting_;
    changed_.notify_all();
    changed_.wait(lock, [&] { return isOpen_; });
  }
  void awaitArrival() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return waiting_ > 0; });
  }

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool isOpen_ = false;
  int waiting_ = 0;
};

TEST(WorkerPoolTest, runsEachWorkerOnceHoweverManyThereAre) {
  for (int threads : {0, 1, 3}) {
    WorkerPool pool({threads});
    auto reservation = pool.reserve(threads);
    ASSERT_TRUE(reservation.ok()) << reservation.status();
    for (int workers : {1, 2, 5, 63, 64, 65, 256, 257, 1000}) {
      Counting counting(workers);
      for (int run = 1; run <= 20; ++run) {
        counting.runOn(pool);
        ASSERT_TRUE(counting.allRan(run)) << threads << " " << workers;
      }
    }
  }
}

TEST(WorkerPoolTest, sharesALaunchAmongItsThreads) {
  WorkerPool pool({1});
  auto reservation = pool.reserve(1);
  ASSERT_TRUE(reservation.ok()) << reservation.status();
  // Worker 0 is the caller's; it waits for the other.
  struct Both {
    Gate other;
    std::thread::id threads[2];
  } both;
  pool.run(
      2,
      [](int worker, void *data) {
        auto *both = static_cast<Both *>(data);
        both->threads[worker] = std::this_thread::get_id();
        worker == 0 ? both->other.pass() : both->other.open();
      },
      &both);
  EXPECT_EQ(both.threads[0], std::this_thread::get_id());
  EXPECT_NE(both.threads[1], std::this_thread::get_id());
}

TEST(WorkerPoolTest, doesNotWaitForAThreadThatHasBegunNothing) {
  static Gate *held;
  Gate gate;
  held = &gate;
  WorkerPool pool({1, [] { held->pass(); }});
  auto reservation = pool.reserve(1);
  ASSERT_TRUE(reservation.ok()) << reservation.status();
  gate.awaitArrival(); // the thread stands as if the system had stopped it
  Counting counting(4);
  for (int run = 1; run < 10; ++run) {
    counting.runOn(pool);
    ASSERT_TRUE(counting.allRan(run));
  }
  EXPECT_THAT(counting.threads(),
              ::testing::ElementsAre(std::this_thread::get_id()));
  gate.open();
}

TEST(WorkerPoolTest, leavesTheCallerAloneWhileItsThreadWorksForAnother) {
  WorkerPool pool({1});
  auto reservation = pool.reserve(1);
  ASSERT_TRUE(reservation.ok()) << reservation.status();
  struct Held {
    Gate begun, end;
  } held;
  std::thread other([&] {
    pool.run(
        2,
        [](int worker, void *data) {
          auto *held = static_cast<Held *>(data);
          worker == 0 ? held->begun.pass() : held->begun.open();
          held->end.pass();
        },
        &held);
  });
  held.end.awaitArrival(); // both are in their parts, or about to be
  Counting counting(8);
  counting.runOn(pool);
  EXPECT_TRUE(counting.allRan());
  EXPECT_THAT(counting.threads(),
              ::testing::ElementsAre(std::this_thread::get_id()));
  held.end.open();
  other.join();
}

TEST(WorkerPoolTest, runsALaunchWithinALaunch) {
  WorkerPool pool({2});
  auto reservation = pool.reserve(2);
  ASSERT_TRUE(reservation.ok()) << reservation.status();
  struct Nested {
    WorkerPool &pool;
    std::deque<Counting> inner;
  } nested{pool, {}};
  for (int i = 0; i < 6; ++i) {
    nested.inner.emplace_back(5);
  }
  for (int run = 1; run <= 50; ++run) {
    pool.run(
        6,
        [](int worker, void *data) {
          auto *nested = static_cast<Nested *>(data);
          nested->inner[worker].runOn(nested->pool);
        },
        &nested);
    for (const Counting &each : nested.inner) {
      ASSERT_TRUE(each.allRan(run));
    }
  }
}

TEST(WorkerPoolTest, servesMoreCallersThanItHasRoomFor) {
  WorkerPool pool({2});
  auto reservation = pool.reserve(2);
  ASSERT_TRUE(reservation.ok()) << reservation.status();
  std::vector<std::thread> callers;
  std::atomic<int> failures = 0;
  for (int caller = 0; caller < 20; ++caller) {
    callers.emplace_back([&, caller] {
      Counting counting(1 + caller);
      for (int run = 1; run <= 100; ++run) {
        counting.runOn(pool);
        failures += !counting.allRan(run);
      }
    });
  }
  for (std::thread &caller : callers) {
    caller.join();
  }
  EXPECT_EQ(failures, 0);
}

TEST(WorkerPoolTest, startsNoMoreThreadsThanItsLimit) {
  static std::atomic<int> started;
  started = 0;
  WorkerPool pool({2, [] {
                     thread_local bool counted = false;
                     started += !counted;
                     counted = true;
                   }});
  auto first = pool.reserve(1), second = pool.reserve(1),
       third = pool.reserve(7);
  ASSERT_TRUE(first.ok() && second.ok() && third.ok());
  Counting counting(64);
  for (int run = 0; run < 100; ++run) {
    counting.runOn(pool);
  }
  EXPECT_LE(started, 2);
  EXPECT_TRUE(counting.allRan(100));
}

TEST(WorkerPoolTest, saysThatAThreadCannotBeStarted) {
  pthread_attr_t usual, endless;
  ASSERT_EQ(pthread_getattr_default_np(&usual), 0);
  pthread_attr_init(&endless);
  ASSERT_EQ(pthread_attr_setstacksize(&endless, size_t(1) << 46), 0);
  ASSERT_EQ(pthread_setattr_default_np(&endless), 0);
  WorkerPool pool({1});
  absl::Status status = pool.reserve(1).status();
  pthread_setattr_default_np(&usual);
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()),
              ::testing::HasSubstr("cannot start a thread: "));
  // Whoever still has a reservation is served, by himself.
  Counting counting(3);
  counting.runOn(pool);
  EXPECT_TRUE(counting.allRan());
  EXPECT_TRUE(pool.reserve(1).ok());
}

// ThreadSanitizer ends processes that start threads after a fork.
#if !__has_feature(thread_sanitizer)
TEST(WorkerPoolTest, worksInAForkedChild) {
  WorkerPool &pool = WorkerPool::process();
  auto reservation = pool.reserve(1);
  ASSERT_TRUE(reservation.ok()) << reservation.status();
  Counting(8).runOn(pool);
  pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    Counting alone(8), together(8);
    alone.runOn(pool);
    bool started = pool.reserve(1).ok();
    together.runOn(pool);
    // exit() ends the pool's threads, of which it has its own by now.
    exit(alone.allRan() && alone.threads().size() == 1 && started &&
                 together.allRan()
             ? 0
             : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  Counting after(8);
  after.runOn(pool);
  EXPECT_TRUE(after.allRan());
}
#endif

} // namespace
} // namespace minic::runtime
