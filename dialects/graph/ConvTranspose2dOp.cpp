// SPDX-License-Identifier: Apache-2.0
//
// graph.conv_transpose2d: shape inference, loops, its element.

#include "dialects/graph/ImageShapes.h"
#include "dialects/graph/ScalarLoops.h"
#include "dialects/graph/ShapeText.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace minic::graph {

Conv2dGeometry ConvTranspose2dOp::getGeometry() {
  return geometryOf(*this, getResult(), getInput());
}

/// Dtypes, ranks, channels and groups.
static LogicalResult checkOperands(std::optional<Location> loc,
                                   ConvTranspose2dOpAdaptor op) {
  auto input = cast<RankedTensorType>(op.getInput().getType());
  auto filter = cast<RankedTensorType>(op.getFilter().getType());
  if (failed(checkConvolution(loc, "conv_transpose2d", op.getLayout(),
                              "[C, K / groups, R, S]", op.getOperands()))) {
    return failure();
  }
  int64_t channels = input.getDimSize(ImageDims(op.getLayout()).channels);
  if (isKnown(channels) && isKnown(filter.getDimSize(0)) &&
      channels != filter.getDimSize(0)) {
    return emitOptionalError(
        loc,
        "'graph.conv_transpose2d' op expects C channels in the filter, got ",
        channels, " and ", filter.getDimSize(0));
  }
  int64_t groups = op.getGroups();
  if (isKnown(filter.getDimSize(0)) && filter.getDimSize(0) % groups != 0) {
    return emitOptionalError(loc,
                             "'graph.conv_transpose2d' op expects C to be a "
                             "multiple of groups, got ",
                             filter.getDimSize(0), " and ", groups);
  }
  return success();
}

/// The result's extent; failure where pads leave none, or it overflows.
static FailureOr<int64_t> resultExtent(int64_t input, int64_t filter,
                                       int64_t stride, int64_t pads,
                                       int64_t outputPad, int64_t dilation) {
  if (!isKnown(input) || !isKnown(filter)) {
    return ShapedType::kDynamic;
  }
  int64_t apart, reach, extent;
  if (filter < 1 || input < 1 || llvm::MulOverflow(input - 1, stride, apart) ||
      llvm::MulOverflow(filter - 1, dilation, reach) ||
      llvm::AddOverflow(apart, reach, extent) ||
      llvm::AddOverflow(extent, outputPad + 1 - pads, extent)) {
    return failure();
  }
  return extent < 1 ? FailureOr<int64_t>(failure()) : extent;
}

LogicalResult ConvTranspose2dOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> loc, ValueRange operands,
    DictionaryAttr attributes, OpaqueProperties properties, RegionRange regions,
    SmallVectorImpl<Type> &types) {
  ConvTranspose2dOpAdaptor op(operands, attributes, properties, regions);
  auto check = [&](StringRef name, ArrayRef<int64_t> values, size_t count,
                   int64_t least) {
    return checkNumbers(loc, "conv_transpose2d", name, values, count, least);
  };
  if (failed(check("strides", op.getStrides(), 2, 1)) ||
      failed(check("pads", op.getPads(), 4, 0)) ||
      failed(check("output_pads", op.getOutputPads(), 2, 0)) ||
      failed(check("dilations", op.getDilations(), 2, 1)) ||
      failed(check("groups", int64_t(op.getGroups()), 1, 1)) ||
      failed(checkOperands(loc, op))) {
    return failure();
  }
  auto input = cast<RankedTensorType>(op.getInput().getType());
  auto filter = cast<RankedTensorType>(op.getFilter().getType());
  ImageDims dims(op.getLayout());
  SmallVector<int64_t> shape(input.getShape());
  int64_t &outputs = shape[dims.channels];
  outputs = filter.getDimSize(1);
  if (isKnown(outputs) &&
      llvm::MulOverflow(outputs, int64_t(op.getGroups()), outputs)) {
    return emitOptionalError(
        loc, "'graph.conv_transpose2d' op expects fewer channels, got ",
        filter.getDimSize(1), " * ", op.getGroups());
  }
  if (failed(checkBias(loc, "conv_transpose2d", op.getBias(), outputs))) {
    return failure();
  }
  for (int64_t side : {0, 1}) {
    int64_t &extent = shape[dims.height + side];
    ArrayRef<int64_t> pads = op.getPads();
    auto result =
        resultExtent(extent, filter.getDimSize(2 + side), op.getStrides()[side],
                     pads[side] + pads[2 + side], op.getOutputPads()[side],
                     op.getDilations()[side]);
    if (failed(result)) {
      return emitOptionalError(
          loc,
          "'graph.conv_transpose2d' op expects pads that leave a result, got ",
          sideText(side), pads[side], " and ", pads[2 + side], " of (", extent,
          " - 1) * ", op.getStrides()[side], " + (",
          filter.getDimSize(2 + side), " - 1) * ", op.getDilations()[side],
          " + ", op.getOutputPads()[side], " + 1");
    }
    extent = *result;
  }
  types.push_back(input.clone(shape));
  return success();
}

