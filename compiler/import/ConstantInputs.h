// SPDX-License-Identifier: Apache-2.0
//
// ConstantInputs: inputs of a model that become constants (--constant-input),
// whatever format the model has.

#ifndef MINIC_COMPILER_IMPORT_CONSTANTINPUTS_H
#define MINIC_COMPILER_IMPORT_CONSTANTINPUTS_H

#include "runtime/measure/NpyFile.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"

#include <map>
#include <string>

namespace minic {

/// A .npy file by the name of an input.
using ConstantInputs = std::map<std::string, std::string>;

/// The elements for an input of `type`, or of another shape and dtype with a
/// diagnostic that names both.
mlir::FailureOr<runtime::NpyArray>
readConstantInput(llvm::StringRef name, llvm::StringRef file,
                  mlir::RankedTensorType type);

/// Replaces arguments that `inputs` names, in each function that has them. What
/// results update in place stays an input: that is an error, and so is a name
/// that no function has.
mlir::LogicalResult makeInputsConstant(mlir::ModuleOp module,
                                       const ConstantInputs &inputs);

} // namespace minic

#endif // MINIC_COMPILER_IMPORT_CONSTANTINPUTS_H
