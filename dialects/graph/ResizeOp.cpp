// SPDX-License-Identifier: Apache-2.0
//
// graph.resize: shape inference, loops, its element.

#include "dialects/graph/ImageShapes.h"
#include "dialects/graph/ScalarLoops.h"
#include "dialects/graph/ShapeText.h"

using namespace mlir;

namespace minic::graph {

/// Sizes whose doubles are exact in float32, so that a weight is too.
static constexpr int64_t kMostPixels = 1 << 20;

ResizeLine::ResizeLine(int64_t inputs, int64_t outputs, ResizeRule rule)
    : inputs(inputs), outputs(outputs),
      roundsDown(rule == ResizeRule::Asymmetric) {
  switch (rule) {
  case ResizeRule::HalfPixel:
    scale = 2 * inputs;
    offset = inputs - outputs;
    divisor = 2 * outputs;
    break;
  case ResizeRule::AlignCorners:
    // One element of one is that one.
    scale = outputs > 1 ? inputs - 1 : inputs == 1;
    offset = 0;
    divisor = std::max<int64_t>(outputs - 1, 1);
    break;
  case ResizeRule::Asymmetric:
    scale = inputs;
    offset = 0;
    divisor = outputs;
    break;
  }
}

LogicalResult
ResizeOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                           ValueRange operands, DictionaryAttr attributes,
                           OpaqueProperties properties, RegionRange regions,
                           SmallVectorImpl<Type> &types) {
  ResizeOpAdaptor op(operands, attributes, properties, regions);
  auto input = cast<RankedTensorType>(op.getInput().getType());
  if (failed(checkNumbers(loc, "resize", "sizes", op.getSizes(), 2, 1,
                          kMostPixels))) {
    return failure();
  }
  if (input.getRank() != 4) {
    return emitOptionalError(loc, "'graph.resize' op expects input ",
                             imageText(op.getLayout()), ", got ",
                             shapeText(input.getShape()));
  }
  if (op.getMode() == ResizeMode::Bilinear &&
      !isa<FloatType>(input.getElementType())) {
    return emitOptionalError(loc,
                             "'graph.resize' op expects floats to weigh, got ",
                             input.getElementType());
  }
  SmallVector<int64_t> shape(input.getShape());
  for (int64_t side : {0, 1}) {
    int64_t &extent = shape[ImageDims(op.getLayout()).height + side];
    if (isKnown(extent) && (extent < 1 || extent > kMostPixels)) {
      return emitOptionalError(loc,
                               "'graph.resize' op expects a height and a "
                               "width from 1 to ",
                               kMostPixels, ", got ", extent);
    }
    extent = op.getSizes()[side];
  }
  types.push_back(input.clone(shape));
  return success();
}

ResizeLine ResizeOp::getLine(unsigned dim) {
  int64_t at = ImageDims(getLayout()).height + dim;
  return ResizeLine(getInput().getType().getDimSize(at), getSizes()[dim],
                    getRule());
}

/// Elements that one of the result is made of.
static int64_t tapsOf(ResizeOp op, unsigned dim) {
  if (!op.getInput().getType().hasStaticShape()) {
    return op.getMode() == ResizeMode::Nearest ? 1 : 2;
  }
  return op.getMode() == ResizeMode::Nearest || op.getLine(dim).isIdentity()
             ? 1
             : 2;
}

IterationSpace ResizeOp::getIterationSpace() {
  IterationSpace space = IterationSpace::overElements(getType().getShape());
  for (unsigned side : {0, 1}) {
    space.addReduction(IteratorKind::Window, tapsOf(*this, side));
  }
  space.operandMaps = {AffineMap()};
  space.resultMaps = {
      AffineMap::getMultiDimIdentityMap(6, getContext()).getMajorSubMap(4)};
  return space;
}

int64_t ResizeOp::getFlopsPerPoint() {
  return getMode() == ResizeMode::Nearest ? 0 : 2;
}
int64_t ResizeOp::getReadsPerElement() {
  return tapsOf(*this, 0) * tapsOf(*this, 1);
}

namespace {

/// Where along one dimension a result element comes from: one index, or two
/// with their weights.
struct Source {
  Value first, second, firstWeight, secondWeight;
};

Source emitSource(ScalarLoops &emit, const ResizeLine &line, ResizeMode mode,
                  Value output) {
  if (line.isIdentity()) {
    return {output, {}, {}, {}};
  }
  if (mode == ResizeMode::Nearest) {
    ResizeLine::Nearest to = line.nearest();
    Value at = emit.add(emit.mul(output, to.factor), to.addend);
    return {emit.div(at, to.by), {}, {}, {}};
  }
  Value at = emit.add(emit.mul(output, line.scale), line.offset);
  at = emit.min(emit.max(at, 0), (line.inputs - 1) * line.divisor);
  Value first = emit.div(at, line.divisor), rest = emit.rem(at, line.divisor);
  Value whole = emit.f32(double(line.divisor));
  auto share = [&](Value part) { return emit.divf(emit.toFloat(part), whole); };
  return {first, emit.min(emit.add(first, 1), line.inputs - 1),
          share(emit.sub(emit.i64(line.divisor), rest)), share(rest)};
}

} // namespace

SmallVector<Value> ResizeOp::emitElements(OpBuilder &builder,
                                          ElementAccess &access,
                                          ValueRange indices) {
  ScalarLoops emit{builder, getLoc()};
  ImageDims dims(getLayout());
  Source rows = emitSource(emit, getLine(0), getMode(), indices[dims.height]);
  Source columns = emitSource(emit, getLine(1), getMode(), indices[dims.width]);
  SmallVector<Value> from(indices);
  auto weigh = [&](const Source &source, function_ref<Value(Value)> read) {
    if (!source.second) {
      return read(source.first);
    }
    Value first = emit.mulf(source.firstWeight, read(source.first));
    Value second = emit.mulf(source.secondWeight, read(source.second));
    return emit.addf(first, second);
  };
  return {weigh(rows, [&](Value row) {
    return weigh(columns, [&](Value column) {
      from[dims.height] = row;
      from[dims.width] = column;
      return access.read(0, from);
    });
  })};
}

} // namespace minic::graph
