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

/// The update in place that the only result of `fusion` is; null where there is
/// none.
graph::CacheUpdateOp getOnlyUpdate(FusionOp fusion);

} // namespace minic::kernel

#endif // MINIC_DIALECTS_KERNEL_INPLACE_H
