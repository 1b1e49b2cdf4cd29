// SPDX-License-Identifier: Apache-2.0
//
// ChooseBucket: which bucket of an entry minic-run runs.

#ifndef MINIC_TOOLS_MINIC_RUN_CHOOSEBUCKET_H
#define MINIC_TOOLS_MINIC_RUN_CHOOSEBUCKET_H

#include "runtime/program/Entry.h"

#include <map>

namespace minic::tools {

/// The first bucket with `sizes` by name of a dimension, whose inputs have the
/// shapes of the .npy `files` (one per input, empty for none; `bf16` as readNpy
/// takes it). InvalidArgument where there is none, naming those that there are.
absl::StatusOr<std::shared_ptr<const runtime::Program>>
chooseBucket(const runtime::Entry &entry,
             const std::map<std::string, int64_t> &sizes,
             const std::vector<std::string> &files, bool bf16);

} // namespace minic::tools

#endif // MINIC_TOOLS_MINIC_RUN_CHOOSEBUCKET_H
