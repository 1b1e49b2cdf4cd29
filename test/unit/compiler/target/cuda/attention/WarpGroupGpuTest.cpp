// SPDX-License-Identifier: Apache-2.0
//
// Attention by wgmma on a GPU: what the interpreter takes for granted about
// descriptors, weights in registers and products that run by themselves.

#include "test/unit/compiler/target/cuda/attention/AttentionOnGpu.h"

namespace minic::cuda {
namespace {

/// warp-groups.mlir as PTX.
const char *const warpGroupPtx =
#include "test/unit/compiler/target/cuda/attention/WarpGroupPtx.inc"
    ;

const AttentionKernel inTurn = {warpGroupPtx, "sm_90a", "in_turn", 40960},
                      ahead = {warpGroupPtx, "sm_90a", "ahead", 40960};

using WarpGroupGpuTest = AttentionOnGpu;

TEST_F(WarpGroupGpuTest, IsRight) { isRight(inTurn); }

TEST_F(WarpGroupGpuTest, IsRightAhead) { isRight(ahead); }

TEST_F(WarpGroupGpuTest, KeysLeftOutHaveNoInfluence) { leavesOut(inTurn); }

TEST_F(WarpGroupGpuTest, KeysLeftOutHaveNoInfluenceAhead) { leavesOut(ahead); }

} // namespace
} // namespace minic::cuda
