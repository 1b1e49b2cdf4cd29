// SPDX-License-Identifier: Apache-2.0
//
// Cuts the function at each given tensor and evaluates the pieces. Bounds of a
// whole model grow with its depth until they say nothing; those of a piece do
// not, and what was wrong before it has no part in it.

#include "compiler/compare/CompareTensors.h"

#include "compiler/compare/ConvertFloats.h"
#include "compiler/compare/Segment.h"
#include "compiler/import/NamedTensors.h"
#include "compiler/reference/Evaluator.h"
#include "dialects/graph/Graph.h"
#include "dialects/plan/DTypes.h"

#include "llvm/ADT/STLExtras.h"

#include <deque>

using namespace mlir;

namespace minic {

using runtime::DType;

static DType declaredDType(Value value) {
  return *plan::toDType(
      cast<RankedTensorType>(value.getType()).getElementType());
}

namespace {

class Comparer {
public:
  Comparer(func::FuncOp function, const std::vector<GivenTensor> &given)
      : body(function.getBody().front()), given(given) {
    for (auto [i, tensor] : llvm::enumerate(given)) {
      if (numbers.try_emplace(tensor.value, i).second) {
        values.insert(tensor.value);
      }
    }
  }

  FailureOr<TensorDifference> compareOwn(size_t number, double seconds,
                                         double &spent);
  LogicalResult addTotals(std::vector<TensorDifference> &differences,
                          double seconds);

private:
  /// The inputs of `segment`, in the dtypes of its arguments.
  reference::Inputs inputsOf(const Segment &segment,
                             std::deque<std::vector<char>> &storage) const;
  Type computedIn(size_t number, const Segment &segment) const;
  void addRests(Segment &segment, reference::Inputs &inputs) const;

