// SPDX-License-Identifier: Apache-2.0
//
// ThreadPlace: leaves the caller's CPU and no other, within what it may use.

#include "runtime/device/cpu/ThreadPlace.h"

#include <gtest/gtest.h>

#include <thread>

namespace minic::runtime {
namespace {

cpu_set_t affinity() {
  cpu_set_t set;
  EXPECT_EQ(sched_getaffinity(0, sizeof(set), &set), 0);
  return set;
}

/// Another CPU than `cpu` that the thread may use; -1: none.
int otherThan(int cpu) {
  cpu_set_t set = affinity();
  for (int other = 0; other < CPU_SETSIZE; ++other) {
    if (other != cpu && CPU_ISSET(other, &set)) {
      return other;
    }
  }
  return -1;
}

/// Ties the calling thread to one CPU.
void pin(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  ASSERT_EQ(sched_setaffinity(0, sizeof(set), &set), 0);
}

/// Runs it on a thread whose affinity it may spoil.
template <typename Body> void onAThread(Body body) { std::thread(body).join(); }

TEST(ThreadPlaceTest, leavesTheCallersCpu) {
  onAThread([] {
    cpu_set_t before = affinity();
    if (CPU_COUNT(&before) < 2) {
      GTEST_SKIP() << "one CPU";
    }
    ThreadPlace place;
    int cpu;
    cpu_set_t after;
    do { // the system may move it between the two calls
      cpu = sched_getcpu();
      place.keepOff(cpu);
      after = affinity();
    } while (CPU_EQUAL(&before, &after));
    EXPECT_NE(sched_getcpu(), cpu);
    CPU_SET(cpu, &after);
    EXPECT_TRUE(CPU_EQUAL(&before, &after));
    // The next caller's CPU is taken instead of that one, not as well.
    int next;
    do {
      next = sched_getcpu();
      place.keepOff(next);
      after = affinity();
    } while (CPU_ISSET(next, &after));
    EXPECT_TRUE(CPU_ISSET(cpu, &after));
  });
}

TEST(ThreadPlaceTest, staysWhereTheCallerIsNot) {
  onAThread([] {
    int cpu = sched_getcpu(), other = otherThan(cpu);
    pin(cpu);
    cpu_set_t before = affinity();
    ThreadPlace().keepOff(other);
    cpu_set_t after = affinity();
    EXPECT_TRUE(CPU_EQUAL(&before, &after));
  });
}

TEST(ThreadPlaceTest, keepsToWhatOthersAllow) {
  onAThread([] {
    ThreadPlace place;
    int cpu = sched_getcpu();
    place.keepOff(cpu);
    pin(cpu); // by somebody else, after the thread has left it
    place.keepOff(cpu);
    cpu_set_t after = affinity();
    EXPECT_EQ(CPU_COUNT(&after), 1);
    EXPECT_EQ(sched_getcpu(), cpu);
  });
}

} // namespace
} // namespace minic::runtime
