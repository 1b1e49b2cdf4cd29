// SPDX-License-Identifier: Apache-2.0
//
// roundWeights: the bytes of floats in a narrower dtype.

#ifndef MINIC_COMPILER_IMPORT_ROUNDWEIGHTS_H
#define MINIC_COMPILER_IMPORT_ROUNDWEIGHTS_H

#include "mlir/IR/AsmState.h"
#include "mlir/IR/Types.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <optional>

namespace minic {

/// Whether roundWeights takes floats of `dtype` ("F64", "F32") to `element`, a
/// narrower float.
bool canRoundWeights(llvm::StringRef dtype, mlir::Type element);

/// `data`, floats of `dtype`, each rounded once to the nearest `element`, ties
/// to even. Nothing where a finite one is beyond the greatest of them.
std::optional<mlir::AsmResourceBlob> roundWeights(llvm::ArrayRef<char> data,
                                                  llvm::StringRef dtype,
                                                  mlir::Type element);

} // namespace minic

#endif // MINIC_COMPILER_IMPORT_ROUNDWEIGHTS_H
