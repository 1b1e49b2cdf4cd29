// SPDX-License-Identifier: Apache-2.0
//
// PadTensors: a padded run's inputs as its bucket has them, for the check.

#ifndef MINIC_TOOLS_MINIC_RUN_PADTENSORS_H
#define MINIC_TOOLS_MINIC_RUN_PADTENSORS_H

#include "runtime/program/Entry.h"
#include "tools/common/ModelInputs.h"

namespace minic::tools {

/// Host tensors of the sizes of the bucket that `found` names, with `inputs`,
/// of the run's sizes, in them and the entry's fills behind. `entry` outlives
/// them.
absl::StatusOr<ModelTensors>
padTensors(const runtime::Entry &entry, const runtime::Entry::Found &found,
           absl::Span<const runtime::Tensor> inputs);

} // namespace minic::tools

#endif // MINIC_TOOLS_MINIC_RUN_PADTENSORS_H
