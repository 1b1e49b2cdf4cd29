// SPDX-License-Identifier: Apache-2.0
//
// Pixels by output channels: a broadcast of a pixel's element is used for all
// vectors of the panel. Taps that are neighbours in memory are one run.

#include "compiler/target/cpu/SumChunk.h"
#include "compiler/target/cpu/TileEpilogue.h"
#include "compiler/target/cpu/conv_direct/Microkernels.h"

using namespace mlir;

namespace minic::cpu {

namespace {

class NhwcMicrokernel {
public:
  NhwcMicrokernel(OpBuilder &builder, Location loc,
                  const kernel::FusionShape &shape,
                  const ConvDirectGeometry &geometry, int64_t height,
                  LLVM::LLVMFuncOp function)
      : k_(builder, loc), shape_(shape), geometry_(geometry), g_(geometry.g()),
        height_(height), panel_(function.getArgument(1)),
        args_(function.getArgument(2)), column_(function.getArgument(4)),
        columnEnd_(geometry.hasColumnTail() ? function.getArgument(5)
                                            : Value()),
        prefetch_(geometry.schedule.prefetch
                      ? function.getArgument(geometry.skipsPads() ? 8 : 6)
                      : Value()),
        inputType_(geometry.schedule.pack ? Type(builder.getF32Type())
                                          : geometry.conv.inputType),
        f32s_(VectorType::get(convLanes, builder.getF32Type())) {
    bool isPacked = geometry.schedule.pack;
    int64_t width = isPacked ? geometry.packedWidth() : g_.inputWidth;
    pixelStep_ = g_.strideWidth * g_.inputChannels;
    tapStep_ = g_.dilationWidth * g_.inputChannels;
    lineStep_ = (isPacked ? 1 : g_.dilationHeight) * width * g_.inputChannels;
    if (geometry.skipsPads()) {
      lineBegin_ = function.getArgument(6);
      lineEnd_ = function.getArgument(7);
    }
    for (int64_t v = 0; v != geometry.vectors(); ++v) {
      Value column = k_.add(column_, v * convLanes);
      masks_.push_back(columnEnd_
                           ? k_.tailMask(k_.sub(columnEnd_, column), convLanes)
                           : Value());
    }
    tile_ = {.height = height,
             .vectors = geometry.vectors(),
             .lanes = convLanes,
             .firstRow = function.getArgument(3),
             .column = column_,
             .columnEnd = columnEnd_};
  }

  void emit(Value pixels) {
    SmallVector<Value> sums = withBias(sumLines(pixels, panel_, zeros()));
    emitTileEpilogue(k_, shape_, args_, tile_, sums);
  }

private:
  SmallVector<Value> zeros() {
    return SmallVector<Value>(height_ * geometry_.vectors(),
                              k_.zeroVector(k_.b.getF32Type(), convLanes));
  }

  /// The bias comes last: a sum that begins with it rounds to its size.
  SmallVector<Value> withBias(ArrayRef<Value> sums) {
    Value bias = geometry_.conv.bias;
    if (!bias) {
      return SmallVector<Value>(sums);
    }
    SmallVector<Value> row;
    for (int64_t v = 0; v != geometry_.vectors(); ++v) {
      Type type = geometry_.conv.inputType;
      Value pointer =
          k_.argPointer(args_, cast<BlockArgument>(bias).getArgNumber());
      pointer = k_.advance(pointer, k_.add(column_, v * convLanes), type);
      row.push_back(k_.loadVector(pointer, type, convLanes, masks_[v]));
    }
    SmallVector<Value> rows;
    for (int64_t i = 0; i != height_; ++i) {
      llvm::append_range(rows, row);
    }
    return k_.addAll(sums, rows);
  }

  Value loadPixel(Value pixels, int64_t i, int64_t offset, int64_t v) {
    Value pointer = k_.advance(pixels, i * pixelStep_ + offset, inputType_);
    if (geometry_.isDepthwise) {
      return k_.loadVector(k_.advance(pointer, v * convLanes, inputType_),
                           inputType_, convLanes, masks_[v]);
    }
    return k_.splat(k_.loadScalar(pointer, inputType_), convLanes);
  }

