// SPDX-License-Identifier: Apache-2.0
//
// ReferenceCheck: compares what an artifact computes with what the float64
// reference says, which lives in `minic` beside this tool.

#ifndef MINIC_TOOLS_COMMON_REFERENCECHECK_H
#define MINIC_TOOLS_COMMON_REFERENCECHECK_H

#include "runtime/base/Tensor.h"

#include "absl/status/statusor.h"

#include <map>
#include <string>

namespace minic::tools {

struct ReferenceRequest {
  /// The artifact, which carries its model, or a model that overrides it.
  std::string model;
  std::string function = "main";
  /// Of dimensions that a model, no artifact, gives a name.
  std::map<std::string, int64_t> sizes = {};
  /// Outputs may be smaller than the model's: they are its first rows.
  bool isPadded = false;
};

/// Has `minic evaluate` compute the outputs for `inputs` and compares; prints
/// one line per output on stdout. True if all are within tolerance.
/// Unimplemented "--check is not built in" where there is no `minic` beside
/// this program; otherwise what `minic evaluate` had to say.
absl::StatusOr<bool>
checkAgainstReference(const ReferenceRequest &request,
                      absl::Span<const runtime::TensorSpec> inputSpecs,
                      absl::Span<const runtime::Tensor> inputs,
                      absl::Span<const runtime::TensorSpec> outputSpecs,
                      absl::Span<const runtime::Tensor> outputs);

/// The same with a file that `minic evaluate` has written.
absl::StatusOr<bool>
checkAgainstFile(const std::string &expectedPath,
                 absl::Span<const runtime::TensorSpec> outputSpecs,
                 absl::Span<const runtime::Tensor> outputs);

} // namespace minic::tools

#endif // MINIC_TOOLS_COMMON_REFERENCECHECK_H
