// SPDX-License-Identifier: Apache-2.0
//
// ElementReader: single elements of a tensor, quick where neighbours follow
// each other.

#ifndef MINIC_COMPILER_REFERENCE_ELEMENTREADER_H
#define MINIC_COMPILER_REFERENCE_ELEMENTREADER_H

#include "compiler/reference/RowTensor.h"
#include "compiler/reference/ScalarMeaning.h"

namespace minic::reference {

class ElementReader {
public:
  struct Element : Bounded {
    double spread = 0;
  };

  explicit ElementReader(const RowTensor &tensor) : tensor_(tensor) {}

  /// The element at row-major `offset`; its row must be there.
  Element at(int64_t offset) {
    int64_t row = offset / tensor_.length(), column = offset % tensor_.length();
    if (row != row_) {
      row_ = row;
      values_ = tensor_.readRow(Channel::Value, row);
      errors_ = tensor_.readRow(Channel::Error, row);
      spreads_ = tensor_.readRow(Channel::Spread, row);
    }
    return {asOperand(tensor_.dtype(), values_[column], errors_[column]),
            spreads_[column]};
  }

private:
  const RowTensor &tensor_;
  int64_t row_ = -1;
  std::vector<double> values_, errors_, spreads_;
};

} // namespace minic::reference

#endif // MINIC_COMPILER_REFERENCE_ELEMENTREADER_H