  Block &body;
  const std::vector<GivenTensor> &given;
  /// The first given tensor of a value.
  llvm::DenseMap<Value, size_t> numbers;
  llvm::DenseSet<Value> values;
};

} // namespace

reference::Inputs
Comparer::inputsOf(const Segment &segment,
                   std::deque<std::vector<char>> &storage) const {
  reference::Inputs inputs;
  for (auto [value, argument] :
       llvm::zip_equal(segment.inputs, segment.body->getArguments())) {
    const GivenTensor &tensor = given[numbers.lookup(value)];
    const void *data = tensor.data;
    DType dtype = declaredDType(argument);
    if (dtype != tensor.dtype) {
      int64_t count = cast<RankedTensorType>(value.getType()).getNumElements();
      data = storage
                 .emplace_back(
                     convertFloats(tensor.data, tensor.dtype, count, dtype))
                 .data();
    }
    inputs.arguments.push_back(data);
  }
  return inputs;
}

/// What was float64 comes as a sum of two float32, which is stored in float32:
/// so the expected values are of the float64, and bounds know of its rounding.
void Comparer::addRests(Segment &segment, reference::Inputs &inputs) const {
  OpBuilder builder = OpBuilder::atBlockBegin(segment.body);
  for (auto [i, value] : llvm::enumerate(segment.inputs)) {
    const GivenTensor &tensor = given[numbers.lookup(value)];
    BlockArgument argument = segment.body->getArgument(unsigned(i));
    if (!tensor.rest || declaredDType(argument) != DType::f32) {
      continue;
    }
    Value rest =
        segment.body->addArgument(argument.getType(), argument.getLoc());
    auto sum = graph::AddOp::create(builder, argument.getLoc(), argument, rest);
    argument.replaceAllUsesExcept(sum, sum);
    inputs.arguments.push_back(tensor.rest);
  }
}

/// The dtype that a given tensor was computed in where that is not what the
/// model says: its own, or, of integers, that of what it was computed from.
Type Comparer::computedIn(size_t number, const Segment &segment) const {
  auto otherDType = [&](const GivenTensor &tensor) {
    return tensor.dtype == declaredDType(tensor.value)
               ? Type()
               : plan::fromDType(tensor.dtype, tensor.value.getContext());
  };
  if (isFloat(given[number].dtype)) {
    return otherDType(given[number]);
  }
  for (Value input : segment.inputs) {
    if (Type type = otherDType(given[numbers.lookup(input)])) {
      return type;
    }
  }
  return {};
}

FailureOr<TensorDifference> Comparer::compareOwn(size_t number, double seconds,
                                                 double &spent) {
  const GivenTensor &tensor = given[number];
  llvm::DenseSet<Value> before = values;
  before.erase(tensor.value);
  Segment segment = extractSegment(body, tensor.value, before);
  if (Type type = computedIn(number, segment)) {
    segment = extractSegment(body, tensor.value, before, type);
  }
  TensorDifference difference;
  difference.given = number;
  for (Value input : segment.inputs) {
    difference.from.push_back(numbers.lookup(input));
  }
  for (Location location : segment.locations) {
    for (std::string &name : namesIn(location)) {
      if (!llvm::is_contained(difference.nodes, name)) {
        difference.nodes.push_back(std::move(name));
      }
    }
  }
  std::deque<std::vector<char>> storage;
  reference::Inputs inputs = inputsOf(segment, storage);
  addRests(segment, inputs);
  reference::RowBudget budget;
  budget.seconds = seconds;
  reference::EvaluationOptions evaluation;
  evaluation.fillsUnbounded = true;
  evaluation.rows = reference::chooseRows(*segment.body, budget);
  spent = reference::estimateSeconds(*segment.body, evaluation.rows);
  auto expected = reference::evaluate(*segment.body, inputs, evaluation);
  if (failed(expected)) {
    return failure();
  }
  const runtime::ExpectedOutput &output = expected->front();
  difference.own = runtime::compare(output, tensor.data);
  difference.ownRms = runtime::rootMeanSquare(output, tensor.data);
  difference.allRows = runtime::rowCount(output.dims);
  difference.rows =
      output.rows.empty() ? difference.allRows : int64_t(output.rows.size());
  return difference;
}

LogicalResult Comparer::addTotals(std::vector<TensorDifference> &differences,
                                  double seconds) {
  SmallVector<Value> results;
  for (const TensorDifference &difference : differences) {
    results.push_back(given[difference.given].value);
  }
  Segment whole = extractSegment(body, results, {});
  if (reference::estimateSeconds(*whole.body, {}) > seconds) {
    return success();
  }
  reference::EvaluationOptions evaluation;
  evaluation.isExact = true;
  std::deque<std::vector<char>> storage;
  auto expected =
      reference::evaluate(*whole.body, inputsOf(whole, storage), evaluation);
  if (failed(expected)) {
    return failure();
  }
  for (auto [difference, output] : llvm::zip_equal(differences, *expected)) {
    const GivenTensor &tensor = given[difference.given];
    output.dtype = tensor.dtype;
    difference.totalRms = runtime::rootMeanSquare(output, tensor.data).error;
  }
  return success();
}

FailureOr<std::vector<TensorDifference>>
compareTensors(func::FuncOp function, const std::vector<GivenTensor> &given,
               const CompareOptions &options) {
  Comparer comparer(function, given);
  std::vector<size_t> order;
  for (auto [i, tensor] : llvm::enumerate(given)) {
    if (tensor.isCompared) {
      order.push_back(i);
    }
  }
  llvm::stable_sort(order, [&](size_t a, size_t b) {
    Operation *first = given[a].value.getDefiningOp();
    Operation *second = given[b].value.getDefiningOp();
    return first != second && first->isBeforeInBlock(second);
  });
  std::vector<TensorDifference> differences;
  double seconds = options.budgetSeconds;
  for (auto [i, number] : llvm::enumerate(order)) {
    // What cheap tensors leave is for those after them.
    double share = seconds / double(order.size() - i), spent = 0;
    FailureOr<TensorDifference> difference =
        comparer.compareOwn(number, share, spent);
    if (failed(difference)) {
      return failure();
    }
    seconds = std::max(0.0, seconds - spent);
    differences.push_back(std::move(*difference));
  }
  if (!differences.empty() &&
      failed(comparer.addTotals(differences, options.budgetSeconds))) {
    return failure();
  }
  return differences;
}

} // namespace minic
