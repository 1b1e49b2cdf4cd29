// SPDX-License-Identifier: Apache-2.0
//
// ElementView: which element of a tensor loops see, as an index per dimension.

#ifndef MINIC_COMPILER_TARGET_CODEGEN_ELEMENTVIEW_H
#define MINIC_COMPILER_TARGET_CODEGEN_ELEMENTVIEW_H

#include "mlir/Support/LLVM.h"

#include <compare>
#include <vector>

namespace minic {

/// `start` and for each term a step times the index of a loop.
struct ElementIndex {
  struct Term {
    int64_t loop, step;
    auto operator<=>(const Term &) const = default;
  };
  int64_t start = 0;
  std::vector<Term> terms = {};

  auto operator<=>(const ElementIndex &) const = default;

  /// This one of every `step`-th from `begin` on.
  ElementIndex strided(int64_t begin, int64_t step) const;
};

/// A value read as if it had been reshaped to `shape`.
struct ElementView {
  std::vector<int64_t> shape;
  std::vector<ElementIndex> dims = std::vector<ElementIndex>(shape.size());

  auto operator<=>(const ElementView &) const = default;

  /// The same view with other dimensions of extent 1; failure if more differs.
  mlir::FailureOr<ElementView> withShape(llvm::ArrayRef<int64_t> target) const;

  /// How an operand of shape `operand` that broadcasts to this view's is seen.
  ElementView broadcast(llvm::ArrayRef<int64_t> operand) const;
};

} // namespace minic

#endif // MINIC_COMPILER_TARGET_CODEGEN_ELEMENTVIEW_H
