// SPDX-License-Identifier: Apache-2.0
//
// What a process learns that asks for the tiles of AMX.

#include "runtime/device/cpu/TileState.h"
#include "runtime/device/cpu/CpuFeatures.h"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <iostream>

namespace minic::runtime {
namespace {

/// Says on stderr what a process is answered whose thread has an alternate
/// signal stack of `bytes`, and ends it.
[[noreturn]] void askWithAlternateStack(size_t bytes) {
  stack_t stack = {};
  stack.ss_sp = std::malloc(bytes);
  stack.ss_size = bytes;
  if (sigaltstack(&stack, nullptr) != 0) {
    std::cerr << "no alternate stack";
    std::_Exit(2);
  }
  absl::Status answer = requestTileState();
  std::cerr << answer.message();
  std::_Exit(answer.ok() ? 0 : 1);
}

TEST(TileStateTest, smallAlternateStacksAreTheReason) {
  if (!cpuHasFeature("amx-tile")) {
    GTEST_SKIP() << "this CPU lacks 'amx-tile'";
  }
  // In a process of its own: here oneDNN may have asked, and the answer stays.
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(askWithAlternateStack(4096), testing::ExitedWithCode(1),
              "Linux refuses AMX tiles: a thread of this process has an "
              "alternate signal stack that is too small for them");
}

TEST(TileStateTest, withoutAmxTheCpuIsTheReason) {
  if (cpuHasFeature("amx-tile")) {
    GTEST_SKIP() << "this CPU has 'amx-tile'";
  }
  EXPECT_EQ(requestTileState().message(), "this CPU lacks 'amx-tile'");
}

} // namespace
} // namespace minic::runtime
