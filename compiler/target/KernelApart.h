// SPDX-License-Identifier: Apache-2.0
//
// KernelApart: choices for bodies around a kernel of the user's.

#ifndef MINIC_COMPILER_TARGET_KERNELAPART_H
#define MINIC_COMPILER_TARGET_KERNELAPART_H

#include "compiler/target/Candidates.h"
#include "compiler/target/ComposeParts.h"

namespace minic {

/// The user's kernel, op number `kernel` of `fusion`, in a part of its own or
/// with its epilogue: behind what it needs and in front of the rest, by the
/// best of what `implement` finds for these. `sources` explains what is
/// missing.
std::vector<Composition> kernelApart(
    kernel::FusionOp fusion, int64_t kernel, const Target &target,
    PartSources &sources,
    llvm::function_ref<std::vector<Candidate>(kernel::FusionOp)> implement);

} // namespace minic

#endif // MINIC_COMPILER_TARGET_KERNELAPART_H