  /// Adds the products of one tap and channel: `offset` elements on in the
  /// pixels, `step` rows on in the panel.
  void addProducts(Value pixels, Value panel, int64_t offset, int64_t step,
                   MutableArrayRef<Value> sums) {
    SmallVector<Value> filter;
    Type type = geometry_.conv.filterType;
    // What follows the columns of a tile cut out of one panel is not padding.
    for (int64_t v = 0; v != geometry_.vectors(); ++v) {
      Value pointer =
          k_.advance(panel, step * geometry_.panelWidth + v * convLanes, type);
      filter.push_back(
          k_.loadVector(pointer, type, convLanes,
                        geometry_.isOnePanel ? masks_[v] : Value()));
    }
    for (int64_t i = 0; i != height_; ++i) {
      Value pixel;
      for (int64_t v = 0; v != geometry_.vectors(); ++v) {
        if (!pixel || geometry_.isDepthwise) {
          pixel = loadPixel(pixels, i, offset, v);
        }
        Value &sum = sums[i * geometry_.vectors() + v];
        sum = LLVM::FMAOp::create(k_.b, k_.loc, f32s_, pixel, filter[v], sum);
      }
    }
  }

  /// `count` steps that are `distance` apart in the pixels; long runs in
  /// chunks, whose sums are then added up.
  SmallVector<Value> sumRun(Value pixels, Value panel, int64_t count,
                            int64_t distance, SmallVector<Value> sums) {
    if (!geometry_.sumsInChunks() || count < kSumChunk / 2) {
      return sumChunk(pixels, panel, count, distance, sums);
    }
    int64_t chunks = (count - 1) / kSumChunk;
    auto chunk = [&](Value first, int64_t terms) {
      return sumChunk(k_.advance(pixels, k_.mul(first, distance), inputType_),
                      k_.advance(panel, k_.mul(first, geometry_.panelWidth),
                                 geometry_.conv.filterType),
                      terms, distance, zeros());
    };
    if (chunks > 0) {
      sums =
          k_.forLoop(k_.i64(0), k_.i64(chunks), 1, sums,
                     [&](Value number, ValueRange totals) {
                       return k_.addAll(
                           totals, chunk(k_.mul(number, kSumChunk), kSumChunk));
                     });
    }
    int64_t done = chunks * kSumChunk;
    return k_.addAll(sums, chunk(k_.i64(done), count - done));
  }

  SmallVector<Value> sumChunk(Value pixels, Value panel, int64_t count,
                              int64_t distance, SmallVector<Value> sums) {
    Type filterType = geometry_.conv.filterType;
    int64_t iterations = count / nhwcStepsPerIteration;
    if (iterations > 0) {
      SmallVector<Value> carried = {pixels, panel};
      llvm::append_range(carried, sums);
      SmallVector<Value> last = k_.forLoop(
          k_.i64(0), k_.i64(iterations), 1, carried,
          [&](Value, ValueRange values) {
            SmallVector<Value> next(values.drop_front(2));
            if (prefetch_) {
              geometry_.panelPrefetch().fetch(k_, prefetch_, panel_, values[1]);
            }
            for (int64_t step = 0; step != nhwcStepsPerIteration; ++step) {
              addProducts(values[0], values[1], step * distance, step, next);
            }
            next.insert(
                next.begin(),
                {k_.advance(values[0], nhwcStepsPerIteration * distance,
                            inputType_),
                 k_.advance(values[1],
                            nhwcStepsPerIteration * geometry_.panelWidth,
                            filterType)});
            return next;
          });
      pixels = last[0];
      panel = last[1];
      sums.assign(last.begin() + 2, last.end());
    }
    for (int64_t step = 0; step != count % nhwcStepsPerIteration; ++step) {
      addProducts(pixels, panel, step * distance, step, sums);
    }
    return sums;
  }

