// SPDX-License-Identifier: Apache-2.0
//
// From ops that read by an operand back to the operand.

#include "dialects/kernel/OperandValues.h"

#include "dialects/kernel/Kernel.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace minic::kernel {

using Values = std::optional<OperandValues>;

/// More ops behind each other than this are not followed.
static constexpr int depthLimit = 16;

/// Integers in [lower, upper], none if that is empty.
static Values range(ValuesKind kind, int64_t lower, int64_t upper) {
  return lower <= upper ? Values({kind, lower, upper}) : std::nullopt;
}

static int64_t extentOf(Value tensor, int64_t dim) {
  return cast<RankedTensorType>(tensor.getType()).getDimSize(dim);
}

/// Where an op reads its first operand along its axis: gather and the like.
static Values indexAlongAxis(OpOperand &use) {
  auto op = dyn_cast<graph::FusibleOpInterface>(use.getOwner());
  auto axis = use.getOwner()->getAttrOfType<IntegerAttr>("axis");
  if (!op || !axis ||
      op.getOperandRole(use.getOperandNumber()) != graph::OperandRole::Index) {
    return std::nullopt;
  }
  int64_t extent = extentOf(op->getOperand(0), axis.getInt());
  return ShapedType::isDynamic(extent)
             ? std::nullopt
             : range(ValuesKind::Index, 0, extent - 1);
}

/// What the op that uses it says.
static Values valuesOfUse(OpOperand &use) {
  Value value = use.get();
  return llvm::TypeSwitch<Operation *, Values>(use.getOwner())
      .Case<graph::CacheUpdateOp>([&](graph::CacheUpdateOp op) -> Values {
        int64_t cache = extentOf(op.getCache(), op.getAxis());
        int64_t update = extentOf(op.getUpdate(), op.getAxis());
        if (value != op.getPosition() || ShapedType::isDynamic(cache) ||
            ShapedType::isDynamic(update)) {
          return std::nullopt;
        }
        return range(ValuesKind::Index, 0, cache - update);
      })
      .Case<graph::AttentionOp>([&](graph::AttentionOp op) -> Values {
        int64_t keys = extentOf(op.getKey(), 2);
        if (value == op.getKeyLength() && !ShapedType::isDynamic(keys)) {
          return range(ValuesKind::Length, 1, keys);
        }
        return value == op.getMask() ? range(ValuesKind::Mask, 0, 1)
                                     : std::nullopt;
      })
      .Default([&](Operation *) { return indexAlongAxis(use); });
}

/// The least and the greatest value of a tensor that is known: iota, constants.
static Values extremesOf(Value value) {
  if (auto iota = value.getDefiningOp<graph::IotaOp>()) {
    int64_t extent = extentOf(value, iota.getAxis());
    return range(ValuesKind::Index, 0, extent - 1);
  }
  auto constant = value.getDefiningOp<graph::ConstantOp>();
  auto elements =
      constant ? dyn_cast_or_null<DenseIntElementsAttr>(constant.getValueAttr())
               : nullptr;
  constexpr int64_t most = 4096; // elements that are worth reading
  if (!elements || elements.getNumElements() == 0 ||
      (!elements.isSplat() && elements.getNumElements() > most)) {
    return std::nullopt;
  }
  int64_t lower = INT64_MAX, upper = INT64_MIN;
  for (const APInt &element : elements) {
    lower = std::min(lower, element.getSExtValue());
    upper = std::max(upper, element.getSExtValue());
  }
  return range(ValuesKind::Index, lower, upper);
}

/// `wanted` of a sum or difference, for its operand beside `other`.
static Values beside(Value other, bool isAdded, const OperandValues &wanted) {
  Values known = extremesOf(other);
  if (!known) {
    return std::nullopt;
  }
  int64_t least = isAdded ? -known->lower : known->upper;
  int64_t greatest = isAdded ? -known->upper : known->lower;
  return range(wanted.kind, wanted.lower + least, wanted.upper + greatest);
}

/// What satisfies both.
static Values meet(Values a, Values b) {
  if (!a || !b) {
    return a ? a : b;
  }
  Values both =
      range(a->kind == b->kind ? a->kind : ValuesKind::Index,
            std::max(a->lower, b->lower), std::min(a->upper, b->upper));
  return both ? both : a;
}

static Values derive(Value value, int depth);

/// What the users of the op's result say, for the operand.
static Values valuesBehind(OpOperand &use, int depth) {
  Operation *op = use.getOwner();
  if (auto fusion = dyn_cast<FusionOp>(op)) {
    return derive(fusion.getBody().getArgument(use.getOperandNumber()), depth);
  }
  if (isa<graph::CastOp, graph::ReshapeOp, graph::TransposeOp, graph::SliceOp,
          graph::BroadcastOp, graph::ConcatOp, graph::MaxOp, graph::MinOp,
          graph::ClampOp, RelayoutOp>(op)) {
    return derive(op->getResult(0), depth);
  }
  if (isa<graph::AddOp, graph::SubOp>(op)) {
    bool isLeft = use.getOperandNumber() == 0;
    bool isAdded = isa<graph::AddOp>(op);
    Values wanted =
        isLeft || isAdded ? derive(op->getResult(0), depth) : std::nullopt;
    return wanted ? beside(op->getOperand(isLeft ? 1 : 0), isAdded, *wanted)
                  : std::nullopt;
  }
  return std::nullopt;
}

static Values derive(Value value, int depth) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || !type.getElementType().isInteger() || depth == 0) {
    return std::nullopt;
  }
  Values values;
  for (OpOperand &use : value.getUses()) {
    Values said = valuesOfUse(use);
    values = meet(values, said ? said : valuesBehind(use, depth - 1));
  }
  bool isMask = type.getElementType().isInteger(1);
  if (!values || (values->kind == ValuesKind::Mask) != isMask) {
    return std::nullopt;
  }
  return values;
}

Values deriveValues(Value value) { return derive(value, depthLimit); }

static constexpr std::pair<ValuesKind, llvm::StringLiteral> kindNames[] = {
    {ValuesKind::Index, "index"},
    {ValuesKind::Length, "length"},
    {ValuesKind::Mask, "mask"}};

DictionaryAttr toAttribute(const OperandValues &values, MLIRContext *context) {
  Builder b(context);
  for (auto [kind, name] : kindNames) {
    if (kind == values.kind) {
      return b.getDictionaryAttr(b.getNamedAttr(
          name, b.getDenseI64ArrayAttr({values.lower, values.upper})));
    }
  }
  llvm_unreachable("all kinds have names");
}

Values toOperandValues(Attribute attribute) {
  auto dictionary = dyn_cast_or_null<DictionaryAttr>(attribute);
  if (!dictionary || dictionary.size() != 1) {
    return std::nullopt;
  }
  for (auto [kind, name] : kindNames) {
    if (auto bounds = dictionary.getAs<DenseI64ArrayAttr>(name);
        bounds && bounds.size() == 2) {
      return range(kind, bounds[0], bounds[1]);
    }
  }
  return std::nullopt;
}

} // namespace minic::kernel
