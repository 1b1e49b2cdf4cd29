// SPDX-License-Identifier: Apache-2.0
//
// Memory is accessed through llvm.ptr: a memref would only carry strides that
// are constants here.

#include "compiler/target/codegen/KernelBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace minic {

Value KernelBuilder::argPointer(Value args, int64_t index) {
  Type pointer = LLVM::LLVMPointerType::get(b.getContext());
  return loadRaw(pointer, advance(args, index, b.getI64Type()), 8);
}

Value KernelBuilder::integer(Type type, int64_t value) {
  return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, value));
}

static std::optional<int64_t> constantOf(Value value) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant))) {
    return constant.getSExtValue();
  }
  return std::nullopt;
}

Value KernelBuilder::add(Value lhs, Value rhs) {
  std::optional<int64_t> left = constantOf(lhs), right = constantOf(rhs);
  if (left && right) {
    return integer(lhs.getType(), *left + *right);
  }
  if (left == 0) {
    return rhs;
  }
  return right == 0 ? lhs : arith::AddIOp::create(b, loc, lhs, rhs);
}

Value KernelBuilder::sub(Value lhs, Value rhs) {
  std::optional<int64_t> left = constantOf(lhs), right = constantOf(rhs);
  if (left && right) {
    return integer(lhs.getType(), *left - *right);
  }
  return right == 0 ? lhs : arith::SubIOp::create(b, loc, lhs, rhs);
}

Value KernelBuilder::mul(Value lhs, int64_t rhs) {
  if (std::optional<int64_t> left = constantOf(lhs)) {
    return integer(lhs.getType(), *left * rhs);
  }
  if (rhs == 0 || rhs == 1) {
    return rhs ? lhs : integer(lhs.getType(), 0);
  }
  return arith::MulIOp::create(b, loc, lhs, integer(lhs.getType(), rhs));
}

Value KernelBuilder::mul(Value lhs, Value rhs) {
  if (std::optional<int64_t> right = constantOf(rhs)) {
    return mul(lhs, *right);
  }
  return arith::MulIOp::create(b, loc, lhs, rhs);
}

Value KernelBuilder::div(Value lhs, int64_t rhs) {
  if (std::optional<int64_t> left = constantOf(lhs)) {
    return integer(lhs.getType(), *left / rhs);
  }
  return rhs == 1
             ? lhs
             : arith::DivUIOp::create(b, loc, lhs, integer(lhs.getType(), rhs));
}

Value KernelBuilder::rem(Value lhs, int64_t rhs) {
  if (std::optional<int64_t> left = constantOf(lhs)) {
    return integer(lhs.getType(), *left % rhs);
  }
  return rhs == 1
             ? integer(lhs.getType(), 0)
             : arith::RemUIOp::create(b, loc, lhs, integer(lhs.getType(), rhs));
}

Value KernelBuilder::min(Value lhs, Value rhs) {
  std::optional<int64_t> left = constantOf(lhs), right = constantOf(rhs);
  if (left && right) {
    return integer(lhs.getType(), std::min(*left, *right));
  }
  return arith::MinSIOp::create(b, loc, lhs, rhs);
}

Value KernelBuilder::max(Value lhs, Value rhs) {
  std::optional<int64_t> left = constantOf(lhs), right = constantOf(rhs);
  if (left && right) {
    return integer(lhs.getType(), std::max(*left, *right));
  }
  return arith::MaxSIOp::create(b, loc, lhs, rhs);
}

Value KernelBuilder::advance(Value pointer, Value elements, Type storage) {
  if (std::optional<int64_t> constant = constantOf(elements)) {
    return advance(pointer, *constant, storage);
  }
  return LLVM::GEPOp::create(b, loc, pointer.getType(), memoryType(storage),
                             pointer, ArrayRef<LLVM::GEPArg>{elements});
}

Value KernelBuilder::advance(Value pointer, int64_t elements, Type storage) {
  if (elements == 0) {
    return pointer;
  }
  // Constant indices are 32 bits wide.
  LLVM::GEPArg index = llvm::isInt<32>(elements)
                           ? LLVM::GEPArg(int32_t(elements))
                           : LLVM::GEPArg(i64(elements));
  return LLVM::GEPOp::create(b, loc, pointer.getType(), memoryType(storage),
                             pointer, ArrayRef<LLVM::GEPArg>{index});
}

Type KernelBuilder::computeType(Type storage) {
  return isa<FloatType>(storage) ? Float32Type::get(storage.getContext())
                                 : storage;
}

Type KernelBuilder::memoryType(Type storage) {
  return storage.isInteger(1) ? IntegerType::get(storage.getContext(), 8)
                              : storage;
}

static int64_t bytesOf(Type memory) {
  return memory.getIntOrFloatBitWidth() / 8;
}

Value KernelBuilder::tailMask(Value remaining, int64_t lanes) {
  auto indices = llvm::to_vector(llvm::seq<int32_t>(0, int32_t(lanes)));
  auto type = VectorType::get(lanes, b.getI32Type());
  Value lane = arith::ConstantOp::create(
      b, loc, DenseElementsAttr::get(type, ArrayRef<int32_t>(indices)));
  // Clamped so that the comparison is one on i32 lanes.
  Value clamped = min(max(remaining, i64(0)), i64(lanes));
  Value limit = arith::TruncIOp::create(b, loc, b.getI32Type(), clamped);
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, lane,
                               splat(limit, lanes));
}

Value KernelBuilder::loadRaw(Type type, Value pointer, int64_t alignment) {
  return LLVM::LoadOp::create(b, loc, type, pointer, unsigned(alignment));
}

