// SPDX-License-Identifier: Apache-2.0
//
// How each op maps demanded rows of its result to rows of its operands.

#include "compiler/reference/Demand.h"

#include "compiler/reference/Convolution.h"
#include "compiler/reference/OpRecord.h"
#include "compiler/reference/Reduction.h"
#include "compiler/reference/RowTensor.h"
#include "compiler/reference/Softmax.h"
#include "dialects/graph/Graph.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace minic::reference {

namespace {

class Propagation {
public:
  Propagation(const Trace &trace, Demand &demand)
      : trace_(trace), demand_(demand) {}

  void visit(Operation *op) {
    const OpRecord *record = findRecord(op);
    for (OpResult result : op->getResults()) {
      auto it = demand_.find(result);
      if (!record || it == demand_.end()) {
        continue;
      }
      llvm::BitVector rows = it->second; // growing the map moves entries
      auto needed = [&](unsigned i) -> llvm::BitVector & {
        return rowsOf(op->getOperand(i));
      };
      if (record->demand) {
        record->demand(op, result.getResultNumber(), rows, needed);
        continue;
      }
      for (unsigned i = 0; i < op->getNumOperands(); ++i) {
        needed(i).set();
      }
    }
    if (!record) {
      visitOther(op);
    }
  }

  void visitOther(Operation *op) {
    auto it = demand_.find(op->getResult(0));
    if (it == demand_.end()) {
      return;
    }
    llvm::BitVector rows = it->second; // growing the map moves entries
    llvm::TypeSwitch<Operation *>(op)
        .Case([&](graph::ConstantOp) {})
        .Case([&](graph::LinearOp linear) {
          rowsOf(linear.getInput()) |= rows;
          rowsOf(linear.getWeight()).set();
          if (linear.getBias()) {
            rowsOf(linear.getBias()).set();
          }
        })
        .Case([&](graph::MatmulOp matmul) { visitMatmul(matmul, rows); })
        .Case([&](graph::Conv2dOp conv) {
          demandOfInput(conv, rows, rowsOf(conv.getInput()));
          rowsOf(conv.getFilter()).set();
          if (conv.getBias()) {
            rowsOf(conv.getBias()).set();
          }
        })
        .Case<graph::ReduceOp, graph::SoftmaxOp>([&](auto reduction) {
          demandOfInput(reduction, rows, rowsOf(reduction.getInput()));
        })
        .Case([&](graph::ReshapeOp reshape) { visitReshape(reshape, rows); })
        .Case([&](graph::TransposeOp transpose) {
          visitTranspose(transpose, rows);
        })
        .Default([&](Operation *) {
          auto space = tensorType(op->getResult(0));
          for (Value operand : op->getOperands()) {
            BroadcastIndex index = broadcastRows(tensorType(operand), space);
            llvm::BitVector &needed = rowsOf(operand);
            for (unsigned row : rows.set_bits()) {
              needed.set(index(row));
            }
          }
        });
  }

  llvm::BitVector &rowsOf(Value value) {
    value = trace_.resolve(value);
    return demand_.try_emplace(value, rowCount(tensorType(value)))
        .first->second;
  }

private:
  void visitMatmul(graph::MatmulOp op, const llvm::BitVector &rows) {
    auto space = tensorType(op.getResult());
    int64_t m = space.getShape().end()[-2];
    auto batch = [](RankedTensorType type) {
      return type.getShape().drop_back(2);
    };
    for (bool isLhs : {true, false}) {
      Value operand = isLhs ? op.getLhs() : op.getRhs();
      auto type = tensorType(operand);
      int64_t height = type.getShape().end()[-2];
      BroadcastIndex index(batch(type), batch(space));
      llvm::BitVector &needed = rowsOf(operand);
      for (unsigned row : rows.set_bits()) {
        int64_t first = index(row / m) * height;
        if (isLhs && !op.getTransposeLhs()) {
          needed.set(first + row % m);
        } else {
          needed.set(first, first + height);
        }
      }
    }
  }

  void visitReshape(graph::ReshapeOp op, const llvm::BitVector &rows) {
    int64_t length = rowLength(tensorType(op.getResult()));
    int64_t inputLength = rowLength(tensorType(op.getInput()));
    if (length == 0) {
      return;
    }
    llvm::BitVector &needed = rowsOf(op.getInput());
    for (unsigned row : rows.set_bits()) {
      int64_t first = row * length, last = first + length - 1;
      needed.set(first / inputLength, last / inputLength + 1);
    }
  }

  void visitTranspose(graph::TransposeOp op, const llvm::BitVector &rows) {
    ArrayRef<int64_t> permutation = op.getPermutation();
    auto input = tensorType(op.getInput());
    int64_t rank = input.getRank();
    if (rank == 0 || permutation.back() != rank - 1) {
      rowsOf(op.getInput()).set();
      return;
    }
    auto result = tensorType(op.getResult());
    llvm::BitVector &needed = rowsOf(op.getInput());
    for (unsigned row : rows.set_bits()) {
      SmallVector<int64_t> index(rank, 0);
      int64_t rest = row;
      for (int64_t dim = rank - 1; dim-- > 0;) {
        index[permutation[dim]] = rest % result.getDimSize(dim);
        rest /= result.getDimSize(dim);
      }
      int64_t inputRow = 0;
      for (int64_t dim = 0; dim < rank - 1; ++dim) {
        inputRow = inputRow * input.getDimSize(dim) + index[dim];
      }
      needed.set(inputRow);
    }
  }

  const Trace &trace_;
  Demand &demand_;
};

} // namespace

Demand computeDemand(const Trace &trace, ArrayRef<RowDemand> rows) {
  Demand demand;
  Propagation propagation(trace, demand);
  for (auto [i, result] : llvm::enumerate(trace.results)) {
    llvm::BitVector &needed = propagation.rowsOf(result);
    if (rows.empty() || rows[i].all) {
      needed.set();
      continue;
    }
    for (int64_t row : rows[i].rows) {
      needed.set(row);
    }
  }
  for (Operation *op : llvm::reverse(trace.ops)) {
    propagation.visit(op);
  }
  return demand;
}

} // namespace minic::reference
