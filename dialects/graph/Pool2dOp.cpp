// SPDX-License-Identifier: Apache-2.0
//
// graph.pool2d: shape inference, loops, its element.

#include "dialects/graph/ImageShapes.h"
#include "dialects/graph/ScalarLoops.h"
#include "dialects/graph/ShapeText.h"

#include <limits>

using namespace mlir;

namespace minic::graph {

/// The line of dimension `side` (0 for heights); outputs are not set.
static WindowLine lineOf(Pool2dOpAdaptor op, int64_t side, int64_t extent) {
  return {.extent = extent,
          .outputs = 0,
          .window = op.getWindow()[side],
          .stride = op.getStrides()[side],
          .dilation = op.getDilations()[side],
          .before = op.getPads()[side],
          .after = op.getPads()[2 + side]};
}

/// Fails where a window has no element of the input, or would.
static LogicalResult checkLine(std::optional<Location> loc, int64_t side,
                               const WindowLine &line) {
  constexpr int64_t most = int64_t(1) << 61; // far from overflow
  if (line.extent > most) {
    return emitOptionalError(
        loc, "'graph.pool2d' op expects heights and widths up to ", most,
        ", got ", sideText(side), line.extent);
  }
  if (line.reach() > line.extent + line.before + line.after) {
    return emitOptionalError(
        loc,
        "'graph.pool2d' op expects the padded input to be no smaller than the "
        "dilated window, got ",
        sideText(side), line.extent, " + ", line.before, " + ", line.after,
        " and (", line.window, " - 1) * ", line.dilation, " + 1");
  }
  if (line.window > 1 && line.dilation > line.extent) {
    return emitOptionalError(
        loc, "'graph.pool2d' op expects dilations within the input, got ",
        sideText(side), line.extent, " and dilation ", line.dilation);
  }
  if (std::max(line.before, line.after) >= line.reach()) {
    return emitOptionalError(
        loc,
        "'graph.pool2d' op expects pads smaller than the dilated window, got ",
        sideText(side), line.before, " and ", line.after, " for (", line.window,
        " - 1) * ", line.dilation, " + 1");
  }
  return success();
}

LogicalResult
Pool2dOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                           ValueRange operands, DictionaryAttr attributes,
                           OpaqueProperties properties, RegionRange regions,
                           SmallVectorImpl<Type> &types) {
  Pool2dOpAdaptor op(operands, attributes, properties, regions);
  auto input = cast<RankedTensorType>(op.getInput().getType());
  if (failed(checkNumbers(loc, "pool2d", "window", op.getWindow(), 2, 1)) ||
      failed(checkNumbers(loc, "pool2d", "strides", op.getStrides(), 2, 1)) ||
      failed(checkNumbers(loc, "pool2d", "pads", op.getPads(), 4, 0)) ||
      failed(
          checkNumbers(loc, "pool2d", "dilations", op.getDilations(), 2, 1))) {
    return failure();
  }
  if (input.getRank() != 4) {
    return emitOptionalError(loc, "'graph.pool2d' op expects input ",
                             imageText(op.getLayout()), ", got ",
                             shapeText(input.getShape()));
  }
  SmallVector<int64_t> shape(input.getShape());
  for (int64_t side : {0, 1}) {
    int64_t &extent = shape[ImageDims(op.getLayout()).height + side];
    if (!isKnown(extent)) {
      continue;
    }
    WindowLine line = lineOf(op, side, extent);
    if (failed(checkLine(loc, side, line))) {
      return failure();
    }
    int64_t room = extent + line.before + line.after - line.reach();
    line.outputs = room / line.stride + 1;
    bool isCut = op.getCeilMode() && room % line.stride != 0;
    // None begins behind the input.
    line.outputs += isCut && line.start(line.outputs) < extent;
    extent = line.outputs;
  }
  types.push_back(input.clone(shape));
  return success();
}

WindowLine Pool2dOp::getLine(unsigned dim) {
  int64_t at = ImageDims(getLayout()).height + dim;
  WindowLine line =
      lineOf(Pool2dOpAdaptor(*this), dim, getInput().getType().getDimSize(at));
  line.outputs = getType().getDimSize(at);
  return line;
}

