// SPDX-License-Identifier: Apache-2.0

#include "compiler/target/cuda/images/PixelSource.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace minic::cuda {

namespace {

/// One or two lines of the input that a line of the result is between.
struct Lines {
  Value first, second, firstWeight, secondWeight;
};

} // namespace

static Lines linesFor(const PixelSource &source, unsigned side, Value output) {
  CudaKernelBuilder &k = source.k;
  graph::ResizeLine line = source.image.line(side);
  if (line.isIdentity()) {
    return {output};
  }
  if (source.image.isNearest()) {
    graph::ResizeLine::Nearest to = line.nearest();
    Value scaled = k.add(k.mul(output, to.factor), k.i32(to.addend));
    return {k.div(scaled, to.by)};
  }
  Value at = k.add(k.mul(output, line.scale), k.i32(line.offset));
  at = k.min(k.max(at, k.i32(0)), k.i32((line.inputs - 1) * line.divisor));
  Value rest = k.rem(at, line.divisor);
  Value whole = source.toFloat(k.i32(line.divisor));
  auto share = [&](Value part) -> Value {
    return source.spread(
        arith::DivFOp::create(k.b, k.loc, source.toFloat(part), whole));
  };
  Value first = k.div(at, line.divisor);
  Value second = k.min(k.add(first, k.i32(1)), k.i32(line.inputs - 1));
  return {first, second, share(k.sub(k.i32(line.divisor), rest)), share(rest)};
}

static Value between(CudaKernelBuilder &k, const Lines &lines,
                     llvm::function_ref<Value(Value)> at) {
  Value first = at(lines.first);
  if (!lines.second) {
    return first;
  }
  Value second = at(lines.second);
  return arith::AddFOp::create(
      k.b, k.loc, arith::MulFOp::create(k.b, k.loc, first, lines.firstWeight),
      arith::MulFOp::create(k.b, k.loc, second, lines.secondWeight));
}

Value emitResized(const PixelSource &source) {
  Lines rows = linesFor(source, 0, source.row);
  Lines columns = linesFor(source, 1, source.column);
  return between(source.k, rows, [&](Value h) {
    return between(source.k, columns,
                   [&](Value w) { return source.read(h, w); });
  });
}

} // namespace minic::cuda
