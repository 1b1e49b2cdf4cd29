// SPDX-License-Identifier: Apache-2.0
//
// Moves elements with their errors.

#include "compiler/reference/LayoutOps.h"

#include <algorithm>

using namespace mlir;

namespace minic::reference {

static SmallVector<Channel> channelsOf(const RowTensor &input) {
  if (input.isExact()) {
    return {Channel::Value};
  }
  return {Channel::Value, Channel::Error, Channel::Spread};
}

void evaluateReshape(const RowTensor &input, RowTensor &result) {
  int64_t length = result.length();
  for (Channel channel : channelsOf(input)) {
    for (int64_t row : result.rows()) {
      double *out = result.data(channel, row);
      for (int64_t done = 0; done < length;) {
        int64_t element = row * length + done;
        int64_t column = element % input.length();
        int64_t count = std::min(length - done, input.length() - column);
        input.read(channel, element / input.length(), column, count,
                   out + done);
        done += count;
      }
    }
  }
}

void evaluateTranspose(const RowTensor &input, ArrayRef<int64_t> permutation,
                       RowTensor &result) {
  int64_t rank = permutation.size();
  SmallVector<int64_t> inputStrides(rank, 1);
  for (int64_t dim = rank - 1; dim-- > 0;) {
    inputStrides[dim] =
        inputStrides[dim + 1] * input.type().getDimSize(dim + 1);
  }
  // The first input element of a result row, and the step along it.
  auto firstOf = [&](int64_t row) {
    int64_t first = 0;
    for (int64_t dim = rank - 1; dim-- > 0;) {
      int64_t extent = result.type().getDimSize(dim);
      first += row % extent * inputStrides[permutation[dim]];
      row /= extent;
    }
    return first;
  };
  int64_t step = rank == 0 ? 1 : inputStrides[permutation.back()];
  for (Channel channel : channelsOf(input)) {
    std::vector<double> whole;
    if (step != 1) {
      int64_t rows = rowCount(input.type());
      whole.resize(rows * input.length());
      for (int64_t row = 0; row < rows; ++row) {
        input.read(channel, row, 0, input.length(),
                   whole.data() + row * input.length());
      }
    }
    for (int64_t row : result.rows()) {
      int64_t first = firstOf(row);
      double *out = result.data(channel, row);
      if (step == 1 && result.length() > 0) {
        input.read(channel, first / input.length(), first % input.length(),
                   result.length(), out);
        continue;
      }
      for (int64_t i = 0; i < result.length(); ++i) {
        out[i] = whole[first + i * step];
      }
    }
  }
}

} // namespace minic::reference