OperandRole ConvTranspose2dOp::getOperandRole(unsigned operand) {
  static constexpr OperandRole roles[] = {
      OperandRole::Data, OperandRole::Weight, OperandRole::Bias};
  return roles[operand];
}

/// What it reads of the input no map can say: one of `stride` elements.
IterationSpace ConvTranspose2dOp::getIterationSpace() {
  Conv2dGeometry g = getGeometry();
  IterationSpace space = IterationSpace::overElements(getType().getShape());
  space.addReduction(IteratorKind::Reduction, g.outputChannelsPerGroup());
  space.addReduction(IteratorKind::Window, g.filterHeight);
  space.addReduction(IteratorKind::Window, g.filterWidth);
  space.operandMaps.assign(getNumOperands(), AffineMap());
  space.resultMaps = {
      AffineMap::getMultiDimIdentityMap(7, getContext()).getMajorSubMap(4)};
  if (getBias()) {
    unsigned channels = ImageDims(getLayout()).channels;
    space.operandMaps[2] = space.resultMaps[0].getSubMap({channels});
  }
  return space;
}

int64_t ConvTranspose2dOp::getFlopsPerPoint() { return 2; }
int64_t ConvTranspose2dOp::getFlopsPerResult() { return getBias() ? 1 : 0; }
int64_t ConvTranspose2dOp::getReadsPerElement() {
  Conv2dGeometry g = getGeometry();
  return g.outputChannelsPerGroup() * g.filterHeight * g.filterWidth;
}

SmallVector<Value> ConvTranspose2dOp::emitElements(OpBuilder &builder,
                                                   ElementAccess &access,
                                                   ValueRange indices) {
  ScalarLoops emit{builder, getLoc()};
  Conv2dGeometry g = getGeometry();
  ImageDims dims(getLayout());
  Value channel = indices[dims.channels], zero = emit.i64(0);
  int64_t perGroup = g.outputChannelsPerGroup();
  Value group = emit.div(channel, g.inputChannelsPerGroup());
  Value firstInput = emit.mul(group, perGroup);
  Value ownChannel = emit.rem(channel, g.inputChannelsPerGroup());
  SmallVector<Value> from(indices);
  /// `body` with the input's index in `from`, where tap `tap` meets an element.
  auto tap = [&](int64_t dim, Value tap, int64_t stride, int64_t pad,
                 int64_t dilation, int64_t extent, Value state,
                 function_ref<Value()> body) {
    Value at = emit.sub(emit.add(indices[dim], pad), emit.mul(tap, dilation));
    // Before the first it is a large number without its sign.
    auto compare = [&](arith::CmpIPredicate predicate, Value x, Value y) {
      return arith::CmpIOp::create(builder, getLoc(), predicate, x, y);
    };
    Value isInside = compare(arith::CmpIPredicate::ult, at,
                             emit.i64((extent - 1) * stride + 1));
    Value isElement =
        compare(arith::CmpIPredicate::eq, emit.rem(at, stride), zero);
    Value meets = arith::AndIOp::create(builder, getLoc(), isInside, isElement);
    return emit.branch(meets, state, [&] {
      from[dim] = emit.div(at, stride);
      return body();
    });
  };
  Value sum = emit.loop(
      zero, emit.i64(g.filterHeight), emit.f32(0), [&](Value r, Value outer) {
        return tap(dims.height, r, g.strideHeight, g.padTop, g.dilationHeight,
                   g.outputHeight, outer, [&] {
                     return emit.loop(
                         zero, emit.i64(g.filterWidth), outer,
                         [&](Value s, Value inner) {
                           return tap(
                               dims.width, s, g.strideWidth, g.padLeft,
                               g.dilationWidth, g.outputWidth, inner, [&] {
                                 return emit.loop(
                                     zero, emit.i64(perGroup), inner,
                                     [&](Value c, Value state) {
                                       Value input = emit.add(firstInput, c);
                                       from[dims.channels] = input;
                                       Value x = access.read(0, from);
                                       Value w = access.read(
                                           1, {input, ownChannel, r, s});
                                       return Value(math::FmaOp::create(
                                           builder, getLoc(), x, w, state));
                                     });
                               });
                         });
                   });
      });
  return {getBias() ? emit.addf(sum, access.read(2, channel)) : sum};
}

} // namespace minic::graph
