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
/// them where it does not (splats, packed bits, values that are moved).
class ConstantBytes {
public:
  /// Elements have their natural alignment: those of a resource that lie
  /// elsewhere, as in a mapped file, are copied. Fails where `value` holds no
  /// bytes: a resource that is not loaded or is cut off, a kind that is none of
  /// dense, a resource, or one of those moved (ConstantAttrs.td).
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

/// Bytes of a constant in the order of what it is the transpose of, so that
/// none are moved: aligned to nothing.
struct StridedBytes {
  ConstantBytes source;
  /// From an element to the next along each dimension, in elements.
  llvm::SmallVector<int64_t> strides;

  /// Fails as ConstantBytes does.
  static mlir::FailureOr<StridedBytes> get(mlir::ElementsAttr value);
};

/// Distances between the elements of a dense row-major tensor.
llvm::SmallVector<int64_t> denseStrides(llvm::ArrayRef<int64_t> shape);

/// Whether ConstantBytes::get succeeds, without moving anything.
bool hasBytes(mlir::ElementsAttr value);

} // namespace minic::graph

#endif // MINIC_DIALECTS_GRAPH_CONSTANTBYTES_H
