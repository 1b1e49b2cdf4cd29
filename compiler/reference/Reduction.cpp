// SPDX-License-Identifier: Apache-2.0
//
// Which elements a reduction puts together.

#include "compiler/reference/Reduction.h"

#include "compiler/reference/Accumulator.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace minic::reference {
namespace {

/// Which elements a reduction puts together, as row-major offsets.
struct ReducedOffsets {
  explicit ReducedOffsets(graph::ReduceOp op) {
    ArrayRef<int64_t> shape = op.getInput().getType().getShape();
    resultShape = op.getType().getShape();
    SmallVector<int64_t> inputStrides(shape.size());
    int64_t stride = 1;
    for (size_t dim = shape.size(); dim-- > 0; stride *= shape[dim]) {
      inputStrides[dim] = stride;
    }
    for (auto [dim, extent] : llvm::enumerate(shape)) {
      if (!llvm::is_contained(op.getAxes(), int64_t(dim))) {
        strides.push_back(inputStrides[dim]);
        continue;
      }
      if (op.getKeepDims()) {
        strides.push_back(0);
      }
      std::vector<int64_t> longer;
      for (int64_t offset : reduced) {
        for (int64_t i = 0; i < extent; ++i) {
          longer.push_back(offset + i * inputStrides[dim]);
        }
      }
      reduced = std::move(longer);
    }
    keepsLast = op.getAxes().back() + 1 != int64_t(shape.size());
  }

  /// The first element that the first element of result row `row` reads.
  int64_t firstOf(int64_t row) const {
    int64_t offset = 0;
    for (size_t dim = strides.size(); dim-- > 0;) {
      if (dim + 1 == strides.size()) {
        continue; // along the row
      }
      offset += row % resultShape[dim] * strides[dim];
      row /= resultShape[dim];
    }
    return offset;
  }
  int64_t step() const { return strides.empty() ? 0 : strides.back(); }

  ArrayRef<int64_t> resultShape;
  SmallVector<int64_t> strides; // of the result's dimensions in the input
  std::vector<int64_t> reduced{0};
  bool keepsLast; // a result row's neighbours are neighbours in the input
};

} // namespace

void demandOfInput(graph::ReduceOp op, const llvm::BitVector &rows,
                   llvm::BitVector &needed) {
  ReducedOffsets offsets(op);
  int64_t inputLength = rowLength(op.getInput().getType());
  int64_t columns = offsets.keepsLast ? 1 : rowLength(op.getType());
  for (unsigned row : rows.set_bits()) {
    for (int64_t column = 0; column < columns; ++column) {
      int64_t first = offsets.firstOf(row) + column * offsets.step();
      // Of the last dimension one element is enough.
      size_t stride = offsets.keepsLast ? 1 : inputLength;
      for (size_t i = 0; i < offsets.reduced.size(); i += stride) {
        needed.set((first + offsets.reduced[i]) / inputLength);
      }
    }
  }
}

void evaluateReduce(graph::ReduceOp op, Lookup operand, RowTensor &result) {
  ReducedOffsets offsets(op);
  ElementReader input(operand(op.getInput()));
  for (int64_t row : result.rows()) {
    int64_t first = offsets.firstOf(row);
    std::vector<Accumulator> elements(
        result.length(), Accumulator(isa<FloatType>(result.dtype())));
    auto add = [&](int64_t column, int64_t offset) {
      elements[column].add(input.at(first + column * offsets.step() + offset));
    };
    // Rows of the input one after the other.
    if (offsets.keepsLast) {
      for (int64_t offset : offsets.reduced) {
        for (int64_t column = 0; column < result.length(); ++column) {
          add(column, offset);
        }
      }
    } else {
      for (int64_t column = 0; column < result.length(); ++column) {
        for (int64_t offset : offsets.reduced) {
          add(column, offset);
        }
      }
    }
    for (int64_t column = 0; column < result.length(); ++column) {
      auto [meaning, spread] =
          elements[column].finish(op.getKind(), result.dtype());
      result.data(Channel::Value, row)[column] = meaning.value;
      result.data(Channel::Error, row)[column] =
          meaning.carried + meaning.rounding;
      result.data(Channel::Spread, row)[column] = spread;
    }
  }
}

} // namespace minic::reference
