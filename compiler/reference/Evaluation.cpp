// SPDX-License-Identifier: Apache-2.0
//
// Pointwise ops row by row, with broadcasting; other ops have their own files.

#include "compiler/reference/Evaluation.h"

#include "compiler/reference/Convolution.h"
#include "compiler/reference/LayoutOps.h"
#include "compiler/reference/OpRecord.h"
#include "compiler/reference/Reduction.h"
#include "compiler/reference/ScalarMeaning.h"
#include "compiler/reference/Softmax.h"
#include "compiler/reference/Tolerance.h"
#include "dialects/graph/Graph.h"

#include <cmath>

using namespace mlir;

namespace minic::reference {

namespace {

/// The row of an operand that a row of the result reads.
struct OperandRow {
  OperandRow(const RowTensor &tensor, RankedTensorType space)
      : tensor(tensor), index(broadcastRows(tensor.type(), space)) {}

  void moveTo(int64_t resultRow) {
    int64_t row = index(resultRow);
    if (row == current) {
      return;
    }
    current = row;
    values = tensor.readRow(Channel::Value, row);
    errors = tensor.readRow(Channel::Error, row);
    spreads = tensor.readRow(Channel::Spread, row);
  }
  int64_t at(int64_t column) const { return values.size() == 1 ? 0 : column; }

  const RowTensor &tensor;
  BroadcastIndex index;
  int64_t current = -1;
  std::vector<double> values, errors, spreads;
};

void evaluatePointwise(Operation *op, Lookup operand, RowTensor &result) {
  ScalarMeaning meaningOf = getScalarMeaning(op);
  SmallVector<OperandRow> operands;
  for (Value value : op->getOperands()) {
    operands.emplace_back(operand(value), result.type());
  }
  SmallVector<Bounded> scalars(operands.size());
  for (int64_t row : result.rows()) {
    for (OperandRow &from : operands) {
      from.moveTo(row);
    }
    double *values = result.data(Channel::Value, row);
    double *errors = result.data(Channel::Error, row);
    double *spreads = result.data(Channel::Spread, row);
    for (int64_t column = 0; column < result.length(); ++column) {
      double spreadPerError = 1;
      for (auto [scalar, from] : llvm::zip_equal(scalars, operands)) {
        int64_t at = from.at(column);
        scalar =
            asOperand(from.tensor.dtype(), from.values[at], from.errors[at]);
        if (scalar.error > 0 && scalar.error < kAnything) {
          spreadPerError =
              std::max(spreadPerError, from.spreads[at] / scalar.error);
        }
      }
      Meaning meaning = meaningOf(scalars.data());
      values[column] = meaning.value;
      errors[column] = meaning.carried + meaning.rounding;
      spreads[column] =
          meaning.carried * spreadPerError + meaning.rounding * kRoundingSpread;
    }
  }
}

} // namespace

bool isEvaluated(Operation *op) {
  return findRecord(op) ||
         isa<graph::LinearOp, graph::MatmulOp, graph::Conv2dOp, graph::ReduceOp,
             graph::SoftmaxOp, graph::ReshapeOp, graph::TransposeOp>(op) ||
         isa<graph::PointwiseOpInterface>(op);
}

RowTensor evaluateOp(Operation *op, Lookup operand, const llvm::BitVector &rows,
                     unsigned number) {
  RowTensor result = RowTensor::computed(
      cast<RankedTensorType>(op->getResult(number).getType()), rows);
  if (const OpRecord *record = findRecord(op)) {
    record->evaluate(op, number, operand, result);
  } else if (isa<graph::LinearOp, graph::MatmulOp>(op)) {
    evaluateContraction(op, operand, result);
  } else if (auto conv = dyn_cast<graph::Conv2dOp>(op)) {
    evaluateConvolution(conv, operand, result);
  } else if (auto reduce = dyn_cast<graph::ReduceOp>(op)) {
    evaluateReduce(reduce, operand, result);
  } else if (auto softmax = dyn_cast<graph::SoftmaxOp>(op)) {
    evaluateSoftmax(softmax, operand, result);
  } else if (auto reshape = dyn_cast<graph::ReshapeOp>(op)) {
    evaluateReshape(operand(reshape.getInput()), result);
  } else if (auto transpose = dyn_cast<graph::TransposeOp>(op)) {
    evaluateTranspose(operand(transpose.getInput()), transpose.getPermutation(),
                      result);
  } else {
    evaluatePointwise(op, operand, result);
  }
  result.settle();
  return result;
}

} // namespace minic::reference
