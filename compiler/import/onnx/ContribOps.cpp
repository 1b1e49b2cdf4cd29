// SPDX-License-Identifier: Apache-2.0
//
// What ONNX Runtime's optimizer makes of activations and norms: its contrib
// ops, in the domain com.microsoft, and its own norms in ONNX's.

#include "compiler/import/onnx/OpTable.h"

namespace minic {

using ::onnx::TensorProto;

//===----------------------------------------------------------------------===//
// Activations
//===----------------------------------------------------------------------===//

static Value geluOf(Node &n, const Value &x,
                    graph::GeluApproximation approximation) {
  mlir::Value operand = n.e.graph(x);
  return operand ? n.e.emit<graph::GeluOp>(operand, approximation) : Value();
}

static void gelu(Node &n) {
  n.set(0, geluOf(n, n.operand(0), graph::GeluApproximation::None));
}

static void biasGelu(Node &n) {
  n.set(0, geluOf(n, n.e.add(n.operand(0), n.operand(1)),
                  graph::GeluApproximation::None));
}

static void fastGelu(Node &n) {
  Value x = n.operand(0);
  n.set(0, geluOf(n, n.has(1) ? n.e.add(x, n.operand(1)) : x,
                  graph::GeluApproximation::Tanh));
}

/// x * sigmoid(alpha * x)
static void quickGelu(Node &n) {
  Value x = n.operand(0);
  Value scaled = n.e.mul(n.e.scalar(n.floatOf("alpha", 1.702f), x), x);
  n.set(0, n.e.mul(x, n.e.unary<graph::SigmoidOp>(scaled, nullptr)));
}

//===----------------------------------------------------------------------===//
// Norms of the last dimension
//===----------------------------------------------------------------------===//

static Value layerNorm(Node &n, const Value &x, const Value &scale,
                       const Value &bias) {
  mlir::Value input = n.e.graph(x), scaleValue = n.e.graph(scale);
  mlir::Value biasValue = bias ? n.e.graph(bias) : mlir::Value();
  if (n.failed()) {
    return {};
  }
  return n.e.emit<graph::LayerNormOp>(
      input, scaleValue, biasValue, uint64_t(x.rank() - 1),
      llvm::APFloat(n.floatOf("epsilon", 1e-12f)));
}

static Value rmsNorm(Node &n, const Value &x, const Value &scale, int64_t axis,
                     double epsilon) {
  mlir::Value input = n.e.graph(x), scaleValue = n.e.graph(scale);
  return n.failed()
             ? Value()
             : n.e.emit<graph::RmsNormOp>(input, scaleValue, uint64_t(axis),
                                          llvm::APFloat(epsilon));
}

static void simplifiedLayerNorm(Node &n) {
  Value x = n.operand(0), scale = n.operand(1);
  int64_t axis = n.axisOf(n.intOf("axis", -1), x.rank());
  if (!n.failed()) {
    n.set(0, rmsNorm(n, x, scale, axis, n.floatOf("epsilon", 1e-5f)));
  }
}

/// Input, what skips the layer before, and the operand `bias` where given. The
/// sum is the fourth result.
static Value skipSum(Node &n, unsigned bias) {
  Value sum = n.e.add(n.operand(0), n.operand(1));
  sum = n.has(bias) ? n.e.add(sum, n.operand(bias)) : sum;
  if (sum && sum.rank() == 0) {
    return n.fail("a scalar operand");
  }
  n.set(3, sum);
  return sum;
}

static void skipLayerNorm(Node &n) {
  if (Value sum = skipSum(n, 4)) {
    n.set(0, layerNorm(n, sum, n.operand(2), n.optionalOperand(3)));
  }
}

static void skipSimplifiedLayerNorm(Node &n) {
  if (Value sum = skipSum(n, 3)) {
    n.set(0, rmsNorm(n, sum, n.operand(2), sum.rank() - 1,
                     n.floatOf("epsilon", 1e-12f)));
  }
}

//===----------------------------------------------------------------------===//
// Embeddings
//===----------------------------------------------------------------------===//

/// Rows of up to three tables, summed and normalized; and how many tokens each
/// row of the mask has.
static void embedLayerNorm(Node &n) {
  Value ids = n.operand(0), words = n.operand(2), positions = n.operand(3);
  if (n.failed() || ids.rank() != 2 || words.rank() != 2 ||
      positions.rank() != 2 || ids.dims[1] > positions.dims[0]) {
    n.fail("expected input_ids and tables of two dimensions");
    return;
  }
  Value sum = n.e.gather(words, ids, 0);
  Value position = n.has(8) ? n.e.gather(positions, n.operand(8), 0)
                            : n.e.sliceAxis(positions, 0, 0, ids.dims[1]);
  sum = n.e.add(sum, position);
  if (n.has(1) && n.has(4)) {
    sum = n.e.add(sum, n.e.gather(n.operand(4), n.operand(1), 0));
  }
  if (!sum) {
    return;
  }
  n.set(0, layerNorm(n, sum, n.operand(5), n.operand(6)));
  n.set(2, sum);
  if (n.wants(1)) {
    n.set(1, n.has(7) ? n.e.reduce(graph::ReduceKind::Sum,
                                   n.e.cast(n.operand(7), TensorProto::INT32),
                                   {1}, false)
                      : n.e.splat(TensorProto::INT32, {ids.dims[0]}, 0));
  }
}

llvm::ArrayRef<OpEntry> contribOps() {
  static const OpEntry table[] = {
      microsoftOp("BiasGelu", biasGelu),
      microsoftOp("EmbedLayerNormalization", embedLayerNorm),
      microsoftOp("FastGelu", fastGelu),
      microsoftOp("Gelu", gelu),
      microsoftOp("QuickGelu", quickGelu),
      {"SimplifiedLayerNormalization", simplifiedLayerNorm},
      microsoftOp("SkipLayerNormalization", skipLayerNorm),
      microsoftOp("SkipSimplifiedLayerNormalization", skipSimplifiedLayerNorm),
  };
  return table;
}

} // namespace minic