void KernelBuilder::storeRaw(Value value, Value pointer, int64_t alignment) {
  LLVM::StoreOp::create(b, loc, value, pointer, unsigned(alignment));
}

/// Integers of the same width in place of 16-bit floats: where LLVM takes a
/// masked access apart, it would convert single floats by calls.
static VectorType maskedAccessType(VectorType type) {
  Type element = type.getElementType();
  bool half = isa<FloatType>(element) && element.getIntOrFloatBitWidth() == 16;
  return half ? VectorType::get(type.getShape(),
                                IntegerType::get(type.getContext(), 16))
              : type;
}

Value KernelBuilder::loadRawMasked(VectorType type, Value pointer, Value mask) {
  int64_t alignment = bytesOf(type.getElementType());
  if (!mask) {
    return loadRaw(type, pointer, alignment);
  }
  VectorType access = maskedAccessType(type);
  Value value = LLVM::MaskedLoadOp::create(
      b, loc, access, pointer, mask,
      zeroVector(access.getElementType(), access.getNumElements()),
      b.getI32IntegerAttr(alignment), /*nontemporal=*/UnitAttr());
  return access == type ? value
                        : vector::BitCastOp::create(b, loc, type, value);
}

void KernelBuilder::storeRawMasked(Value value, Value pointer, Value mask) {
  auto type = cast<VectorType>(value.getType());
  int64_t alignment = bytesOf(type.getElementType());
  if (!mask) {
    storeRaw(value, pointer, alignment);
    return;
  }
  VectorType access = maskedAccessType(type);
  if (access != type) {
    value = vector::BitCastOp::create(b, loc, access, value);
  }
  LLVM::MaskedStoreOp::create(b, loc, value, pointer, mask,
                              b.getI32IntegerAttr(alignment));
}

static Type likeShape(Type type, Type element) {
  auto vector = dyn_cast<VectorType>(type);
  return vector ? Type(VectorType::get(vector.getShape(), element)) : element;
}

/// i8 of memory to i1.
static Value toPredicate(OpBuilder &b, Location loc, Value value) {
  Value zero = arith::ConstantOp::create(
      b, loc, cast<TypedAttr>(b.getZeroAttr(value.getType())));
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, value, zero);
}

Value KernelBuilder::toCompute(Value value, Type storage) {
  if (storage.isInteger(1)) {
    return toPredicate(b, loc, value);
  }
  Type element = getElementTypeOrSelf(value.getType());
  if (isa<FloatType>(element) && !element.isF32()) {
    return arith::ExtFOp::create(
        b, loc, likeShape(value.getType(), b.getF32Type()), value);
  }
  return value;
}

Value KernelBuilder::toStorage(Value value, Type storage) {
  Type element = getElementTypeOrSelf(value.getType());
  Type result = likeShape(value.getType(), memoryType(storage));
  if (storage.isInteger(1)) {
    return arith::ExtUIOp::create(b, loc, result, value);
  }
  return element == storage ? value
                            : arith::TruncFOp::create(b, loc, result, value);
}

Value KernelBuilder::loadVector(Value pointer, Type storage, int64_t lanes,
                                Value mask) {
  Type memory = memoryType(storage);
  Value value = loadRawMasked(VectorType::get(lanes, memory), pointer, mask);
  return toCompute(value, storage);
}

Value KernelBuilder::loadScalar(Value pointer, Type storage) {
  Type memory = memoryType(storage);
  Value value = loadRaw(memory, pointer, bytesOf(memory));
  return toCompute(value, storage);
}

void KernelBuilder::storeVector(Value value, Value pointer, Type storage,
                                Value mask) {
  storeRawMasked(toStorage(value, storage), pointer, mask);
}

Value KernelBuilder::splat(Value scalar, int64_t lanes) {
  return vector::BroadcastOp::create(
      b, loc, VectorType::get(lanes, scalar.getType()), scalar);
}

Value KernelBuilder::zeroVector(Type element, int64_t lanes) {
  return arith::ConstantOp::create(
      b, loc, cast<TypedAttr>(b.getZeroAttr(VectorType::get(lanes, element))));
}

Value KernelBuilder::sum(Value lhs, Value rhs) {
  if (getElementTypeOrSelf(lhs).isInteger()) {
    return arith::AddIOp::create(b, loc, lhs, rhs);
  }
  return arith::AddFOp::create(b, loc, lhs, rhs);
}

SmallVector<Value> KernelBuilder::addAll(ValueRange lhs, ValueRange rhs) {
  SmallVector<Value> sums;
  for (auto [left, right] : llvm::zip_equal(lhs, rhs)) {
    sums.push_back(sum(left, right));
  }
  return sums;
}

SmallVector<Value> KernelBuilder::forLoop(
    Value lower, Value upper, int64_t step, ValueRange carried,
    llvm::function_ref<SmallVector<Value>(Value, ValueRange)> body) {
  auto loop = scf::ForOp::create(b, loc, lower, upper,
                                 integer(lower.getType(), step), carried);
  OpBuilder::InsertionGuard guard(b);
  // A loop that carries nothing comes with its terminator.
  b.setInsertionPointToStart(loop.getBody());
  SmallVector<Value> next =
      body(loop.getInductionVar(), loop.getRegionIterArgs());
  if (!carried.empty()) {
    scf::YieldOp::create(b, loc, next);
  }
  return SmallVector<Value>(loop.getResults());
}

void KernelBuilder::forLoop(Value lower, Value upper, int64_t step,
                            llvm::function_ref<void(Value)> body) {
  forLoop(lower, upper, step, ValueRange(),
          [&](Value i, ValueRange) -> SmallVector<Value> {
            body(i);
            return {};
          });
}

} // namespace minic
