// SPDX-License-Identifier: Apache-2.0
//
// Output channels by pixels of a packed line: a broadcast of a channel's tap is
// used for all vectors of pixels.

#include "compiler/target/cpu/TileEpilogue.h"
#include "compiler/target/cpu/conv_direct/Microkernels.h"

using namespace mlir;

namespace minic::cpu {

namespace {

/// Taps of a line up to which they are written out.
constexpr int64_t unrolledTaps = 8;

class NchwMicrokernel {
public:
  NchwMicrokernel(OpBuilder &builder, Location loc,
                  const kernel::FusionShape &shape,
                  const ConvDirectGeometry &geometry, int64_t height,
                  LLVM::LLVMFuncOp function)
      : k_(builder, loc), shape_(shape), geometry_(geometry), g_(geometry.g()),
        height_(height), args_(function.getArgument(2)),
        row_(function.getArgument(3)), column_(function.getArgument(4)),
        columnEnd_(geometry.hasColumnTail() ? function.getArgument(5)
                                            : Value()),
        f32_(builder.getF32Type()), f32s_(VectorType::get(convLanes, f32_)) {}

  void emit(Value pixels, Value panel) {
    // One line of the filter after the other, over channels and r.
    int64_t lines = g_.inputChannelsPerGroup() * g_.filterHeight;
    int64_t lineStep = geometry_.phases() * geometry_.packedWidth();
    int64_t panelStep = g_.filterWidth * geometry_.panelWidth;
    auto sumLines = [&](Value first, Value end) {
      return k_.forLoop(
          first, end, 1, zeros(), [&](Value line, ValueRange values) {
            return sumTaps(k_.advance(pixels, k_.mul(line, lineStep), f32_),
                           k_.advance(panel, k_.mul(line, panelStep),
                                      geometry_.conv.filterType),
                           SmallVector<Value>(values));
          });
    };
    int64_t chunk = geometry_.linesPerChunk();
    int64_t chunks = (lines - 1) / chunk;
    SmallVector<Value> sums;
    if (chunks > 0) {
      sums = k_.forLoop(k_.i64(0), k_.i64(chunks), 1, zeros(),
                        [&](Value number, ValueRange totals) {
                          Value first = k_.mul(number, chunk);
                          return k_.addAll(
                              totals, sumLines(first, k_.add(first, chunk)));
                        });
    }
    SmallVector<Value> rest = sumLines(k_.i64(chunks * chunk), k_.i64(lines));
    sums = withBias(chunks > 0 ? k_.addAll(sums, rest) : rest);
    emitTileEpilogue(k_, shape_, args_,
                     {.height = height_,
                      .vectors = geometry_.vectors(),
                      .lanes = convLanes,
                      .firstRow = row_,
                      .rowStep = g_.outputHeight,
                      .column = column_,
                      .columnEnd = columnEnd_},
                     sums);
  }

private:
  SmallVector<Value> zeros() {
    return SmallVector<Value>(height_ * geometry_.vectors(),
                              k_.zeroVector(f32_, convLanes));
  }

  /// The bias of each row's channel, whose number is in the row's. It comes
  /// last: a sum that begins with it rounds to its size.
  SmallVector<Value> withBias(ArrayRef<Value> sums) {
    Value bias = geometry_.conv.bias;
    if (!bias) {
      return SmallVector<Value>(sums);
    }
    Type type = geometry_.conv.inputType;
    Value channel = k_.rem(k_.div(row_, g_.outputHeight), g_.outputChannels);
    Value start = k_.advance(
        k_.argPointer(args_, cast<BlockArgument>(bias).getArgNumber()), channel,
        type);
    SmallVector<Value> rows;
    for (int64_t i = 0; i != height_; ++i) {
      rows.append(
          geometry_.vectors(),
          k_.splat(k_.loadScalar(k_.advance(start, i, type), type), convLanes));
    }
    return k_.addAll(sums, rows);
  }

  /// Adds the products of tap `s` of a line; `panel` is already there.
  void addProducts(Value line, Value panel, Value s,
                   MutableArrayRef<Value> sums) {
    Value phase = k_.rem(s, geometry_.phases());
    Value first = k_.div(k_.mul(s, g_.dilationWidth), g_.strideWidth);
    Value offset = k_.add(k_.mul(phase, geometry_.packedWidth()), first);
    Value from = k_.advance(line, offset, f32_);
    SmallVector<Value> pixels;
    for (int64_t v = 0; v != geometry_.vectors(); ++v) {
      pixels.push_back(
          k_.loadRaw(f32s_, k_.advance(from, v * convLanes, f32_), 4));
    }
    Type type = geometry_.conv.filterType;
    for (int64_t i = 0; i != height_; ++i) {
      Value tap =
          k_.splat(k_.loadScalar(k_.advance(panel, i, type), type), convLanes);
      for (int64_t v = 0; v != geometry_.vectors(); ++v) {
        Value &sum = sums[i * geometry_.vectors() + v];
        sum = LLVM::FMAOp::create(k_.b, k_.loc, f32s_, tap, pixels[v], sum);
      }
    }
  }

  SmallVector<Value> sumTaps(Value line, Value panel, SmallVector<Value> sums) {
    Type type = geometry_.conv.filterType;
    int64_t width = geometry_.panelWidth;
    if (g_.filterWidth <= unrolledTaps) {
      for (int64_t s = 0; s != g_.filterWidth; ++s) {
        addProducts(line, k_.advance(panel, s * width, type), k_.i64(s), sums);
      }
      return sums;
    }
    return k_.forLoop(
        k_.i64(0), k_.i64(g_.filterWidth), 1, sums,
        [&](Value s, ValueRange values) {
          SmallVector<Value> next(values);
          addProducts(line, k_.advance(panel, k_.mul(s, width), type), s, next);
          return next;
        });
  }

  KernelBuilder k_;
  const kernel::FusionShape &shape_;
  const ConvDirectGeometry &geometry_;
  const graph::Conv2dGeometry &g_;
  int64_t height_;
  Value args_, row_, column_, columnEnd_;
  Type f32_;
  VectorType f32s_;
};

} // namespace

LLVM::LLVMFuncOp emitNchwMicrokernel(OpBuilder &builder, Location loc,
                                     ModuleOp device, StringRef name,
                                     const kernel::FusionShape &shape,
                                     const ConvDirectGeometry &geometry,
                                     int64_t height) {
  OpBuilder::InsertionGuard guard(builder);
  Type pointer = LLVM::LLVMPointerType::get(builder.getContext());
  Type i64 = builder.getI64Type();
  LLVM::LLVMFuncOp function = createInternalFunction(
      builder, loc, device, name, {pointer, pointer, pointer, i64, i64, i64});
  NchwMicrokernel(builder, loc, shape, geometry, height, function)
      .emit(function.getArgument(0), function.getArgument(1));
  return function;
}

} // namespace minic::cpu
