// SPDX-License-Identifier: Apache-2.0
//
// Indices stay sums of loops through slices and broadcasts.

#include "compiler/target/codegen/ElementView.h"

using namespace mlir;

namespace minic {

ElementIndex ElementIndex::strided(int64_t begin, int64_t step) const {
  ElementIndex made = *this;
  made.start = begin + step * start;
  for (Term &term : made.terms) {
    term.step *= step;
  }
  return made;
}

FailureOr<ElementView> ElementView::withShape(ArrayRef<int64_t> target) const {
  ElementView result{target.vec()};
  size_t from = 0;
  for (size_t d = 0; d != target.size(); ++d) {
    if (target[d] == 1) {
      continue;
    }
    while (from != shape.size() && shape[from] == 1) {
      ++from;
    }
    if (from == shape.size() || shape[from] != target[d]) {
      return failure();
    }
    result.dims[d] = dims[from++];
  }
  for (; from != shape.size(); ++from) {
    if (shape[from] != 1) {
      return failure();
    }
  }
  return result;
}

ElementView ElementView::broadcast(ArrayRef<int64_t> operand) const {
  ElementView view{operand.vec()};
  size_t skipped = shape.size() - operand.size();
  for (size_t d = 0; d != operand.size(); ++d) {
    if (operand[d] != 1) {
      view.dims[d] = dims[skipped + d];
    }
  }
  return view;
}

} // namespace minic
