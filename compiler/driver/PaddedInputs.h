// SPDX-License-Identifier: Apache-2.0
//
// PaddedInputs: data for a model of some size, and the same data as a padded
// run has them in a larger one.

#ifndef MINIC_COMPILER_DRIVER_PADDEDINPUTS_H
#define MINIC_COMPILER_DRIVER_PADDEDINPUTS_H

#include "compiler/import/FunctionInputs.h"

namespace minic {

/// What inputs with a fill hold in the rows of the run.
enum class MaskData {
  /// What is no fill: 1 where that is 0, else 0.
  Ones,
  /// That or the fill by chance, with the first element of each row no fill.
  Random
};

/// Data for `function`, made for a smaller size than `bucket`: random, as
/// readInputs makes them from `seed`, but for inputs that `bucket` fills and
/// that hold no indices: `masks` says what these hold. Along `dim` their first
/// element is never masked. Failure has emitted a diagnostic.
mlir::FailureOr<std::vector<FunctionInput>>
makeInputs(mlir::func::FuncOp function, mlir::func::FuncOp bucket,
           llvm::StringRef dim, MaskData masks, uint64_t seed);

/// `inputs` in tensors of the sizes of `bucket`, with graph.fill or zeros
/// behind them. Failure has emitted a diagnostic.
mlir::FailureOr<std::vector<FunctionInput>>
padInputs(llvm::ArrayRef<FunctionInput> inputs, mlir::func::FuncOp bucket);

/// The number of the row of `dims` that is row `row` of `smaller`, which has
/// the same rank and no larger dimension. Rows as in ExpectedOutput.
int64_t rowIn(llvm::ArrayRef<int64_t> dims, llvm::ArrayRef<int64_t> smaller,
              int64_t row);

} // namespace minic

#endif // MINIC_COMPILER_DRIVER_PADDEDINPUTS_H
