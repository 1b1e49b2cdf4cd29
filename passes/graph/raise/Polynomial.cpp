// SPDX-License-Identifier: Apache-2.0
//
// Polynomials of values, made by walking from the value to the variables.

#include "passes/graph/raise/Polynomial.h"

#include "passes/graph/raise/Match.h"

#include <cmath>

using namespace mlir;

namespace minic::graph {

/// What activations are made of is never deeper, nor has more terms.
static constexpr int maxDepth = 8;
static constexpr size_t maxTerms = 8;
static constexpr int maxPower = 4;

static std::optional<Polynomial> constantOf(double value, size_t variables) {
  if (!std::isfinite(value)) {
    return std::nullopt;
  }
  Polynomial result;
  if (value != 0) {
    result[std::vector<int>(variables)] = value;
  }
  return result;
}

static std::optional<Polynomial> sum(Polynomial a, const Polynomial &b,
                                     double sign) {
  for (const auto &[powers, factor] : b) {
    double &term = a[powers];
    if (term * sign * factor < 0) {
      return std::nullopt;
    }
    term += sign * factor;
  }
  return a.size() <= maxTerms ? std::optional(std::move(a)) : std::nullopt;
}

static std::optional<Polynomial> product(const Polynomial &a,
                                         const Polynomial &b) {
  // 0 * x is not 0 where x is infinite.
  if (a.empty() || b.empty()) {
    return std::nullopt;
  }
  Polynomial result;
  for (const auto &[powers, factor] : a) {
    Polynomial shifted;
    for (const auto &[others, other] : b) {
      std::vector<int> both(powers);
      for (auto [power, more] : llvm::zip_equal(both, others)) {
        power += more;
        if (power > maxPower) {
          return std::nullopt;
        }
      }
      shifted[both] = factor * other;
    }
    auto next = sum(std::move(result), shifted, 1);
    if (!next) {
      return std::nullopt;
    }
    result = std::move(*next);
  }
  return result;
}

namespace {

struct Walk {
  ArrayRef<Value> variables;
  Type type;

  std::optional<Polynomial> visit(Value value, int depth) const {
    if (const auto *it = llvm::find(variables, value); it != variables.end()) {
      std::vector<int> powers(variables.size());
      powers[it - variables.begin()] = 1;
      return Polynomial{{powers, 1.0}};
    }
    if (std::optional<double> number = scalarOf(value)) {
      return constantOf(*number, variables.size());
    }
    Operation *op = value.getDefiningOp();
    if (!op || depth == 0 || value.getType() != type) {
      return std::nullopt;
    }
    if (isa<AddOp, SubOp, MulOp>(op)) {
      auto lhs = visit(op->getOperand(0), depth - 1);
      auto rhs = lhs ? visit(op->getOperand(1), depth - 1) : std::nullopt;
      if (!rhs) {
        return std::nullopt;
      }
      return isa<MulOp>(op) ? product(*lhs, *rhs)
                            : sum(*lhs, *rhs, isa<SubOp>(op) ? -1 : 1);
    }
    if (auto negation = dyn_cast<NegOp>(op)) {
      return scaled(negation.getInput(), -1, depth);
    }
    if (auto quotient = dyn_cast<DivOp>(op)) {
      std::optional<double> divisor = scalarOf(quotient.getRhs());
      return divisor ? scaled(quotient.getLhs(), 1 / *divisor, depth)
                     : std::nullopt;
    }
    if (auto power = dyn_cast<PowOp>(op)) {
      return raised(power, depth);
    }
    return std::nullopt;
  }

  std::optional<Polynomial> scaled(Value value, double factor,
                                   int depth) const {
    auto scale = constantOf(factor, variables.size());
    auto inner = scale ? visit(value, depth - 1) : std::nullopt;
    return inner ? product(*inner, *scale) : std::nullopt;
  }

  std::optional<Polynomial> raised(PowOp op, int depth) const {
    std::optional<double> exponent = scalarOf(op.getRhs());
    if (!exponent || *exponent < 1 || *exponent > maxPower ||
        *exponent != std::floor(*exponent)) {
      return std::nullopt;
    }
    auto base = visit(op.getLhs(), depth - 1), result = base;
    for (int i = 1; result && i < int(*exponent); ++i) {
      result = product(*result, *base);
    }
    return result;
  }
};

} // namespace

std::optional<Polynomial> polynomialIn(Value value, ArrayRef<Value> variables) {
  bool haveOneType =
      isFloat(value) && llvm::all_of(variables, [&](Value variable) {
        return variable.getType() == value.getType();
      });
  return haveOneType ? Walk{variables, value.getType()}.visit(value, maxDepth)
                     : std::nullopt;
}

bool isPolynomial(Value value, ArrayRef<Value> variables,
                  const Polynomial &expected) {
  std::optional<Polynomial> actual = polynomialIn(value, variables);
  if (!actual || actual->size() != expected.size()) {
    return false;
  }
  Type dtype = typeOf(value).getElementType();
  return llvm::all_of(llvm::zip(*actual, expected), [&](auto pair) {
    const auto &[term, wanted] = pair;
    return term.first == wanted.first &&
           isNear(term.second, wanted.second, dtype);
  });
}

SmallVector<Value, 16> possibleVariables(Value root) {
  static constexpr size_t most = 16;
  SmallVector<Value, 16> values{root};
  for (size_t i = 0; i < values.size(); ++i) {
    Operation *op = values[i].getDefiningOp();
    if (!isa_and_present<AddOp, SubOp, MulOp, DivOp, NegOp, PowOp>(op)) {
      continue;
    }
    for (Value operand : op->getOperands()) {
      if (values.size() < most && operand.getType() == root.getType() &&
          !llvm::is_contained(values, operand) && !scalarOf(operand)) {
        values.push_back(operand);
      }
    }
  }
  return values;
}

} // namespace minic::graph
