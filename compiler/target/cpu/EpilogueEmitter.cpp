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
  if (space.empty()) {
    return 0;
  }
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

/// The offset of row `row` in a map whose rows have no constant distance.
static Value delinearize(KernelBuilder &k, Value row,
                         const kernel::BroadcastMap &map,
                         ArrayRef<int64_t> space) {
  Value offset = k.i64(0);
  for (size_t d = space.size() - 1; d-- > 0;) {
    Value index = k.rem(row, space[d]);
    row = k.div(row, space[d]);
    offset = k.add(offset, k.mul(index, map.strides[d]));
  }
  return offset;
}

EpilogueEmitter::Row EpilogueEmitter::row(Value base, int64_t ahead) {
  size_t inputs = inputs_.size();
  int64_t columns = shape_.space.empty() ? 1 : shape_.space.back();
  if (base != base_) {
    base_ = base;
    basePointers_.clear();
    for (size_t i = 0; i != inputs; ++i) {
      auto stride = rowStride(maps_[i], shape_.space);
      basePointers_.push_back(
          stride ? k_.advance(inputs_[i], k_.mul(base, *stride),
                              elementType(shape_.epilogueInputs[i]))
                 : Value());
    }
    for (size_t i = 0; i != results_.size(); ++i) {
      basePointers_.push_back(k_.advance(results_[i], k_.mul(base, columns),
                                         elementType(shape_.results[i])));
    }
  }
  Row row;
  for (size_t i = 0; i != inputs; ++i) {
    Type storage = elementType(shape_.epilogueInputs[i]);
    if (Value pointer = basePointers_[i]) {
      int64_t stride = *rowStride(maps_[i], shape_.space);
      row.inputs.push_back(k_.advance(pointer, ahead * stride, storage));
    } else {
      Value offset =
          delinearize(k_, k_.add(base, ahead), maps_[i], shape_.space);
      row.inputs.push_back(k_.advance(inputs_[i], offset, storage));
    }
  }
  for (size_t i = 0; i != results_.size(); ++i) {
    row.results.push_back(k_.advance(basePointers_[inputs + i], ahead * columns,
                                     elementType(shape_.results[i])));
  }
  return row;
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

llvm::DenseMap<Value, Value> EpilogueEmitter::compute(const Row &row,
                                                      Value column,
                                                      int64_t lanes, Value mask,
                                                      Value anchor) {
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
  return values;
}

Value EpilogueEmitter::emitValue(const Row &row, Value column, int64_t lanes,
                                 Value mask, Value value) {
  return compute(row, column, lanes, mask, /*anchor=*/{}).lookup(value);
}

void EpilogueEmitter::emit(const Row &row, Value column, int64_t lanes,
                           Value mask, Value anchor) {
  auto values = compute(row, column, lanes, mask, anchor);
  for (auto [result, pointer] : llvm::zip_equal(shape_.results, row.results)) {
    Type storage = elementType(result);
    k_.storeVector(values[result], k_.advance(pointer, column, storage),
                   storage, mask);
  }
}

int64_t EpilogueEmitter::instructionCount(const kernel::FusionShape &shape) {
  int64_t count = shape.epilogueInputs.size() + shape.results.size();
  for (Operation *op : shape.epilogue) {
    auto cost = cast<graph::FusibleOpInterface>(op).getScalarCost();
    count += cost == graph::ScalarCost::Transcendental ? 40
             : cost == graph::ScalarCost::Division     ? 4
                                                       : 2;
  }
  return count;
}

} // namespace minic::cpu
