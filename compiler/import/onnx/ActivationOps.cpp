// SPDX-License-Identifier: Apache-2.0
//
// Activations: graph ops where there is one, else their formula.

#include "compiler/import/onnx/OpTable.h"

#include <cmath>

namespace minic {

using graph::ComparePredicate;

/// An activation that graph has and nobody applies to shapes.
template <typename OpT> static void same(Node &n) {
  n.set(0, n.e.unary<OpT>(n.operand(0), nullptr));
}

template <typename OpT, typename... Args>
static Value make(Node &n, const Value &x, Args... args) {
  mlir::Value operand = n.e.graph(x);
  return operand ? n.e.emit<OpT>(operand, args...) : Value();
}

static llvm::APFloat number(double value) { return llvm::APFloat(value); }

static Value expOf(Node &n, const Value &x) {
  return n.e.unary<graph::ExpOp>(x, [](double a) { return std::exp(a); });
}

static Value zeroUnless(Node &n, ComparePredicate predicate, const Value &x,
                        double bound, const Value &value) {
  return n.e.select(n.e.compare(predicate, x, n.e.scalar(bound, x)), value,
                    n.e.scalar(0, x));
}

static void gelu(Node &n) {
  std::string kind = n.stringOf("approximate", "none");
  n.set(0,
        make<graph::GeluOp>(n, n.operand(0),
                            kind == "tanh" ? graph::GeluApproximation::Tanh
                                           : graph::GeluApproximation::None));
}

static void elu(Node &n) {
  n.set(0, make<graph::EluOp>(n, n.operand(0), number(n.floatOf("alpha", 1))));
}

static void leakyRelu(Node &n) {
  n.set(0, make<graph::LeakyReluOp>(n, n.operand(0),
                                    number(n.floatOf("alpha", 0.01f))));
}

static void hardSigmoid(Node &n) {
  n.set(0, make<graph::HardSigmoidOp>(n, n.operand(0),
                                      number(n.floatOf("alpha", 0.2f)),
                                      number(n.floatOf("beta", 0.5))));
}

/// gamma * (max(x, 0) + alpha * (exp(min(x, 0)) - 1))
static void selu(Node &n) {
  Value x = n.operand(0);
  Value inner = make<graph::EluOp>(
      n, x, number(n.floatOf("alpha", 1.67326319217681884765625)));
  n.set(0, n.e.mul(n.e.scalar(n.floatOf("gamma", 1.05070102214813232421875), x),
                   inner));
}

/// max(x, 0) + min(alpha * (exp(x / alpha) - 1), 0)
static void celu(Node &n) {
  Value x = n.operand(0), zero = n.e.scalar(0, x);
  Value alpha = n.e.scalar(n.floatOf("alpha", 1), x);
  Value below =
      n.e.mul(alpha, n.e.sub(expOf(n, n.e.div(x, alpha)), n.e.scalar(1, x)));
  n.set(0, n.e.add(n.e.max(x, zero), n.e.min(below, zero)));
}

static void thresholdedRelu(Node &n) {
  Value x = n.operand(0);
  n.set(0, zeroUnless(n, ComparePredicate::Gt, x, n.floatOf("alpha", 1), x));
}

/// x + bias below -lambd, x - bias above lambd, else 0.
static void shrink(Node &n) {
  Value x = n.operand(0), bias = n.e.scalar(n.floatOf("bias", 0), x);
  double bound = n.floatOf("lambd", 0.5);
  Value low = zeroUnless(n, ComparePredicate::Lt, x, -bound, n.e.add(x, bias));
  Value high = zeroUnless(n, ComparePredicate::Gt, x, bound, n.e.sub(x, bias));
  n.set(0, n.e.add(low, high));
}

static void softsign(Node &n) {
  Value x = n.operand(0);
  n.set(0, n.e.div(x, n.e.add(n.e.scalar(1, x), n.e.abs(x))));
}

static void prelu(Node &n) {
  Value x = n.operand(0), slope = n.operand(1);
  Value isNegative = n.e.compare(ComparePredicate::Lt, x, n.e.scalar(0, x));
  n.set(0, n.e.select(isNegative, n.e.mul(slope, x), x));
}

/// x * sigmoid(alpha * x)
static void swish(Node &n) {
  Value x = n.operand(0);
  double alpha = n.floatOf("alpha", 1);
  if (alpha == 1) {
    return same<graph::SiluOp>(n);
  }
  Value gate =
      n.e.unary<graph::SigmoidOp>(n.e.mul(n.e.scalar(alpha, x), x), nullptr);
  n.set(0, n.e.mul(x, gate));
}

static void relu(Node &n) {
  Value x = n.operand(0);
  if (x && !x.isFloat()) {
    n.set(0, n.e.max(x, n.e.scalar(0, x)));
    return;
  }
  same<graph::ReluOp>(n);
}

llvm::ArrayRef<OpEntry> activationOps() {
  static const OpEntry table[] = {
      {"Celu", celu, 12},
      {"Elu", elu, 6},
      {"Gelu", gelu, 20},
      {"HardSigmoid", hardSigmoid, 6},
      {"HardSwish", same<graph::HardSwishOp>, 14},
      {"LeakyRelu", leakyRelu, 6},
      {"Mish", same<graph::MishOp>, 18},
      {"PRelu", prelu, 7},
      {"Relu", relu, 6},
      {"Selu", selu, 6},
      {"Shrink", shrink, 9},
      {"Sigmoid", same<graph::SigmoidOp>, 6},
      {"Softplus", same<graph::SoftplusOp>},
      {"Softsign", softsign},
      {"Swish", swish, 24},
      {"ThresholdedRelu", thresholdedRelu, 10},
  };
  return table;
}

} // namespace minic
