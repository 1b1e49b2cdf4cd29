// SPDX-License-Identifier: Apache-2.0
//
// comparePlan: what a model computes as compiled, fusion by fusion, against the
// float64 reference.

#ifndef MINIC_TOOLS_MINIC_COMPAREPLAN_H
#define MINIC_TOOLS_MINIC_COMPAREPLAN_H

#include "compiler/import/FunctionInputs.h"
#include "compiler/options/CompileOptions.h"
#include "tools/minic/CompareReport.h"

#include "absl/status/statusor.h"

namespace minic {

/// Compiles `model` with `options` into a temporary file, with the results of
/// its fusions as further outputs, runs it here on `inputs` (one for each
/// argument) and compares. Only what the plan stores has a row: values inside
/// of a fusion do not exist.
absl::StatusOr<CompareSection>
comparePlan(const std::string &model, const std::string &function,
            CompileOptions options, const std::vector<FunctionInput> &inputs,
            const NodeNames &nodes, const CompareOptions &compareOptions,
            mlir::MLIRContext &context);

} // namespace minic

#endif // MINIC_TOOLS_MINIC_COMPAREPLAN_H
