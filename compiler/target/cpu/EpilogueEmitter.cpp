// SPDX-License-Identifier: Apache-2.0
//
// Walks the epilogue once per vector; each op writes its own arithmetic.

#include "compiler/target/cpu/EpilogueEmitter.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace minic::cpu {

static Type elementType(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getElementType();
}

EpilogueEmitter::EpilogueEmitter(KernelBuilder &builder,
                                 const kernel::FusionShape &shape,
                                 ArrayRef<Value> inputs,
                                 ArrayRef<Value> results)
    : k_(builder), shape_(shape), inputs_(inputs), results_(results) {
  for (Value input : shape.epilogueInputs) {
    maps_.push_back(kernel::BroadcastMap::get(
        cast<RankedTensorType>(input.getType()).getShape(), shape.space));
  }
}

/// The stride of a map from one row to the next, if there is one: the operand
/// is dense over the leading dimensions, or the same in all of them.
static std::optional<int64_t> rowStride(const kernel::BroadcastMap &map,
                                        ArrayRef<int64_t> space) {
  ArrayRef<int64_t> leading = ArrayRef(map.strides).drop_back();
  std::optional<int64_t> stride;
  int64_t rows = 1;
  for (size_t i = leading.size(); i-- > 0;) {
    if (space[i] == 1) {
      continue;
    }
    if (!stride) {
      stride = leading[i];
    } else if (leading[i] != *stride * rows) {
      return std::nullopt;
    }
    rows *= space[i];
  }
  return stride.value_or(0);
}

static bool isRowInvariant(const kernel::BroadcastMap &map) {
  return map.strides.empty() ||
         llvm::all_of(ArrayRef(map.strides).drop_back(),
                      [](int64_t stride) { return stride == 0; });
}

EpilogueEmitter::Row EpilogueEmitter::row(Value row) {
  Row result;
  for (size_t i = 0; i != inputs_.size(); ++i) {
    Value offset;
    if (maps_[i].strides.empty()) {
      offset = k_.i64(0);
    } else if (std::optional<int64_t> stride =
                   rowStride(maps_[i], shape_.space)) {
      offset = k_.mul(row, *stride);
    } else {
      offset = k_.i64(0);
      Value rest = row;
      for (size_t d = shape_.space.size() - 1; d-- > 0;) {
        Value index = k_.rem(rest, shape_.space[d]);
        rest = k_.div(rest, shape_.space[d]);
        offset = k_.add(offset, k_.mul(index, maps_[i].strides[d]));
      }
    }
    result.inputs.push_back(
        k_.advance(inputs_[i], offset, elementType(shape_.epilogueInputs[i])));
  }
  int64_t columns = shape_.space.empty() ? 1 : shape_.space.back();
  for (size_t i = 0; i != results_.size(); ++i) {
    result.results.push_back(k_.advance(results_[i], k_.mul(row, columns),
                                        elementType(shape_.results[i])));
  }
  return result;
}

Value EpilogueEmitter::load(size_t input, const Row &row, Value column,
                            int64_t lanes, Value mask) {
  bool invariant = isRowInvariant(maps_[input]);
  if (invariant) {
    if (Value known = invariants_.lookup({input, column})) {
      return known;
    }
  }
  Type storage = elementType(shape_.epilogueInputs[input]);
  Value value;
  if (maps_[input].strides.empty() || maps_[input].strides.back() == 0) {
    value = k_.splat(k_.loadScalar(row.inputs[input], storage), lanes);
  } else {
    value = k_.loadVector(k_.advance(row.inputs[input], column, storage),
                          storage, lanes, mask);
  }
  if (invariant) {
    invariants_[{input, column}] = value;
  }
  return value;
}

void EpilogueEmitter::emit(const Row &row, Value column, int64_t lanes,
                           Value mask, Value anchor) {
  llvm::DenseMap<Value, Value> values;
  if (shape_.anchor) {
    values[shape_.anchor->getResult(0)] = anchor;
  }
  for (auto [i, input] : llvm::enumerate(shape_.epilogueInputs)) {
    values[input] = load(i, row, column, lanes, mask);
  }
  for (Operation *op : shape_.epilogue) {
    auto operands = llvm::map_to_vector(
        op->getOperands(), [&](Value operand) { return values[operand]; });
    values[op->getResult(0)] =
        cast<graph::PointwiseOpInterface>(op).emitScalar(k_.b, operands);
  }
  for (auto [result, pointer] : llvm::zip_equal(shape_.results, row.results)) {
    Type storage = elementType(result);
    k_.storeVector(values[result], k_.advance(pointer, column, storage),
                   storage, mask);
  }
}

int64_t EpilogueEmitter::instructionCount(const kernel::FusionShape &shape) {
  int64_t count = shape.epilogueInputs.size() + shape.results.size();
  for (Operation *op : shape.epilogue) {
    bool transcendental =
        isa<graph::ExpOp, graph::LogOp, graph::TanhOp, graph::ErfOp,
            graph::SigmoidOp, graph::SiluOp, graph::GeluOp, graph::PowOp>(op);
    count += transcendental ? 40 : isa<graph::DivOp>(op) ? 4 : 2;
  }
  return count;
}

} // namespace minic::cpu
