// SPDX-License-Identifier: Apache-2.0
//
// A thread loads every column of a line of taps once and adds its products to
// the sums of all pixels that it is a tap of. What is outside of the image is
// loaded from its beginning and dropped: no branch keeps loads apart.

#include "compiler/target/cuda/conv_depthwise/EmitDepthwise.h"

#include "compiler/target/cuda/EpilogueEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace minic::cuda {

namespace {

class DepthwiseEmitter {
public:
  DepthwiseEmitter(CudaKernelBuilder &k, const DepthwiseGeometry &geometry,
                   Value input, Value filter)
      : k_(k), geometry_(geometry), g_(geometry.g()), s_(geometry.schedule),
        dtype_(geometry.conv.inputType), input_(input), filter_(filter) {}

  /// Of the thread's results. Beyond the last one: those of the last one.
  void locate(Value item) {
    const DepthwiseGeometry &d = geometry_;
    auto take = [&](int64_t extent) {
      Value index = k_.rem(item, extent);
      item = k_.div(item, extent);
      return index;
    };
    if (d.isNhwc) {
      channel_ = k_.mul(take(d.channelSteps), s_.channels);
    }
    column_ = k_.mul(take(d.lineSteps), s_.pixels);
    line_ = take(g_.outputHeight);
    if (!d.isNhwc) {
      channel_ = take(d.channelSteps);
    }
    image_ = item;
    firstLine_ = k_.sub(k_.mul(line_, g_.strideHeight), k_.i32(g_.padTop));
    firstColumn_ = k_.sub(k_.mul(column_, g_.strideWidth), k_.i32(g_.padLeft));
    Value from = k_.div(channel_, d.multiplier);
    int64_t plane = g_.inputHeight * g_.inputWidth;
    Value first = k_.mul(image_, plane * g_.inputChannels);
    first = k_.add(first, d.isNhwc ? from : k_.mul(from, plane));
    input_ = k_.advance(input_, first, dtype_);
    int64_t taps = g_.filterHeight * g_.filterWidth;
    filter_ = k_.advance(filter_, d.isNhwc ? channel_ : k_.mul(channel_, taps),
                         dtype_);
  }

  SmallVector<Value> sums() {
    Value zero =
        s_.channels == 1
            ? arith::ConstantOp::create(k_.b, k_.loc, k_.b.getF32FloatAttr(0))
                  .getResult()
            : k_.zeroVector(k_.b.getF32Type(), s_.channels);
    SmallVector<Value> sums(size_t(s_.pixels), zero);
    if (!geometry_.unrollsLines()) {
      return k_.forLoop(k_.i32(0), k_.i32(g_.filterHeight), 1, sums,
                        [&](Value line, ValueRange carried) {
                          SmallVector<Value> now(carried);
                          addLine(line, now);
                          return now;
                        });
    }
    for (int64_t line = 0; line != g_.filterHeight; ++line) {
      addLine(k_.i32(line), sums);
    }
    return sums;
  }

  void finish(EpilogueEmitter &epilogue, ArrayRef<Value> sums) {
    if (!geometry_.isNhwc) {
      Value plane = k_.add(k_.mul(image_, g_.outputChannels), channel_);
      epilogue.emit(
          {k_.add(k_.mul(plane, g_.outputHeight), line_), column_, s_.pixels},
          together(sums));
      return;
    }
    Value first =
        k_.mul(k_.add(k_.mul(image_, g_.outputHeight), line_), g_.outputWidth);
    for (auto [i, sum] : llvm::enumerate(sums)) {
      Value column = k_.add(column_, int64_t(i));
      auto emit = [&, sum = sum] {
        epilogue.emit({k_.add(first, column), channel_, s_.channels}, sum);
      };
      if (i > 0 && g_.outputWidth % s_.pixels != 0) {
        k_.ifThen(k_.lessThan(column, g_.outputWidth), emit);
      } else {
        emit();
      }
    }
  }

private:
  Value together(ArrayRef<Value> sums) {
    if (sums.size() == 1) {
      return sums.front();
    }
    Value all = LLVM::UndefOp::create(
        k_.b, k_.loc, VectorType::get(int64_t(sums.size()), k_.b.getF32Type()));
    for (auto [i, sum] : llvm::enumerate(sums)) {
      all = LLVM::InsertElementOp::create(k_.b, k_.loc, all, sum,
                                          k_.i32(int64_t(i)));
    }
    return all;
  }

  Value isBelow(Value index, int64_t extent) {
    return arith::CmpIOp::create(k_.b, k_.loc, arith::CmpIPredicate::ult, index,
                                 k_.i32(extent));
  }

  Value load(Value base, Value offset) {
    Type memory = KernelBuilder::memoryType(dtype_);
    return k_.loadAligned(
        s_.channels == 1 ? memory : Type(VectorType::get(s_.channels, memory)),
        k_.advance(base, offset, dtype_));
  }

  bool reachesOut(int64_t input, int64_t output, int64_t filter, int64_t stride,
                  int64_t dilation, int64_t pad) {
    return pad > 0 ||
           (output - 1) * stride - pad + (filter - 1) * dilation >= input;
  }

