// SPDX-License-Identifier: Apache-2.0
//
// FunctionInputs: names of what a function takes and returns, and data to call
// it with, from files or made up.

#ifndef MINIC_COMPILER_IMPORT_FUNCTIONINPUTS_H
#define MINIC_COMPILER_IMPORT_FUNCTIONINPUTS_H

#include "runtime/base/AlignedBuffer.h"
#include "runtime/base/Tensor.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <map>
#include <string>
#include <vector>

namespace minic {

/// `graph.name` of an argument or result, else "arg0" or "result0": what the
/// plan calls it.
std::string argumentName(mlir::func::FuncOp function, unsigned index);
std::string resultName(mlir::func::FuncOp function, unsigned index);

/// Data for one argument.
struct FunctionInput {
  std::string name;
  runtime::DType dtype;
  std::vector<int64_t> dims;
  runtime::AlignedBuffer data;
  /// Nobody gave it: as fillRandom makes it from the seed and the name.
  bool isRandom = false;
};

/// One for each argument: from the .npy file that `files` has under its name,
/// else random. Failure has emitted a diagnostic: a file of another shape or
/// dtype, a file for no argument, a dynamic shape.
mlir::FailureOr<std::vector<FunctionInput>>
readInputs(mlir::func::FuncOp function,
           const std::map<std::string, std::string> &files, uint64_t seed);

} // namespace minic

#endif // MINIC_COMPILER_IMPORT_FUNCTIONINPUTS_H
