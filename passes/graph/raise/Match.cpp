// SPDX-License-Identifier: Apache-2.0
//
// Questions about constants and about ops that change nothing.

#include "passes/graph/raise/Match.h"

#include "dialects/graph/ConstantBytes.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/OperationSupport.h"

#include <cmath>

using namespace mlir;

namespace minic::graph {

RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

bool isFloat(Value value) {
  return isa<FloatType>(typeOf(value).getElementType());
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

bool isKnown(Value value) {
  auto constant = value.getDefiningOp<ConstantOp>();
  return constant && constant.getValueAttr() &&
         constant.getValueAttr().getType() == constant.getType();
}

static double toDouble(APFloat value) {
  bool losesInfo = false;
  value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                &losesInfo);
  return value.convertToDouble();
}

/// The element that all of a resource's are, as initializers of a model: norms
/// of groups are given as many ones as there are groups.
static std::optional<double> elementOfResource(ElementsAttr value) {
  static constexpr int64_t most = 4096;
  Type dtype = value.getElementType();
  int64_t count = value.getNumElements();
  if (count == 0 || count > most) {
    return std::nullopt;
  }
  FailureOr<ConstantBytes> constant = ConstantBytes::get(value);
  if (failed(constant)) {
    return std::nullopt;
  }
  ArrayRef<char> bytes = constant->bytes();
  size_t size = bytes.size() / count;
  uint64_t bits = 0;
  if (size > sizeof(bits) || bytes.drop_back(size) != bytes.drop_front(size)) {
    return std::nullopt;
  }
  std::memcpy(&bits, bytes.data(), size);
  APInt number(unsigned(size * 8), bits);
  if (auto real = dyn_cast<FloatType>(dtype)) {
    return toDouble(APFloat(real.getFloatSemantics(), number));
  }
  return double(number.getSExtValue());
}

/// The element that all of a constant's are.
static std::optional<double> onlyElement(ConstantOp constant) {
  ElementsAttr value = constant.getValueAttr();
  auto dense = dyn_cast<DenseElementsAttr>(value);
  if (!dense) {
    return elementOfResource(value);
  }
  if (!dense.isSplat()) {
    return std::nullopt;
  }
  Type dtype = value.getElementType();
  if (isa<FloatType>(dtype)) {
    return toDouble(dense.getSplatValue<APFloat>());
  }
  APInt number = dense.getSplatValue<APInt>();
  return dtype.isInteger(1) ? double(number.getZExtValue())
                            : double(number.getSExtValue());
}

std::optional<double> scalarOf(Value value) {
  while (isa_and_present<ReshapeOp, BroadcastOp>(value.getDefiningOp())) {
    value = value.getDefiningOp()->getOperand(0);
  }
  return isKnown(value) ? onlyElement(value.getDefiningOp<ConstantOp>())
                        : std::nullopt;
}

bool isNear(double number, double expected, Type dtype) {
  auto real = dyn_cast<FloatType>(dtype);
  if (!real) {
    return number == expected;
  }
  // Half an ulp for each of four roundings.
  double ulp = std::ldexp(1.0, 1 - int(real.getFPMantissaWidth()));
  return std::fabs(number - expected) <= 2 * ulp * std::fabs(expected);
}

bool isScalarNear(Value value, double expected) {
  std::optional<double> number = scalarOf(value);
  return number && isNear(*number, expected, typeOf(value).getElementType());
}

//===----------------------------------------------------------------------===//
// Ops that change nothing
//===----------------------------------------------------------------------===//

static SmallVector<int64_t> withoutOnes(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> kept;
  llvm::copy_if(shape, std::back_inserter(kept),
                [](int64_t extent) { return extent != 1; });
  return kept;
}

Value withoutUnitDims(Value value) {
  while (auto reshape = value.getDefiningOp<ReshapeOp>()) {
    if (withoutOnes(reshape.getType().getShape()) !=
        withoutOnes(typeOf(reshape.getInput()).getShape())) {
      break;
    }
    value = reshape.getInput();
  }
  return value;
}

Value withoutBroadcast(Value value) {
  while (auto broadcast = value.getDefiningOp<BroadcastOp>()) {
    value = broadcast.getInput();
  }
  return value;
}

Value withoutWidening(Value value) {
  while (auto widening = value.getDefiningOp<CastOp>()) {
    Type from = widening.getInput().getType().getElementType();
    Type to = widening.getType().getElementType();
    bool isExact = from == to || (isa<FloatType>(from) && to.isF32());
    if (!isExact) {
      break;
    }
    value = widening.getInput();
  }
  return value;
}

ArrayRef<int64_t> withoutLeadingOnes(ArrayRef<int64_t> shape, size_t rank) {
  while (shape.size() > rank && shape.front() == 1) {
    shape = shape.drop_front();
  }
  return shape;
}

static bool isSameTo(Value a, Value b, int depth) {
  if (a == b) {
    return true;
  }
  auto x = dyn_cast<OpResult>(a), y = dyn_cast<OpResult>(b);
  if (!x || !y || depth == 0 || x.getResultNumber() != y.getResultNumber()) {
    return false;
  }
  return OperationEquivalence::isEquivalentTo(
      x.getOwner(), y.getOwner(),
      [&](Value left, Value right) {
        return success(isSameTo(left, right, depth - 1));
      },
      /*markEquivalent=*/nullptr, OperationEquivalence::IgnoreLocations);
}

bool isSame(Value a, Value b) { return isSameTo(a, b, /*depth=*/4); }

} // namespace minic::graph
