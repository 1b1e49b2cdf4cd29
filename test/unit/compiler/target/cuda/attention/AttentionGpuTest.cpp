// SPDX-License-Identifier: Apache-2.0
//
// An attention kernel on a GPU: what the interpreter takes for granted about
// fragments, transposing loads and exponentials.

#include "test/unit/compiler/target/cuda/attention/AttentionOnGpu.h"

namespace minic::cuda {
namespace {

/// attention.mlir as PTX.
const char *const attentionPtx =
#include "test/unit/compiler/target/cuda/attention/AttentionPtx.inc"
    ;

const AttentionKernel kernel = {attentionPtx, "compute_80", "attention", 46080};

using AttentionGpuTest = AttentionOnGpu;

TEST_F(AttentionGpuTest, IsRight) { isRight(kernel); }

TEST_F(AttentionGpuTest, KeysLeftOutHaveNoInfluence) { leavesOut(kernel); }

} // namespace
} // namespace minic::cuda
