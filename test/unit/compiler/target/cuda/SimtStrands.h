// SPDX-License-Identifier: Apache-2.0
//
// SimtStrands: warp groups that the interpreter runs side by side, one at a
// time: each goes on until it waits for something that others have to do.

#ifndef MINIC_TEST_UNIT_COMPILER_TARGET_CUDA_SIMTSTRANDS_H
#define MINIC_TEST_UNIT_COMPILER_TARGET_CUDA_SIMTSTRANDS_H

#include "test/unit/compiler/target/cuda/SimtInterpreter.h"

#include <condition_variable>
#include <functional>
#include <mutex>
#include <random>

namespace minic::cuda {

class SimtStrands {
public:
  static constexpr const char *deadlock =
      "threads wait for each other for ever";

  /// The same seed gives the same order.
  SimtStrands(SimtOrder order, uint64_t seed) : order_(order), random_(seed) {}

  /// Runs `body` for each strand, numbers from 0 on. It returns what is wrong,
  /// and so does this of the first one that says so.
  std::string run(size_t count, const std::function<std::string(size_t)> &body);
  /// Called by a strand that runs: others run until `isSo`. False where that
  /// never comes, or another one has failed.
  bool waitUntil(size_t strand, std::function<bool()> isSo);
  /// Now and then, if the order is a random one.
  bool chance() { return order_ == SimtOrder::Random && random_() % 4 == 0; }

private:
  /// Chooses who runs; `lock_` is held.
  void choose();

  SimtOrder order_;
  std::mt19937_64 random_;
  std::mutex lock_;
  std::condition_variable changed_;
  /// By strand: what it waits for; none once it has ended.
  std::vector<std::function<bool()>> waits_;
  std::vector<char> hasEnded_;
  size_t running_ = 0;
  bool isStopped_ = false;
  std::string error_;
};

} // namespace minic::cuda

#endif // MINIC_TEST_UNIT_COMPILER_TARGET_CUDA_SIMTSTRANDS_H
