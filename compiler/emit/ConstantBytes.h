// SPDX-License-Identifier: Apache-2.0
//
// ConstantBytes: the bytes of a constant as they lie in memory.

#ifndef MINIC_COMPILER_EMIT_CONSTANTBYTES_H
#define MINIC_COMPILER_EMIT_CONSTANTBYTES_H

#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "mlir/IR/BuiltinTypes.h"

#include <vector>

namespace minic {

/// Dense row-major bytes of an attribute, i1 as one byte per element. Points
/// into the attribute where that has them, and owns them where it does not
/// (splats, packed bits).
class ConstantBytes {
public:
  /// Fails where `value` is of a kind that has no bytes.
  static mlir::FailureOr<ConstantBytes> get(mlir::ElementsAttr value);
  llvm::ArrayRef<char> bytes() const {
    return owned.empty() ? view : llvm::ArrayRef<char>(owned);
  }

private:
  llvm::ArrayRef<char> view;
  std::vector<char> owned;
};

/// Writes `value`, laid out as `type` says, to `destination`, which is zeroed
/// and holds kernel::getBytes(type) bytes.
mlir::LogicalResult writeConstant(mlir::RankedTensorType type,
                                  mlir::ElementsAttr value, void *destination);

} // namespace minic

#endif // MINIC_COMPILER_EMIT_CONSTANTBYTES_H
