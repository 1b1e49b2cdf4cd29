// SPDX-License-Identifier: Apache-2.0
//
// Estimates what an evaluation costs and chooses rows that fit a budget.

#include "compiler/reference/Demand.h"
#include "compiler/reference/OpRecord.h"
#include "compiler/reference/RowTensor.h"
#include "dialects/graph/Graph.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace mlir;

namespace minic::reference {

namespace {

// Measured on one Zen 4 core; rough, for a budget.
constexpr double kSecondsPerProduct = 1.0 / 6e9; // multiply, both sums
constexpr double kSecondsPerPacked = 2e-9;       // element of a packed operand
constexpr double kSecondsPerRun = 10e-9;         // start of a run of elements
constexpr double kSecondsPerExact = 30e-9;       // element of a pointwise op
constexpr double kSecondsPerBounded = 120e-9;    // the same with operand errors

/// True for values that are computed by rounding ops, so that contractions of
/// them take further products for their errors.
bool hasErrors(const Trace &trace, Value value) {
  Operation *op = trace.resolve(value).getDefiningOp();
  if (!op || isa<graph::ConstantOp>(op)) {
    return false;
  }
  if (isa<graph::ReshapeOp, graph::TransposeOp>(op)) {
    return hasErrors(trace, op->getOperand(0));
  }
  return true;
}

/// The cost of `rows` of the result: products, and reading the pixels' taps.
double estimateConvolution(graph::Conv2dOp conv, double rows) {
  graph::Conv2dGeometry g = conv.getGeometry();
  bool isNhwc = g.layout == graph::ImageLayout::NHWC;
  double pixels =
      isNhwc ? rows
             : std::min(rows, double(g.batch * g.outputHeight)) * g.outputWidth;
  double taps = double(g.inputChannels) * g.filterHeight * g.filterWidth;
  double elements = rows * (isNhwc ? g.outputChannels : g.outputWidth);
  // A group is at least the kernel's columns wide.
  double waste = isNhwc ? std::max(1.0, 8.0 / g.outputChannelsPerGroup()) : 1;
  double run = isNhwc ? g.inputChannelsPerGroup() : 1;
  return elements * g.reductionLength() * waste * kSecondsPerProduct +
         pixels * taps * (kSecondsPerPacked + kSecondsPerRun / run);
}

double estimate(const Trace &trace, ArrayRef<RowDemand> rows, bool isExact) {
  Demand demand = computeDemand(trace, rows);
  double seconds = 0;
  for (Operation *op : trace.ops) {
    double elements = 0;
    for (Value result : op->getResults()) {
      if (auto it = demand.find(result); it != demand.end()) {
        elements += double(it->second.count()) * rowLength(tensorType(result));
      }
    }
    if (elements == 0 || isa<graph::ConstantOp>(op)) {
      continue;
    }
    bool isBounded =
        !isExact && llvm::any_of(op->getOperands(), [&](Value operand) {
          return hasErrors(trace, operand);
        });
    if (const OpRecord *record = findRecord(op)) {
      seconds += elements * (record->cost ? record->cost(op) : 1) *
                 (isBounded ? kSecondsPerBounded : kSecondsPerExact);
    } else if (isa<graph::LinearOp, graph::MatmulOp>(op)) {
      auto matmul = dyn_cast<graph::MatmulOp>(op);
      auto lhs = tensorType(op->getOperand(0));
      double k = matmul && matmul.getTransposeLhs() ? lhs.getShape().end()[-2]
                                                    : lhs.getShape().back();
      double products = isBounded ? 3 : 1;
      double rhs = tensorType(op->getOperand(1)).getNumElements();
      seconds += products * (elements * k * kSecondsPerProduct +
                             rhs * kSecondsPerPacked) +
                 elements * kSecondsPerExact;
    } else if (auto conv = dyn_cast<graph::Conv2dOp>(op)) {
      double products = isBounded ? 3 : 1;
      seconds += products * estimateConvolution(
                                conv, demand.find(conv)->second.count()) +
                 elements * kSecondsPerExact;
    } else {
      if (auto fusible = dyn_cast<graph::FusibleOpInterface>(op)) {
        elements *= double(fusible.getIterationSpace().pointCount()) /
                    tensorType(op->getResult(0)).getNumElements();
      }
      seconds += elements * (isBounded ? kSecondsPerBounded : kSecondsPerExact);
    }
  }
  return seconds;
}

/// SplitMix64: a well-mixed hash of `x`.
uint64_t mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

/// All rows of a result with `count` rows, the most telling first.
std::vector<int64_t> rowsByImportance(int64_t count, const RowBudget &budget) {
  std::vector<int64_t> order;
  llvm::BitVector taken(count);
  auto take = [&](int64_t row) {
    if (row >= 0 && row < count && !taken[row]) {
      taken.set(row);
      order.push_back(row);
    }
  };
  take(0);
  take(count - 1);
  for (int64_t tile : budget.tileRows) {
    int64_t last = (count - 1) / tile * tile;
    take(tile - 1);
    take(tile);
    take(last - 1);
    take(last);
  }
  size_t edges = order.size();
  for (int64_t row = 0; row < count; ++row) {
    take(row);
  }
  std::sort(order.begin() + edges, order.end(), [&](int64_t a, int64_t b) {
    return mix(budget.seed ^ mix(a)) < mix(budget.seed ^ mix(b));
  });
  return order;
}

} // namespace

double estimateSeconds(Block &body, ArrayRef<RowDemand> rows, bool isExact) {
  FailureOr<Trace> trace = Trace::get(body);
  return failed(trace) ? 0 : estimate(*trace, rows, isExact);
}

std::vector<RowDemand> chooseRows(Block &body, const RowBudget &budget) {
  FailureOr<Trace> trace = Trace::get(body);
  if (failed(trace)) {
    return {};
  }
  if (estimate(*trace, {}, budget.isExact) <= budget.seconds) {
    return std::vector<RowDemand>(trace->results.size());
  }
  std::vector<std::vector<int64_t>> orders;
  int64_t most = 0;
  for (Value result : trace->results) {
    orders.push_back(rowsByImportance(rowCount(tensorType(result)), budget));
    most = std::max<int64_t>(most, orders.back().size());
  }
  auto firstOf = [&](int64_t count) {
    std::vector<RowDemand> demands;
    for (const std::vector<int64_t> &order : orders) {
      RowDemand &demand = demands.emplace_back();
      demand.all = int64_t(order.size()) <= count;
      if (!demand.all) {
        demand.rows.assign(order.begin(), order.begin() + count);
        llvm::sort(demand.rows);
      }
    }
    return demands;
  };
  // The largest count that fits, at least first and last.
  int64_t fits = 2, tooMany = most;
  while (fits + 1 < tooMany) {
    int64_t middle = fits + (tooMany - fits) / 2;
    (estimate(*trace, firstOf(middle), budget.isExact) <= budget.seconds
         ? fits
         : tooMany) = middle;
  }
  return firstOf(fits);
}

} // namespace minic::reference
