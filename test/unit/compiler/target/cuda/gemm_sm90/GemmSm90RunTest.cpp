// SPDX-License-Identifier: Apache-2.0
//
// Kernels of gemm_sm90 run by the interpreter and compared with sums in double:
// descriptors, fragments, rings of stages, tails, splits.

#include "test/unit/compiler/target/cuda/gemm_sm90/CheckedProducts.h"

#include <gtest/gtest.h>

namespace minic::cuda {
namespace {

TEST(GemmSm90Run, WholeTiles) {
  checkLinear(128, 64, 256, "bf16", schedule(64, 32, 1, 4));
  checkLinear(128, 32, 192, "f16", schedule(128, 16, 2, 5));
  // A stage's copies are waited for as soon as they are issued.
  checkLinear(64, 32, 320, "bf16", schedule(64, 32, 1, 3));
}

/// Two columns of sums make one of results. Without what differs by row,
/// results of whole accesses are made in registers.
TEST(GemmSm90Run, GatedUnits) {
  checkGated({70, 32, 128}, schedule(64, 64, 1, 4));
  checkGated({64, 48, 128, "f16"}, schedule(64, 96, 1, 4));
  checkGated({130, 40, 64}, schedule(128, 64, 2, 4)); // columns beyond N
  checkGated({70, 24, 64}, schedule(64, 48, 1, 4));   // no passes of 32
  checkGated({70, 20, 64}, schedule(64, 32, 1, 4));   // by 4 results
  checkGated({5, 3, 64}, schedule(64, 16, 1, 4));
  checkGated({70, 16, 320}, schedule(64, 32, 1, 4, 2));
  GemmSm90Schedule alongN = schedule(64, 64, 1, 4);
  alongN.warpGroupsN = 2;
  checkGated({70, 32, 128}, alongN);
  GemmSm90Schedule alongK = schedule(64, 32, 1, 4);
  alongK.warpGroupsK = 2;
  checkGated({70, 32, 128}, alongK);
}

/// M, N and K that no tile divides; rows of x that are aligned to 16, 8 and 4
/// bytes, and to 2, which are padded.
TEST(GemmSm90Run, Tails) {
  checkLinear(1, 20, 40, "bf16", schedule(64, 16, 1, 4));
  checkLinear(67, 37, 76, "bf16", schedule(64, 32, 1, 4));
  checkLinear(131, 46, 134, "f16", schedule(128, 32, 2, 4));
  GemmSm90Schedule padded = schedule(64, 32, 1, 4);
  padded.padLhs = true;
  checkLinear(67, 46, 71, "bf16", padded);
  checkLinear(5, 3, 7, "f16", padded);
  checkLinear(67, 37, 76, "bf16", padded);
}

TEST(GemmSm90Run, WideTiles) {
  checkLinear(70, 250, 72, "bf16", schedule(64, 256, 1, 4));
  checkLinear(130, 176, 100, "bf16", schedule(128, 176, 2, 4));
  checkLinear(190, 40, 64, "bf16", schedule(192, 48, 3, 4));
  checkLinear(256, 32, 64, "bf16", schedule(256, 32, 4, 4));
}

/// Stages whose rows are swizzled otherwise.
TEST(GemmSm90Run, NarrowStages) {
  GemmSm90Schedule one = schedule(64, 32, 1, 5);
  one.bk = 32;
  checkLinear(70, 40, 108, "bf16", one);
  one.bk = 16;
  checkLinear(70, 40, 60, "f16", one);
}

/// Warp groups with several blocks of 64 rows, along N and along K.
TEST(GemmSm90Run, WarpGroups) {
  checkLinear(130, 32, 100, "bf16", schedule(128, 32, 1, 4));
  GemmSm90Schedule alongN = schedule(128, 48, 2, 4);
  alongN.warpGroupsN = 2;
  checkLinear(130, 60, 100, "bf16", alongN);
  GemmSm90Schedule alongK = schedule(64, 32, 1, 4);
  alongK.warpGroupsK = 2;
  checkLinear(70, 40, 200, "bf16", alongK);
  alongK.warpGroupsK = 4;
  checkLinear(70, 40, 200, "bf16", alongK);
}

/// Of rows that are only aligned to 4 bytes: not a multiple of the 8 after
/// which the swizzle of shared memory repeats.
TEST(GemmSm90Run, PassesOfTwelveRows) {
  checkLinear(200, 32, 70, "bf16", schedule(192, 32, 3, 4));
}

TEST(GemmSm90Run, SplitK) {
  checkLinear(70, 32, 320, "bf16", schedule(64, 32, 1, 4, 2));
  checkLinear(70, 36, 420, "bf16", schedule(64, 32, 1, 5, 3));
  GemmSm90Schedule alongK = schedule(64, 32, 1, 4, 2);
  alongK.warpGroupsK = 2;
  checkLinear(70, 33, 200, "bf16", alongK);
}

/// Blocks that share a tile add up its rows from each other's memory, or, where
/// results are made in registers, send each other sums of columns. They run in
/// lockstep here, so each has as many stages of K.
TEST(GemmSm90Run, Cluster) {
  auto cluster = [](GemmSm90Schedule one) {
    one.clustered = true;
    return one;
  };
  checkLinear(70, 32, 384, "bf16", cluster(schedule(64, 32, 1, 4, 2)));
  checkLinear(70, 37, 500, "bf16", cluster(schedule(64, 32, 1, 5, 4)));
  checkLinear(130, 88, 384, "bf16", cluster(schedule(128, 64, 1, 4, 2)));
  checkLinear(70, 128, 768, "f16", cluster(schedule(64, 64, 1, 3, 4)));
  GemmSm90Schedule alongN = cluster(schedule(64, 64, 1, 4, 2));
  alongN.warpGroupsN = 2;
  checkLinear(70, 96, 512, "bf16", alongN);
  GemmSm90Schedule alongK = cluster(schedule(64, 32, 1, 4, 4));
  alongK.warpGroupsK = 2;
  alongK.programmatic = true;
  checkLinear(70, 33, 500, "bf16", alongK, /*rhsIsConstant=*/true);
}

TEST(GemmSm90Run, Raster) {
  GemmSm90Schedule one = schedule(64, 16, 1, 4);
  for (int64_t group : {1, 2, 8}) {
    one.group = group;
    checkLinear(150, 40, 64, "bf16", one);
  }
}

/// K of no elements: what is left is the epilogue.
TEST(GemmSm90Run, EmptyK) {
  checkLinear(20, 24, 0, "bf16", schedule(64, 32, 1, 4));
}

/// Weights are fetched before activations may be.
TEST(GemmSm90Run, Programmatic) {
  GemmSm90Schedule one = schedule(64, 32, 1, 5);
  one.programmatic = true;
  checkLinear(70, 40, 400, "bf16", one, /*rhsIsConstant=*/true);
  checkLinear(70, 40, 48, "bf16", one, /*rhsIsConstant=*/true);
  checkLinear(70, 40, 200, "bf16", one);
  one.splitK = 2;
  checkLinear(70, 40, 400, "bf16", one, /*rhsIsConstant=*/true);
}

TEST(GemmSm90Run, Matmul) { checkMatmuls(20, 24, 40, schedule(64, 16, 1, 4)); }

/// Fewer stages of K than the ring has, as many, and several passes.
TEST(GemmSm90Run, Tma) {
  checkLinear(64, 32, 64, "bf16", tma(schedule(64, 32, 1, 4)));
  checkLinear(128, 64, 256, "f16", tma(schedule(64, 32, 1, 4)));
  checkLinear(64, 32, 704, "bf16", tma(schedule(64, 32, 1, 3)));
  checkLinear(128, 32, 320, "bf16", tma(schedule(128, 32, 2, 3)));
  checkGated({128, 24, 320}, tma(schedule(128, 32, 2, 3)));
}

/// What is beyond M, N and K is zero. Rows are of multiples of 16 bytes.
TEST(GemmSm90Run, TmaTails) {
  checkLinear(1, 20, 40, "bf16", tma(schedule(64, 16, 1, 4)));
  checkLinear(67, 37, 200, "bf16", tma(schedule(64, 32, 1, 3)));
  checkLinear(131, 46, 328, "f16", tma(schedule(128, 32, 2, 3)));
  GemmSm90Schedule padded = tma(schedule(64, 32, 1, 4));
  padded.padLhs = true;
  checkLinear(67, 1, 71, "bf16", padded);
  checkLinear(5, 3, 7, "f16", padded);
}

TEST(GemmSm90Run, TmaWarpGroups) {
  checkLinear(130, 32, 200, "bf16", tma(schedule(128, 32, 1, 3)));
  GemmSm90Schedule alongN = tma(schedule(64, 64, 1, 3));
  alongN.warpGroupsN = 2;
  checkLinear(70, 72, 264, "bf16", alongN);
  GemmSm90Schedule alongK = tma(schedule(64, 32, 1, 3));
  alongK.warpGroupsK = 2;
  checkLinear(70, 40, 264, "bf16", alongK);
  checkLinear(130, 176, 104, "bf16", tma(schedule(128, 176, 2, 4)));
  checkLinear(200, 200, 136, "bf16", tma(schedule(192, 192, 3, 4)));
  checkLinear(70, 250, 72, "bf16", tma(schedule(64, 256, 1, 3)));
}

/// K shared by blocks that meet in memory, or as a cluster.
TEST(GemmSm90Run, TmaSplitK) {
  checkLinear(70, 32, 648, "bf16", tma(schedule(64, 32, 1, 3, 2)));
  checkLinear(70, 33, 328, "bf16", tma(schedule(64, 32, 1, 4, 3)));
  GemmSm90Schedule cluster = tma(schedule(64, 32, 1, 3, 4));
  cluster.clustered = true;
  checkLinear(70, 37, 840, "bf16", cluster);
  GemmSm90Schedule sends = tma(schedule(128, 64, 2, 3, 2));
  sends.clustered = true;
  checkLinear(140, 88, 768, "bf16", sends);
  checkLinear(140, 64, 128, "bf16", sends);
  sends = tma(schedule(64, 64, 1, 3, 4));
  sends.clustered = sends.programmatic = true;
  checkLinear(140, 72, 1024, "bf16", sends, /*rhsIsConstant=*/true);
}

/// Weights are asked for before activations may be.
TEST(GemmSm90Run, TmaProgrammatic) {
  GemmSm90Schedule one = tma(schedule(64, 32, 1, 4));
  one.programmatic = true;
  checkLinear(70, 40, 400, "bf16", one, /*rhsIsConstant=*/true);
  checkLinear(70, 40, 48, "bf16", one, /*rhsIsConstant=*/true);
  checkLinear(70, 40, 200, "bf16", one);
}

TEST(GemmSm90Run, TmaMatmul) {
  checkMatmuls(24, 24, 40, tma(schedule(64, 16, 1, 3)));
  checkMatmuls(72, 40, 200, tma(schedule(64, 32, 1, 3)));
}

/// Neighbours along M share rhs, along N lhs; each copies half of it for both.
TEST(GemmSm90Run, TmaMulticast) {
  GemmSm90Schedule alongM = tma(schedule(64, 32, 1, 3));
  alongM.multicastM = 2;
  checkLinear(128, 32, 64, "bf16", alongM);
  checkLinear(240, 72, 712, "bf16", alongM);
  alongM.warpGroupsK = 2;
  alongM.programmatic = true;
  checkLinear(100, 40, 456, "f16", alongM, /*rhsIsConstant=*/true);
  GemmSm90Schedule alongN = tma(schedule(128, 32, 2, 3));
  alongN.multicastN = 2;
  alongN.group = 1;
  checkLinear(130, 120, 520, "bf16", alongN);
  GemmSm90Schedule batched = tma(schedule(64, 32, 1, 3));
  batched.multicastM = 2;
  checkMatmuls(128, 24, 72, batched);
}

} // namespace
} // namespace minic::cuda