IterationSpace Pool2dOp::getIterationSpace() {
  IterationSpace space = IterationSpace::overElements(getType().getShape());
  ImageDims dims(getLayout());
  SmallVector<AffineExpr> read;
  for (unsigned i = 0; i < 4; ++i) {
    read.push_back(getAffineDimExpr(i, getContext()));
  }
  space.resultMaps = {AffineMap::get(6, 0, read, getContext())};
  for (unsigned side : {0, 1}) {
    space.addReduction(IteratorKind::Window, getWindow()[side]);
    AffineExpr &index = read[dims.height + side];
    index = index * getStrides()[side] +
            getAffineDimExpr(4 + side, getContext()) * getDilations()[side] -
            getPads()[side];
  }
  space.operandMaps = {AffineMap::get(6, 0, read, getContext())};
  return space;
}

TypedAttr Pool2dOp::getPaddingValue(unsigned) {
  double outside =
      getKind() == PoolKind::Max ? -std::numeric_limits<double>::infinity() : 0;
  return FloatAttr::get(getInput().getType().getElementType(), outside);
}

int64_t Pool2dOp::getFlopsPerPoint() { return 1; }
int64_t Pool2dOp::getFlopsPerResult() { return getKind() == PoolKind::Average; }
ScalarCost Pool2dOp::getScalarCost() {
  return getKind() == PoolKind::Average ? ScalarCost::Division
                                        : ScalarCost::Simple;
}
int64_t Pool2dOp::getReadsPerElement() {
  return getWindow()[0] * getWindow()[1];
}

namespace {

/// A window along one dimension at a place that is known at run time.
struct EmittedWindow {
  WindowLine line;
  Value start, first, last;

  EmittedWindow(ScalarLoops &emit, const WindowLine &line, Value output)
      : line(line),
        start(emit.add(emit.mul(output, line.stride), -line.before)),
        first(emit.i64(0)), last(emit.i64(line.window)) {
    if (!line.isInside()) {
      first = countBelow(emit, 0);
      last = countBelow(emit, line.extent);
    }
  }

  Value countBelow(ScalarLoops &emit, int64_t bound) const {
    Value room = emit.sub(emit.i64(bound + line.dilation - 1), start);
    return emit.min(emit.div(emit.max(room, 0), line.dilation), line.window);
  }
  Value count(ScalarLoops &emit, bool countsPads) const {
    if (countsPads && line.after == 0 && line.isInside()) {
      return last;
    }
    return countsPads ? countBelow(emit, line.extent + line.after)
                      : emit.sub(last, first);
  }
  Value at(ScalarLoops &emit, Value tap) const {
    return emit.add(start, emit.mul(tap, line.dilation));
  }
};

} // namespace

SmallVector<Value> Pool2dOp::emitElements(OpBuilder &builder,
                                          ElementAccess &access,
                                          ValueRange indices) {
  ScalarLoops emit{builder, getLoc()};
  ImageDims dims(getLayout());
  EmittedWindow rows(emit, getLine(0), indices[dims.height]);
  EmittedWindow columns(emit, getLine(1), indices[dims.width]);
  bool isMax = getKind() == PoolKind::Max;
  double none = isMax ? -std::numeric_limits<double>::infinity() : 0;
  SmallVector<Value> from(indices);
  Value state = emit.loop(
      rows.first, rows.last, emit.f32(none), [&](Value row, Value outer) {
        from[dims.height] = rows.at(emit, row);
        return emit.loop(
            columns.first, columns.last, outer, [&](Value column, Value inner) {
              from[dims.width] = columns.at(emit, column);
              Value element = access.read(0, from);
              return isMax ? Value(arith::MaximumFOp::create(builder, getLoc(),
                                                             inner, element))
                           : emit.addf(inner, element);
            });
      });
  if (getKind() == PoolKind::Average) {
    Value count = emit.mul(rows.count(emit, getCountPads()),
                           columns.count(emit, getCountPads()));
    state = emit.divf(state, emit.toFloat(count));
  }
  return {state};
}

} // namespace minic::graph
