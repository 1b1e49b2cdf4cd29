// SPDX-License-Identifier: Apache-2.0
//
// ChooseBucket: which bucket of an entry minic-run runs.

#ifndef MINIC_TOOLS_MINIC_RUN_CHOOSEBUCKET_H
#define MINIC_TOOLS_MINIC_RUN_CHOOSEBUCKET_H

#include "runtime/program/Entry.h"

#include <map>

namespace minic::tools {

/// The sizes of the run and its bucket: `sizes` by name of a dimension, where
/// inputs have the shapes of the .npy `files` (one per input, empty for none;
/// `bf16` as readNpy takes it), else those of the first bucket that fits. A
/// bucket of these sizes goes before a padded one. InvalidArgument where there
/// is none, naming those that there are.
absl::StatusOr<runtime::Entry::Found>
chooseBucket(const runtime::Entry &entry,
             const std::map<std::string, int64_t> &sizes,
             const std::vector<std::string> &files, bool bf16);

/// "B=1,T=300": each dimension with its size.
std::string describeSizes(const runtime::Entry &entry,
                          absl::Span<const int64_t> sizes);

} // namespace minic::tools

#endif // MINIC_TOOLS_MINIC_RUN_CHOOSEBUCKET_H
