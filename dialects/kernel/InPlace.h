// SPDX-License-Identifier: Apache-2.0
//
// Which inputs of a fusion its results update in place.

#ifndef MINIC_DIALECTS_KERNEL_INPLACE_H
#define MINIC_DIALECTS_KERNEL_INPLACE_H

#include "dialects/graph/InPlace.h"
#include "dialects/kernel/Kernel.h"

namespace minic::kernel {

/// The number of the input whose memory result `result` of `fusion` is written
/// into; none where the result has memory of its own.
std::optional<unsigned> getUpdatedInput(FusionOp fusion, unsigned result);

/// The updates in place that the results of `fusion` are, in their order; none
/// where one of them is something else.
llvm::SmallVector<graph::CacheUpdateOp> getUpdates(FusionOp fusion);

} // namespace minic::kernel

#endif // MINIC_DIALECTS_KERNEL_INPLACE_H
