// SPDX-License-Identifier: Apache-2.0
//
// Attention kernels that multiply by wgmma, run by the interpreter: swizzled
// tiles, what is under way while weights are made, blocks without keys.

#include "test/unit/compiler/target/cuda/attention/AttentionRun.h"

#include <gmock/gmock.h>

using namespace mlir;

namespace minic::cuda {
namespace {

AttentionSchedule schedule(int64_t warps, int64_t keyBlock, int64_t stages,
                           bool ahead) {
  AttentionSchedule made;
  made.warps = warps;
  made.keyBlock = keyBlock;
  made.stages = stages;
  made.wgmma = true;
  made.ahead = ahead;
  return made;
}

/// Both loops.
void check(const AttentionCase &c, bool packs = false, int64_t split = 1) {
  for (bool ahead : {false, true}) {
    AttentionSchedule s = schedule(4, 32, 2, ahead);
    s.packs = packs;
    s.split = split;
    ASSERT_NO_FATAL_FAILURE(AttentionRun(c).check(s));
  }
}

TEST(CudaWarpGroupAttention, Computes) {
  for (const char *dtype : {"bf16", "f16"}) {
    AttentionCase c = sized(128, 192, 64, 64);
    c.dtype = dtype;
    AttentionRun(c).check(schedule(4, 64, 2, false));
    AttentionRun(c).check(schedule(8, 64, 2, true));
  }
}

TEST(CudaWarpGroupAttention, AwkwardLengths) {
  for (int64_t rows : {1, 17, 77}) {
    for (int64_t keys : {1, 17, 77, 197}) {
      check(sized(rows, keys, 16, 16));
    }
  }
}

// Atoms of 32, 64 and 128 bytes, one and several of them; values wider and
// narrower than keys.
TEST(CudaWarpGroupAttention, HeadSizes) {
  for (auto [depth, valueDepth] : {std::pair<int64_t, int64_t>{8, 8},
                                   {32, 32},
                                   {40, 40},
                                   {64, 64},
                                   {80, 80},
                                   {96, 96},
                                   {128, 128},
                                   {32, 128},
                                   {128, 48}}) {
    check(sized(17, 70, depth, valueDepth));
  }
  AttentionRun(sized(17, 70, 256, 256)).check(schedule(8, 32, 2, false));
}

TEST(CudaWarpGroupAttention, Schedules) {
  AttentionCase c = sized(150, 301, 64, 64);
  c.causal = Causality::UpperLeft;
  for (bool ahead : {false, true}) {
    for (int64_t stages : {2, 3, 4}) {
      AttentionRun(c).check(schedule(4, 32, stages, ahead));
    }
    AttentionRun(c).check(schedule(8, 128, 2, ahead));
    AttentionRun(c).check(schedule(12, 64, 3, ahead));
  }
}

TEST(CudaWarpGroupAttention, LeavesOutKeys) {
  for (auto [rows, keys] :
       {std::pair<int64_t, int64_t>{77, 77}, {77, 33}, {17, 197}, {1, 70}}) {
    for (Causality causal :
         {Causality::None, Causality::UpperLeft, Causality::LowerRight}) {
      for (int64_t window : {0, 20}) {
        AttentionCase c = sized(rows, keys, 16, 16);
        c.causal = causal;
        c.window = window;
        c.logSumExp = true;
        check(c);
      }
    }
  }
}

TEST(CudaWarpGroupAttention, Masks) {
  for (auto [type, dims] :
       {std::pair<std::string, std::vector<int64_t>>{"i1", {2, 4, 20, 50}},
        {"bf16", {2, 1, 1, 50}},
        {"f32", {4, 20, 50}}}) {
    AttentionCase c = sized(20, 50, 16, 16);
    c.batch = 2;
    c.heads = 4;
    c.keyHeads = 2;
    c.maskType = type;
    c.maskDims = dims;
    c.logSumExp = true;
    check(c, /*packs=*/true);
    c.causal = Causality::UpperLeft;
    check(c);
  }
}

TEST(CudaWarpGroupAttention, ScaleCapAndPeakedScores) {
  AttentionCase c = sized(40, 50, 64, 32);
  c.spread = 40;
  check(c);
  c.softCap = 5;
  c.scale = 0.2;
  c.logSumExp = true;
  check(c);
}

TEST(CudaWarpGroupAttention, SharesKeysAmongBlocks) {
  AttentionCase c = sized(3, 300, 32, 40);
  c.batch = 2;
  c.heads = 4;
  c.keyHeads = 2;
  c.logSumExp = true;
  for (int64_t split : {3, 7}) {
    for (Causality causal : {Causality::None, Causality::LowerRight}) {
      c.causal = causal;
      check(c, /*packs=*/true, split);
    }
  }
}

// Lengths of 0 too: a block has no keys.
TEST(CudaWarpGroupAttention, CountsKeysAtRunTime) {
  AttentionCase c = sized(9, 70, 16, 16);
  c.batch = 4;
  c.lengthType = "i32";
  c.logSumExp = true;
  for (bool ahead : {false, true}) {
    AttentionRun run(c);
    const double lengths[] = {0, 33, -5, 1000};
    for (int64_t b = 0; b != 4; ++b) {
      run.run.inputs[3].set(b, lengths[b]);
    }
    // Behind the last key there may be anything.
    for (int64_t s = 33; s != 70; ++s) {
      run.run.inputs[1].set((70 + s) * 16, std::nan(""));
      run.run.inputs[2].set((70 + s) * 16, INFINITY);
    }
    run.check(schedule(4, 32, 2, ahead));
  }
}

} // namespace
} // namespace minic::cuda
