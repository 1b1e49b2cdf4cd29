// SPDX-License-Identifier: Apache-2.0
//
// MatchTensors: which tensors of a model the tensors of a file are.

#ifndef MINIC_COMPILER_COMPARE_MATCHTENSORS_H
#define MINIC_COMPILER_COMPARE_MATCHTENSORS_H

#include "compiler/compare/CompareTensors.h"
#include "compiler/import/FunctionInputs.h"
#include "compiler/import/NamedTensors.h"
#include "compiler/import/WeightSource.h"

#include <deque>

namespace minic {

struct MatchedTensors {
  /// Arguments of the function first, all of them, then what is compared.
  std::vector<GivenTensor> tensors;
  /// What each is called: an argument by the model, others by the file.
  std::vector<std::string> names;
  /// The first of a value's names in the model; null for an argument.
  std::vector<const NamedTensor *> model;
  /// Names of the file that are none of the model.
  std::vector<std::string> unmatched;
  /// Arguments that neither the file nor the user has given.
  std::vector<std::string> randomInputs;
  /// What float64 tensors are in float32.
  std::deque<std::vector<char>> narrowed;
};

/// Matches by the name of an argument, a value, a result or a node (whose first
/// result it is), a weight, or a module of the exported program (whose last
/// node it is), in this order. `inputs` is data for each argument; the file's
/// wins over what is random there. `tensors` are the model's names. Both and
/// `file` outlive the result.
///
/// Failure has emitted a diagnostic: another shape or dtype than the model's
/// (floats may differ in width), or a file of which nothing matches.
mlir::FailureOr<MatchedTensors> matchTensors(
    mlir::func::FuncOp function, const std::vector<NamedTensor> &tensors,
    const std::vector<FunctionInput> &inputs, const WeightSource &file);

} // namespace minic

#endif // MINIC_COMPILER_COMPARE_MATCHTENSORS_H
