// SPDX-License-Identifier: Apache-2.0
//
// Values are computed on demand, operands first.

#include "compiler/target/cuda/BodyEvaluator.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace minic::cuda {

BodyEvaluator::BodyEvaluator(CudaKernelBuilder &k, ArrayRef<int64_t> space,
                             ArrayRef<Value> operands)
    : k_(k), space_(space), operands_(operands),
      isWide_(llvm::product_of(space) > int64_t(1) << 31) {
  if (space_.empty()) {
    space_.push_back(1);
  }
}

int64_t BodyEvaluator::lanesFor(ArrayRef<int64_t> space, int64_t most) {
  int64_t columns = space.empty() ? 1 : space.back();
  while (most > 1 && columns % most != 0) {
    most /= 2;
  }
  return most;
}

int64_t BodyEvaluator::instructionCount(ArrayRef<Operation *> ops) {
  int64_t count = 0;
  for (Operation *op : ops) {
    auto cost = cast<graph::FusibleOpInterface>(op).getScalarCost();
    count += cost == graph::ScalarCost::Transcendental ? 30
             : cost == graph::ScalarCost::Division     ? 10
                                                       : 2;
  }
  return count;
}

void BodyEvaluator::moveTo(const SpacePosition &position) {
  position_ = position;
  values_.clear();
  fetched_.clear();
}

/// The distance of `map` from one row to the next, if there is one: the operand
/// is dense over the leading dimensions, or the same in all of them.
static std::optional<int64_t> rowStride(ArrayRef<int64_t> strides,
                                        ArrayRef<int64_t> space) {
  std::optional<int64_t> stride;
  int64_t rows = 1;
  for (size_t i = strides.size() - 1; i-- > 0;) {
    if (space[i] == 1) {
      continue;
    }
    if (!stride) {
      stride = strides[i];
    } else if (strides[i] != *stride * rows) {
      return std::nullopt;
    }
    rows *= space[i];
  }
  return stride.value_or(0);
}

Value BodyEvaluator::offsetOf(const kernel::BroadcastMap &map) {
  auto widen = [&](Value index) -> Value {
    return isWide_
               ? arith::ExtSIOp::create(k_.b, k_.loc, k_.b.getI64Type(), index)
               : index;
  };
  Value offset =
      k_.integer(isWide_ ? k_.b.getI64Type() : Type(k_.b.getI32Type()), 0);
  if (auto stride = rowStride(map.strides, space_)) {
    if (*stride != 0) {
      offset = k_.mul(widen(position_.row), *stride);
    }
  } else {
    Value rest = position_.row;
    for (size_t d = space_.size() - 1; d-- > 0;) {
      Value index = d == 0 ? rest : k_.rem(rest, space_[d]);
      rest = k_.div(rest, space_[d]);
      offset = k_.add(offset, k_.mul(widen(index), map.strides[d]));
    }
  }
  if (map.strides.back() != 0) {
    offset =
        k_.add(offset, k_.mul(widen(position_.column), map.strides.back()));
  }
  return offset;
}

Value BodyEvaluator::load(BlockArgument argument) {
  auto type = cast<RankedTensorType>(argument.getType());
  Type storage = type.getElementType();
  Type memory = KernelBuilder::memoryType(storage);
  // An empty space is that of a scalar.
  auto known = shapes_.find(argument);
  SmallVector<int64_t> shape(known != shapes_.end() ? ArrayRef(known->second)
                                                    : type.getShape());
  auto map = kernel::BroadcastMap::get(shape, space_);
  Value pointer =
      k_.advance(operands_[argument.getArgNumber()], offsetOf(map), storage);
  bool isScalar = position_.lanes == 1 || map.strides.back() == 0;
  return k_.loadAligned(
      isScalar ? memory : VectorType::get(position_.lanes, memory), pointer);
}

Value BodyEvaluator::convert(BlockArgument argument, Value loaded) {
  Value value = k_.toCompute(loaded, getElementTypeOrSelf(argument.getType()));
  bool isSplat = position_.lanes > 1 && !isa<VectorType>(value.getType());
  return isSplat ? k_.splat(value, position_.lanes) : value;
}

void BodyEvaluator::fetch(BlockArgument argument) {
  Value &loaded = fetched_[argument];
  if (!loaded && !values_.contains(argument)) {
    loaded = load(argument);
  }
}

Value BodyEvaluator::get(Value value) {
  if (Value known = values_.lookup(value)) {
    return known;
  }
  Value result;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Value loaded = fetched_.lookup(argument);
    result = convert(argument, loaded ? loaded : load(argument));
  } else {
    auto op = cast<graph::PointwiseOpInterface>(value.getDefiningOp());
    auto operands = llvm::map_to_vector(
        op->getOperands(), [&](Value operand) { return get(operand); });
    result = op.emitScalar(k_.b, operands);
  }
  values_[value] = result;
  return result;
}

Value BodyEvaluator::pointerTo(Value base, Type storage) {
  auto map = kernel::BroadcastMap::get(space_, space_);
  // Extents of 1 have no stride in a map, and index 0.
  return k_.advance(base, offsetOf(map), storage);
}

void BodyEvaluator::store(Value value, Value base, Type storage, Value policy) {
  k_.storeByPolicy(k_.toStorage(value, storage), pointerTo(base, storage),
                   policy);
}

} // namespace minic::cuda
