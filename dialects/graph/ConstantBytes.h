// SPDX-License-Identifier: Apache-2.0
//
// ConstantBytes: the bytes of a constant as they lie in memory.

#ifndef MINIC_DIALECTS_GRAPH_CONSTANTBYTES_H
#define MINIC_DIALECTS_GRAPH_CONSTANTBYTES_H

#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "mlir/Support/LLVM.h"

#include <vector>

namespace minic::graph {

/// Dense row-major bytes of an attribute, i1 as one byte per element. Points
/// into the attribute, which has to live as long, where that has them, and owns
/// them where it does not (splats, packed bits).
class ConstantBytes {
public:
  /// Elements have their natural alignment: those of a resource that lie
  /// elsewhere, as in a mapped file, are copied. Fails where `value` holds no
  /// bytes: a resource that is not loaded or is cut off, a kind that is neither
  /// dense nor a resource.
  static mlir::FailureOr<ConstantBytes> get(mlir::ElementsAttr value);
  /// The same where they lie, aligned to nothing.
  static mlir::FailureOr<ConstantBytes> getUnaligned(mlir::ElementsAttr value);
  llvm::ArrayRef<char> bytes() const {
    return owned.empty() ? view : llvm::ArrayRef<char>(owned);
  }

private:
  llvm::ArrayRef<char> view;
  std::vector<char> owned;
};

} // namespace minic::graph

#endif // MINIC_DIALECTS_GRAPH_CONSTANTBYTES_H
