// SPDX-License-Identifier: Apache-2.0
//
// Blocks of gemm_sm90 that take tiles in turn, and results that leave L2 first,
// run by the interpreter.

#include "test/unit/compiler/target/cuda/gemm_sm90/CheckedProducts.h"

#include <gtest/gtest.h>

namespace minic::cuda {
namespace {

/// Teams of a block take its tiles in turn: fewer stages of K than the ring
/// has, as many, and more; one tile for a team, or none.
TEST(GemmSm90PingPong, TakesTilesInTurn) {
  auto pingPong = [](int64_t bm, int64_t bn, int64_t stages, int64_t blocks) {
    GemmSm90Schedule one = tma(schedule(bm, bn, 1, stages));
    one.pingPongBlocks = blocks;
    return one;
  };
  checkLinear(64, 32, 64, "bf16", pingPong(64, 32, 4, 3));
  checkLinear(200, 72, 200, "bf16", pingPong(64, 32, 3, 2));
  checkLinear(200, 136, 456, "f16", pingPong(64, 32, 5, 3));
  checkLinear(131, 46, 328, "bf16", pingPong(128, 48, 8, 1));
  GemmSm90Schedule early = pingPong(64, 64, 4, 2);
  early.programmatic = true;
  checkLinear(250, 190, 256, "bf16", early, /*rhsIsConstant=*/true);
  checkLinear(130, 100, 136, "bf16", early, /*rhsIsConstant=*/true);
  // N is odd: results are stored one by one.
  checkLinear(70, 129, 72, "bf16", early);
  early.teamRegisters = 240;
  checkLinear(250, 190, 256, "bf16", early, /*rhsIsConstant=*/true);
  checkMatmuls(72, 40, 200, pingPong(64, 16, 3, 4));
  GemmSm90Schedule keeps = pingPong(64, 64, 3, 2);
  keeps.keepsRhs = true;
  checkLinear(250, 64, 64, "bf16", keeps);
  checkLinear(330, 40, 264, "bf16", keeps, /*rhsIsConstant=*/true);
  keeps.programmatic = true;
  checkLinear(330, 56, 136, "f16", keeps, /*rhsIsConstant=*/true);
  checkLinear(64, 56, 136, "bf16", keeps);
  // Blocks that keep to two and three columns of tiles, the last one narrow.
  keeps.group = 1, keeps.pingPongBlocks = 4;
  checkLinear(450, 120, 136, "bf16", keeps, /*rhsIsConstant=*/true);
  keeps.pingPongBlocks = 3;
  checkLinear(330, 184, 72, "f16", keeps);
  checkGated({200, 48, 200}, pingPong(64, 64, 3, 2));
  checkGated({131, 23, 328}, pingPong(128, 48, 8, 1));
}

/// Stored by the policy, whole words at once; single elements of 16 bits are
/// not, since N is odd.
TEST(GemmSm90PingPong, ResultsThatLeaveL2First) {
  GemmSm90Schedule one = schedule(64, 32, 1, 4);
  one.evictsResults = true;
  checkLinear(70, 40, 72, "bf16", one);
  checkLinear(70, 37, 72, "bf16", one);
  checkLinear(70, 36, 72, "f16", one);
  checkMatmuls(20, 24, 40, one);
  one = tma(schedule(64, 64, 1, 4));
  one.evictsResults = true, one.pingPongBlocks = 2;
  checkLinear(250, 120, 136, "bf16", one);
}

} // namespace
} // namespace minic::cuda
