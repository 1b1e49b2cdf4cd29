// SPDX-License-Identifier: Apache-2.0
//
// A small interpreter of the ops that make masks: positions, comparisons of
// them, and conditions joined.

#include "passes/graph/raise/KnownValues.h"

#include "dialects/graph/ConstantBytes.h"
#include "dialects/graph/Graph.h"
#include "passes/graph/raise/Match.h"

#include "mlir/IR/BuiltinAttributes.h"

#include <cmath>
#include <cstring>

using namespace mlir;

namespace minic::graph {

static constexpr int64_t maxElements = int64_t(1) << 26;
static constexpr int maxDepth = 24;

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

template <typename T> static T read(ArrayRef<char> bytes, size_t i) {
  T value;
  std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
  return value;
}

static float elementAt(ArrayRef<char> bytes, size_t i, Type dtype) {
  if (dtype.isF32()) {
    return read<float>(bytes, i);
  }
  if (auto real = dyn_cast<FloatType>(dtype)) {
    APFloat value(real.getFloatSemantics(),
                  APInt(16, read<uint16_t>(bytes, i)));
    bool losesInfo = false;
    value.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven,
                  &losesInfo);
    return value.convertToFloat();
  }
  switch (dtype.getIntOrFloatBitWidth()) {
  case 1:
    return float(bytes[i] != 0);
  case 8:
    return float(read<int8_t>(bytes, i));
  case 32:
    return float(read<int32_t>(bytes, i));
  default:
    return float(read<int64_t>(bytes, i));
  }
}

