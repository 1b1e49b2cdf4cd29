// SPDX-License-Identifier: Apache-2.0
//
// Access to single elements, and to lines of them.

#include "compiler/reference/Elements.h"

#include "compiler/reference/Tolerance.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace minic::reference {

int64_t linearize(ArrayRef<int64_t> index, ArrayRef<int64_t> shape) {
  int64_t linear = 0;
  for (auto [i, extent] : llvm::zip_equal(index, shape)) {
    linear = linear * extent + i;
  }
  return linear;
}

Index delinearize(int64_t linear, ArrayRef<int64_t> shape) {
  Index index(shape.size());
  for (size_t d = shape.size(); d-- > 0;) {
    index[d] = linear % shape[d];
    linear /= shape[d];
  }
  return index;
}

Element ScatteredReader::at(int64_t index) const {
  int64_t row = index / tensor_.length(), column = index % tensor_.length();
  Element element;
  tensor_.read(Channel::Value, row, column, 1, &element.value);
  if (!tensor_.isExact()) {
    tensor_.read(Channel::Error, row, column, 1, &element.error);
    tensor_.read(Channel::Spread, row, column, 1, &element.spread);
  }
  Bounded seen = asOperand(tensor_.dtype(), element.value, element.error);
  return {seen.value, seen.error, std::max(element.spread, seen.error)};
}

ElementWriter::ElementWriter(RowTensor &result)
    : result_(result), wanted_(rowCount(result.type())) {
  for (int64_t row : result.rows()) {
    wanted_.set(row);
  }
}

bool ElementWriter::wants(int64_t index) const {
  return wanted_[index / result_.length()];
}

void ElementWriter::put(int64_t index, const Element &element) {
  if (!wants(index)) {
    return;
  }
  int64_t row = index / result_.length(), column = index % result_.length();
  result_.data(Channel::Value, row)[column] = element.value;
  result_.data(Channel::Error, row)[column] = element.error;
  result_.data(Channel::Spread, row)[column] = element.spread;
}

void ElementWriter::putComputed(int64_t index, Meaning meaning) {
  if (isa<FloatType>(result_.dtype())) {
    meaning = storedFloat(meaning, result_.dtype());
  }
  double error = meaning.carried + meaning.rounding;
  put(index, {meaning.value, error, error * kRoundingSpread});
}

Lines::Lines(ArrayRef<int64_t> shape, int64_t axis)
    : outer(llvm::product_of(shape.take_front(axis))), extent(shape[axis]),
      inner(llvm::product_of(shape.drop_front(axis + 1))) {}

std::vector<Element> readLine(const ScatteredReader &from, const Lines &lines,
                              int64_t o, int64_t i) {
  std::vector<Element> line(lines.extent);
  for (int64_t j = 0; j < lines.extent; ++j) {
    line[j] = from.at(lines.at(o, j, i));
  }
  return line;
}

} // namespace minic::reference
