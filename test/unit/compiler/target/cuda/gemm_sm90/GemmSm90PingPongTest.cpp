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

/// relu(x W^T + b) * s + r by tiles of 64x256, whose sums leave registers for
/// residuals, but not for bias and scale as well: these are loaded behind.
/// A last tile that is not whole needs registers, too: half of the residuals
/// are loaded at once.
void checkScaled(int64_t m, bool isWhole) {
  const int64_t n = 256, k = 64;
  std::string x = tensor({m, k}, "bf16"), w = tensor({n, k}, "bf16"),
              v = tensor({n}, "bf16"), y = tensor({m, n}, "bf16");
  InterpretedFusion fusion(
      {x, w, v, v, y}, y,
      "%l = graph.linear %0, %1, %2 : (" + x + ", " + w + ", " + v + ") -> " +
          y + "\n%r = graph.relu %l : " + y + "\n%m = graph.mul %r, %3 : (" +
          y + ", " + v + ") -> " + y + "\n%s = graph.add %m, %4 : (" + y +
          ", " + y + ") -> " + y + "\nkernel.yield %s : " + y);
  GemmSm90Schedule one = tma(schedule(64, 256, 1, 3));
  one.pingPongBlocks = 2;
  auto shape = kernel::FusionShape::get(fusion.fusion, nullptr);
  ASSERT_TRUE(mlir::succeeded(shape));
  auto geometry = GemmSm90Geometry::get(*shape, one, nullptr);
  ASSERT_TRUE(mlir::succeeded(geometry));
  EXPECT_EQ(geometry->accessesAtOnce(), isWhole ? 4 : 2);
  EXPECT_EQ(geometry->loadsColumnsAhead(), !isWhole);
  ASSERT_NO_FATAL_FAILURE(run(fusion, one));
  int bad = 0;
  for (int64_t at = 0; at != m * n; ++at) {
    double sum = fusion.inputs[2].get(at % n), size = std::abs(sum);
    for (int64_t i = 0; i != k; ++i) {
      double product = fusion.inputs[0].get(at / n * k + i) *
                       fusion.inputs[1].get(at % n * k + i);
      sum += product;
      size += std::abs(product);
    }
    double expected = std::max(sum, 0.0) * fusion.inputs[3].get(at % n) +
                      fusion.inputs[4].get(at);
    // Each op rounds to bf16 at most once.
    double tolerance = 3 * 0x1p-8 * (size + std::abs(expected) + 1e-3);
    bad += !(std::abs(fusion.results[0].get(at) - expected) <= tolerance);
  }
  EXPECT_EQ(bad, 0);
}

TEST(GemmSm90PingPong, LoadsColumnsBehindResiduals) {
  checkScaled(128, /*isWhole=*/true);
  checkScaled(130, /*isWhole=*/false);
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