  /// Adds the products of line `tapLine` of the filter.
  void addLine(Value tapLine, SmallVector<Value> &sums) {
    Value line = k_.add(firstLine_, k_.mul(tapLine, g_.dilationHeight));
    Value isLine;
    if (reachesOut(g_.inputHeight, g_.outputHeight, g_.filterHeight,
                   g_.strideHeight, g_.dilationHeight, g_.padTop)) {
      isLine = isBelow(line, g_.inputHeight);
    }
    Value tap = k_.mul(tapLine, g_.filterWidth);
    if (geometry_.unrollsColumns()) {
      addTaps(line, isLine, tap, k_.i32(0), g_.filterWidth, sums);
      return;
    }
    sums = k_.forLoop(k_.i32(0), k_.i32(g_.filterWidth), 1, sums,
                      [&](Value column, ValueRange carried) {
                        SmallVector<Value> now(carried);
                        addTaps(line, isLine, k_.add(tap, column),
                                k_.mul(column, g_.dilationWidth), 1, now);
                        return now;
                      });
  }

  /// Adds those of `count` taps from number `tap` on, the first of which is
  /// `reach` columns from the window's first.
  void addTaps(Value line, Value isLine, Value tap, Value reach, int64_t count,
               SmallVector<Value> &sums) {
    int64_t lineStride = g_.inputWidth * geometry_.pixelStride();
    Value begin = k_.mul(line, lineStride);
    // The last strip of a line reads columns beyond it.
    bool hasTail = g_.outputWidth % s_.pixels != 0;
    bool checks =
        hasTail || reachesOut(g_.inputWidth, g_.outputWidth, g_.filterWidth,
                              g_.strideWidth, g_.dilationWidth, g_.padLeft);
    llvm::DenseMap<int64_t, Value> columns;
    auto columnAt = [&](int64_t distance) -> Value {
      Value &known = columns[distance];
      if (known) {
        return known;
      }
      Value column = k_.add(k_.add(firstColumn_, reach), distance);
      Value isInside = isLine;
      if (checks) {
        Value isColumn = isBelow(column, g_.inputWidth);
        isInside = isInside
                       ? arith::AndIOp::create(k_.b, k_.loc, isInside, isColumn)
                             .getResult()
                       : isColumn;
      }
      Value offset = k_.add(begin, k_.mul(column, geometry_.pixelStride()));
      if (isInside) {
        offset =
            arith::SelectOp::create(k_.b, k_.loc, isInside, offset, k_.i32(0));
      }
      Value loaded = load(input_, offset);
      if (isInside) {
        Value zero = LLVM::ZeroOp::create(k_.b, k_.loc, loaded.getType());
        loaded = arith::SelectOp::create(k_.b, k_.loc, isInside, loaded, zero);
      }
      return known = k_.toCompute(loaded, dtype_);
    };
    for (int64_t i = 0; i != count; ++i) {
      Value weight = k_.toCompute(
          load(filter_, k_.mul(k_.add(tap, i), geometry_.tapStride())), dtype_);
      for (int64_t pixel = 0; pixel != s_.pixels; ++pixel) {
        Value column = columnAt(pixel * g_.strideWidth + i * g_.dilationWidth);
        sums[size_t(pixel)] = math::FmaOp::create(k_.b, k_.loc, column, weight,
                                                  sums[size_t(pixel)]);
      }
    }
  }

  CudaKernelBuilder &k_;
  const DepthwiseGeometry &geometry_;
  const graph::Conv2dGeometry &g_;
  const DepthwiseSchedule &s_;
  Type dtype_;
  /// From locate() on those of the thread's image and channels.
  Value input_, filter_;
  Value image_, channel_, line_, column_, firstLine_, firstColumn_;
};

} // namespace

void emitDepthwise(Location loc, ModuleOp device, StringRef name,
                   const kernel::FusionShape &shape,
                   const DepthwiseGeometry &geometry, int64_t operandCount) {
  OpBuilder builder(device.getContext());
  const DepthwiseSchedule &s = geometry.schedule;
  KernelLaunchBounds bounds;
  bounds.threads = s.threads;
  bounds.minBlocksPerSm = geometry.minBlocksPerSm();
  bounds.pointers = operandCount + int64_t(shape.results.size());
  KernelEntry entry = KernelEntry::create(builder, loc, device, name, bounds);
  CudaKernelBuilder k(builder, loc);
  SmallVector<Value> operands, results;
  for (int64_t i = 0; i != bounds.pointers; ++i) {
    (i < operandCount ? operands : results).push_back(entry.parameter(i));
  }
  auto pointerTo = [&](Value value) {
    return operands[cast<BlockArgument>(value).getArgNumber()];
  };
  DepthwiseEmitter emitter(k, geometry, pointerTo(shape.conv->input),
                           pointerTo(shape.conv->filter));
  k.allowLaterLaunches(s.programmatic);
  Value item = k.add(k.mul(k.blockIdX(), s.threads), k.threadIdX());
  k.waitForEarlierLaunches(s.programmatic);
  auto body = [&] {
    emitter.locate(item);
    EpilogueEmitter epilogue(k, shape, operands, results);
    emitter.finish(epilogue, emitter.sums());
  };
  if (geometry.items() % s.threads == 0) {
    body();
  } else {
    k.ifThen(k.lessThan(item, geometry.items()), body);
  }
}

} // namespace minic::cuda