static std::optional<KnownValues> ofConstant(ConstantOp op) {
  FailureOr<ConstantBytes> bytes = ConstantBytes::get(op.getValueAttr());
  if (failed(bytes)) {
    return std::nullopt;
  }
  RankedTensorType type = typeOf(op);
  KnownValues result{llvm::to_vector(type.getShape()), {}};
  result.elements.resize(type.getNumElements());
  for (size_t i = 0; i < result.elements.size(); ++i) {
    result.elements[i] = elementAt(bytes->bytes(), i, type.getElementType());
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// From an element to the next along each dimension of `shape`, of a tensor of
/// shape `from` that broadcasts to it.
static SmallVector<int64_t> stridesOf(ArrayRef<int64_t> from,
                                      ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size());
  int64_t stride = 1;
  for (size_t i = 0; i < from.size(); ++i) {
    int64_t extent = from[from.size() - 1 - i];
    strides[shape.size() - 1 - i] = extent == 1 ? 0 : stride;
    stride *= extent;
  }
  return strides;
}

/// `compute` of the elements of up to three operands, which broadcast.
template <typename Compute>
static KnownValues combine(ArrayRef<int64_t> shape,
                           ArrayRef<KnownValues> operands, Compute compute) {
  KnownValues result{llvm::to_vector(shape), {}};
  result.elements.resize(llvm::product_of(shape));
  SmallVector<SmallVector<int64_t>, 3> strides;
  for (const KnownValues &operand : operands) {
    strides.push_back(stridesOf(operand.shape, shape));
  }
  int64_t columns = shape.empty() ? 1 : shape.back();
  for (size_t begin = 0; begin < result.elements.size(); begin += columns) {
    const float *at[3] = {};
    int64_t steps[3] = {};
    for (size_t k = 0; k < operands.size(); ++k) {
      int64_t rest = int64_t(begin) / columns, offset = 0;
      for (size_t d = shape.size(); d-- > 1;) {
        offset += rest % shape[d - 1] * strides[k][d - 1];
        rest /= shape[d - 1];
      }
      at[k] = operands[k].elements.data() + offset;
      steps[k] = shape.empty() ? 0 : strides[k].back();
    }
    for (int64_t i = 0; i < columns; ++i) {
      float operand[3] = {};
      for (size_t k = 0; k < operands.size(); ++k) {
        operand[k] = at[k][i * steps[k]];
      }
      result.elements[begin + i] = compute(operand[0], operand[1], operand[2]);
    }
  }
  return result;
}

static bool compare(ComparePredicate predicate, float x, float y) {
  switch (predicate) {
  case ComparePredicate::Eq:
    return x == y;
  case ComparePredicate::Ne:
    return x != y;
  case ComparePredicate::Lt:
    return x < y;
  case ComparePredicate::Le:
    return x <= y;
  case ComparePredicate::Gt:
    return x > y;
  case ComparePredicate::Ge:
    return x >= y;
  }
}

static KnownValues ofIota(IotaOp op) {
  ArrayRef<int64_t> shape = op.getType().getShape();
  SmallVector<int64_t> counts(shape.size(), 1);
  counts[op.getAxis()] = shape[op.getAxis()];
  KnownValues count{counts, {}};
  for (int64_t i = 0; i < shape[op.getAxis()]; ++i) {
    count.elements.push_back(float(i));
  }
  return combine(shape, count, [](float x, float, float) { return x; });
}

/// Ops on i1 and on integers that are positions.
static bool makesMasks(Operation *op) {
  if (isa<AndOp, OrOp, XorOp, NotOp>(op)) {
    return typeOf(op->getResult(0)).getElementType().isInteger(1);
  }
  if (isa<AddOp, SubOp>(op)) {
    return typeOf(op->getResult(0)).getElementType().isInteger();
  }
  return isa<CompareOp, SelectOp, BroadcastOp, ReshapeOp, CastOp, NegOp>(op);
}

static KnownValues compute(Operation *op, ArrayRef<KnownValues> operands) {
  ArrayRef<int64_t> shape = typeOf(op->getResult(0)).getShape();
  auto by = [&](auto function) { return combine(shape, operands, function); };
  if (isa<ReshapeOp>(op)) {
    return {llvm::to_vector(shape), operands.front().elements};
  }
  if (auto comparison = dyn_cast<CompareOp>(op)) {
    return by([predicate = comparison.getPredicate()](float x, float y, float) {
      return float(compare(predicate, x, y));
    });
  }
  if (isa<SelectOp>(op)) {
    return by([](float c, float x, float y) { return c != 0 ? x : y; });
  }
  if (isa<AndOp>(op)) {
    return by([](float x, float y, float) { return x * y; });
  }
  if (isa<OrOp>(op)) {
    return by([](float x, float y, float) { return std::max(x, y); });
  }
  if (isa<XorOp>(op)) {
    return by([](float x, float y, float) { return float(x != y); });
  }
  if (isa<NotOp>(op)) {
    return by([](float x, float, float) { return 1 - x; });
  }
  if (isa<AddOp>(op)) {
    return by([](float x, float y, float) { return x + y; });
  }
  if (isa<SubOp>(op)) {
    return by([](float x, float y, float) { return x - y; });
  }
  if (isa<NegOp>(op)) {
    return by([](float x, float, float) { return -x; });
  }
  if (isa<CastOp>(op) &&
      typeOf(op->getResult(0)).getElementType().isInteger(1)) {
    return by([](float x, float, float) { return float(x != 0); });
  }
  return by([](float x, float, float) { return x; });
}

/// Casts between integers and floats that hold them; f16 and i8 do not.
static bool isPlainCast(CastOp op) {
  Type from = op.getInput().getType().getElementType();
  Type to = op.getType().getElementType();
  return from.isInteger(1) || to.isInteger(1) || to.isF32() ||
         (from.isInteger() && to.isInteger() && !to.isInteger(8));
}

static bool isKnownTo(Value value, int depth) {
  Operation *op = value.getDefiningOp();
  RankedTensorType type = typeOf(value);
  if (!op || depth == 0 || !type.hasStaticShape() ||
      type.getNumElements() > maxElements) {
    return false;
  }
  if (isa<ConstantOp>(op)) {
    return isKnown(value);
  }
  if (auto iota = dyn_cast<IotaOp>(op)) {
    return type.getElementType().isInteger();
  }
  if (auto cast = dyn_cast<CastOp>(op); cast && !isPlainCast(cast)) {
    return false;
  }
  return makesMasks(op) && llvm::all_of(op->getOperands(), [&](Value operand) {
           return isKnownTo(operand, depth - 1);
         });
}

static std::optional<KnownValues> valuesOf(Value value) {
  Operation *op = value.getDefiningOp();
  std::optional<KnownValues> result;
  if (auto constant = dyn_cast<ConstantOp>(op)) {
    result = ofConstant(constant);
  } else if (auto iota = dyn_cast<IotaOp>(op)) {
    result = ofIota(iota);
  } else {
    SmallVector<KnownValues, 3> operands;
    for (Value operand : op->getOperands()) {
      std::optional<KnownValues> known = valuesOf(operand);
      if (!known) {
        return std::nullopt;
      }
      operands.push_back(std::move(*known));
    }
    result = compute(op, operands);
  }
  bool isInteger = typeOf(value).getElementType().isInteger();
  constexpr float exact = 1 << 24;
  if (result && isInteger && llvm::any_of(result->elements, [](float element) {
        return !(std::fabs(element) < exact);
      })) {
    return std::nullopt;
  }
  return result;
}

std::optional<KnownValues> KnownValues::get(Value value) {
  return isKnownTo(value, maxDepth) ? valuesOf(value) : std::nullopt;
}

} // namespace minic::graph
