// SPDX-License-Identifier: Apache-2.0
//
// CompareTensors: tensors that a model computed somewhere, each against the
// float64 reference, by the error that arose at it and by the error it carries.

#ifndef MINIC_COMPILER_COMPARE_COMPARETENSORS_H
#define MINIC_COMPILER_COMPARE_COMPARETENSORS_H

#include "runtime/base/Tensor.h"
#include "runtime/measure/ExpectedOutputs.h"
#include "runtime/measure/RootMeanSquare.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>
#include <string>
#include <vector>

namespace minic {

/// What somebody says that a value of a function is.
struct GivenTensor {
  mlir::Value value;
  /// Of `data`; differs from the value's own only among floats.
  runtime::DType dtype;
  /// Dense row-major bytes; not owned.
  const void *data;
  /// Otherwise it is only what others are computed from.
  bool isCompared = true;
  /// Of what was float64: as many float32, what rounding took off. Null for
  /// others; not owned.
  const void *rest = nullptr;
};

struct CompareOptions {
  /// Roughly how long to evaluate, in seconds of one core, and again for
  /// carried errors; where all rows would take longer, chosen ones are
  /// evaluated.
  double budgetSeconds = 60;
};

/// Of one compared tensor.
struct TensorDifference {
  /// Its number among the given ones.
  size_t given = 0;
  /// Of the error that arose at it: against the reference on the given tensors
  /// before it, with the bound of one computation in its dtype.
  runtime::Comparison own;
  runtime::RootMeanSquare ownRms;
  /// Against the reference on the inputs, as a part of its root mean square:
  /// own errors and those that it carries from tensors before it. Nothing where
  /// that would take too long.
  std::optional<double> totalRms;
  int64_t rows = 0, allRows = 0;
  /// What it was computed from: numbers of given tensors.
  std::vector<size_t> from;
  /// Names of the nodes in between, its own last.
  std::vector<std::string> nodes;
};

/// Compares `given` tensors of `function`, whose arguments are all among them,
/// in the order in which the function computes them. Failure has emitted a
/// diagnostic.
mlir::FailureOr<std::vector<TensorDifference>>
compareTensors(mlir::func::FuncOp function,
               const std::vector<GivenTensor> &given,
               const CompareOptions &options);

} // namespace minic

#endif // MINIC_COMPILER_COMPARE_COMPARETENSORS_H