  using SumPart =
      llvm::function_ref<SmallVector<Value>(Value, Value, SmallVector<Value>)>;

  /// The sums of `count` parts, each `pixelDistance` and `panelDistance` on.
  SmallVector<Value> sumParts(Value pixels, Value panel, int64_t count,
                              int64_t pixelDistance, int64_t panelDistance,
                              SmallVector<Value> sums, SumPart sumPart) {
    if (count == 1) {
      return sumPart(pixels, panel, sums);
    }
    return sumParts(pixels, panel, k_.i64(0), k_.i64(count), pixelDistance,
                    panelDistance, sums, sumPart);
  }

  /// Those of parts [begin, end).
  SmallVector<Value> sumParts(Value pixels, Value panel, Value begin, Value end,
                              int64_t pixelDistance, int64_t panelDistance,
                              SmallVector<Value> sums, SumPart sumPart) {
    return k_.forLoop(begin, end, 1, sums, [&](Value part, ValueRange values) {
      return sumPart(
          k_.advance(pixels, k_.mul(part, pixelDistance), inputType_),
          k_.advance(panel, k_.mul(part, panelDistance),
                     geometry_.conv.filterType),
          SmallVector<Value>(values));
    });
  }

  SmallVector<Value> sumLines(Value pixels, Value panel,
                              SmallVector<Value> sums) {
    int64_t channels = g_.inputChannelsPerGroup();
    int64_t tap = channels * geometry_.panelWidth;
    auto sumLine = [&](Value line, Value linePanel,
                       SmallVector<Value> lineSums) {
      if (geometry_.isDepthwise) {
        return sumRun(line, linePanel, g_.filterWidth, tapStep_, lineSums);
      }
      if (channels == tapStep_) {
        return sumRun(line, linePanel, g_.filterWidth * channels, 1, lineSums);
      }
      return sumParts(line, linePanel, g_.filterWidth, tapStep_, tap, lineSums,
                      [&](Value at, Value atPanel, SmallVector<Value> tapSums) {
                        return sumRun(at, atPanel, channels, 1, tapSums);
                      });
    };
    int64_t ofLine = g_.filterWidth * tap;
    return lineBegin_ ? sumParts(pixels, panel, lineBegin_, lineEnd_, lineStep_,
                                 ofLine, sums, sumLine)
                      : sumParts(pixels, panel, g_.filterHeight, lineStep_,
                                 ofLine, sums, sumLine);
  }

  KernelBuilder k_;
  const kernel::FusionShape &shape_;
  const ConvDirectGeometry &geometry_;
  const graph::Conv2dGeometry &g_;
  int64_t height_;
  Value panel_, args_, column_, columnEnd_, prefetch_;
  /// Of the filter, those that meet more than pads; null for all.
  Value lineBegin_, lineEnd_;
  Type inputType_;
  VectorType f32s_;
  SmallVector<Value> masks_;
  RegisterTile tile_;
  /// Elements from one pixel of the result, tap, and line of taps to the next.
  int64_t pixelStep_, tapStep_, lineStep_;
};

} // namespace

LLVM::LLVMFuncOp emitNhwcMicrokernel(OpBuilder &builder, Location loc,
                                     ModuleOp device, StringRef name,
                                     const kernel::FusionShape &shape,
                                     const ConvDirectGeometry &geometry,
                                     int64_t height) {
  OpBuilder::InsertionGuard guard(builder);
  Type pointer = LLVM::LLVMPointerType::get(builder.getContext());
  Type i64 = builder.getI64Type();
  SmallVector<Type> arguments = {pointer, pointer, pointer, i64, i64, i64};
  if (geometry.skipsPads()) {
    arguments.append({i64, i64});
  }
  if (geometry.schedule.prefetch) {
    arguments.push_back(pointer);
  }
  LLVM::LLVMFuncOp function =
      createInternalFunction(builder, loc, device, name, arguments);
  NhwcMicrokernel(builder, loc, shape, geometry, height, function)
      .emit(function.getArgument(0));
  return function;
}

} // namespace minic::cpu
