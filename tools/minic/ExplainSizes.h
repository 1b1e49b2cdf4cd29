// SPDX-License-Identifier: Apache-2.0
//
// ExplainSizes: what a run of some sizes takes, and what it pays for that.

#ifndef MINIC_TOOLS_MINIC_EXPLAINSIZES_H
#define MINIC_TOOLS_MINIC_EXPLAINSIZES_H

#include "runtime/format/plan_generated.h"

#include "absl/status/statusor.h"

#include <map>
#include <string>
#include <vector>

namespace minic {

/// Reads NAME=SIZE texts, one size for each name; returns what was expected, or
/// nothing.
std::string parseRunSizes(const std::vector<std::string> &texts,
                          std::map<std::string, int64_t> &sizes);

/// For each entry whose dimensions all have a size in `sizes`: the bucket, the
/// padding and why it is right, what takes most of the bucket's time, and what
/// would have it tuned again. InvalidArgument where no dimension is called so,
/// where another one needs a size, or where no bucket takes them, naming what
/// there is.
absl::StatusOr<std::string>
explainSizes(const format::Artifact &metadata,
             const std::map<std::string, int64_t> &sizes);

} // namespace minic

#endif // MINIC_TOOLS_MINIC_EXPLAINSIZES_H
