// SPDX-License-Identifier: Apache-2.0
//
// Products of activations count as finite, as the scores of an attention do.

#include "passes/graph/raise/Finite.h"

#include "dialects/graph/Graph.h"
#include "passes/graph/raise/KnownValues.h"
#include "passes/graph/raise/Match.h"

#include <cmath>

using namespace mlir;

namespace minic::graph {

static bool isFiniteConstant(Value value) {
  if (std::optional<double> number = scalarOf(value)) {
    return std::isfinite(*number);
  }
  std::optional<KnownValues> known = KnownValues::get(value);
  return known && llvm::all_of(known->elements, [](float element) {
           return std::isfinite(element);
         });
}

static bool isFiniteTo(Value value, int depth) {
  if (!isFloat(value)) {
    return true;
  }
  Operation *op = value.getDefiningOp();
  if (!op || depth == 0) {
    return false;
  }
  if (isa<ConstantOp>(op)) {
    return isFiniteConstant(value);
  }
  if (isa<MatmulOp, LinearOp, Conv2dOp, SoftmaxOp, TanhOp, SigmoidOp,
          LayerNormOp, RmsNormOp, SinOp, CosOp>(op)) {
    return true;
  }
  bool keepsFinite =
      movesElements(op) || isa<AddOp, SubOp, MulOp, NegOp, AbsOp, MaxOp, MinOp,
                               CastOp, SelectOp, ReluOp, GeluOp, SiluOp>(op);
  return keepsFinite && llvm::all_of(op->getOperands(), [&](Value operand) {
           return isFiniteTo(operand, depth - 1);
         });
}

bool isProvablyFinite(Value value) { return isFiniteTo(value, /*depth=*/16); }

} // namespace minic::graph
