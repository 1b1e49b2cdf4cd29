// SPDX-License-Identifier: Apache-2.0
//
// graph-lower-unsigned: tensors of ui8 become i8 of the same bits, so that no
// later pass and no kernel knows of them. Only casts tell the difference.

#include "passes/graph/Passes.h"

#include "dialects/graph/ConstantBytes.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/Unsigned.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/DialectResourceBlobManager.h"

namespace minic::graph {
#define GEN_PASS_DEF_LOWERUNSIGNED
#include "passes/graph/Passes.h.inc"
} // namespace minic::graph

using namespace mlir;
using namespace minic;
using namespace minic::graph;

static bool isUnsigned(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.getElementType().isUnsignedInteger(8);
}

/// i8 in place of ui8; other types as they are.
static Type asStored(Type type) {
  return isUnsigned(type) ? cast<RankedTensorType>(type).clone(
                                IntegerType::get(type.getContext(), 8))
                          : type;
}

/// The same bytes as elements of `type`.
static ElementsAttr retype(ElementsAttr value, RankedTensorType type) {
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(value)) {
    return DenseResourceElementsAttr::get(type, resource.getRawHandle());
  }
  return cast<DenseElementsAttr>(value).bitcast(type.getElementType());
}

namespace {

struct LowerUnsigned : graph::impl::LowerUnsignedBase<LowerUnsigned> {
  void runOnOperation() override {
    func::FuncOp func = getOperation();
    if (func.isExternal()) {
      return;
    }
    // Casts first: they see which types are unsigned.
    func.walk([&](CastOp op) { lowerCast(op); });
    func.walk([&](Operation *op) {
      if (auto constant = dyn_cast<ConstantOp>(op)) {
        lowerConstant(constant);
      } else if (auto pad = dyn_cast<PadOp>(op)) {
        lowerPad(pad);
      }
      for (Value result : op->getResults()) {
        result.setType(asStored(result.getType()));
      }
    });
    lowerSignature(func);
  }

private:
  void lowerSignature(func::FuncOp func) {
    auto unit = UnitAttr::get(&getContext());
    for (BlockArgument argument : func.getArguments()) {
      if (isUnsigned(argument.getType())) {
        argument.setType(asStored(argument.getType()));
        func.setArgAttr(argument.getArgNumber(), unsignedAttrName, unit);
      }
    }
    SmallVector<Type> results;
    for (auto [index, type] : llvm::enumerate(func.getResultTypes())) {
      results.push_back(asStored(type));
      if (isUnsigned(type)) {
        func.setResultAttr(index, unsignedAttrName, unit);
      }
    }
    func.setType(FunctionType::get(&getContext(),
                                   func.getBody().getArgumentTypes(), results));
  }

  void lowerConstant(ConstantOp op) {
    ElementsAttr value = op.getValueAttr();
    if (value && isUnsigned(op.getType())) {
      op.setValueAttr(
          retype(value, cast<RankedTensorType>(asStored(op.getType()))));
    }
  }

  /// The pads of ui8 are those of i8 modulo 256.
  void lowerPad(PadOp op) {
    double value = op.getValue().convertToDouble();
    if (isUnsigned(op.getType()) && value > 127) {
      op.setValueAttr(
          FloatAttr::get(Float64Type::get(&getContext()), value - 256));
    }
  }

  void lowerCast(CastOp op) {
    auto from = op.getInput().getType(), to = op.getType();
    bool isFrom = isUnsigned(from), isTo = isUnsigned(to);
    OpBuilder builder(op);
    auto i32 = builder.getI32Type();
    auto widened = [&](Value value) {
      return CastOp::create(builder, op.getLoc(),
                            cast<RankedTensorType>(value.getType()).clone(i32),
                            value);
    };
    bool isPredicate = to.getElementType().isInteger(1);
    bool keepsBits = to.getElementType().isInteger(8);
    if (isFrom && !isPredicate && !keepsBits) {
      // i8 is sign-extended.
      Value bits = widened(op.getInput());
      auto scalar = RankedTensorType::get({}, i32);
      Value mask = ConstantOp::create(builder, op.getLoc(),
                                      DenseElementsAttr::get(scalar, 255));
      Value value =
          AndOp::create(builder, op.getLoc(), bits.getType(), bits, mask);
      op.getInputMutable().assign(value);
    } else if (isTo && isa<FloatType>(from.getElementType())) {
      // 128 to 255 are out of the range of i8, and within that of i32.
      op.getInputMutable().assign(widened(op.getInput()));
    }
    ++lowered;
  }
};

} // namespace
