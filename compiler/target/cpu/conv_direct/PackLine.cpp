// SPDX-License-Identifier: Apache-2.0
//
// Copies the lines of the input that one line of the result reads, with zeros
// for pads, so that the inner loops know of neither pads nor dtypes nor strides
// of an image's width.

#include "compiler/target/cpu/conv_direct/Microkernels.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace minic::cpu {

namespace {

class LinePacker {
public:
  LinePacker(OpBuilder &builder, Location loc,
             const ConvDirectGeometry &geometry, LLVM::LLVMFuncOp function)
      : k_(builder, loc), geometry_(geometry), g_(geometry.g()),
        input_(function.getArgument(0)), to_(function.getArgument(2)),
        f32_(builder.getF32Type()) {
    Value line = function.getArgument(1);
    image_ = k_.div(line, g_.outputHeight);
    top_ = k_.sub(k_.mul(k_.rem(line, g_.outputHeight), g_.strideHeight),
                  k_.i64(g_.padTop));
  }

  void emit() {
    if (geometry_.isNhwc) {
      int64_t length = geometry_.packedWidth() * g_.inputChannels;
      forEachInputLine([&](Value r, Value h, bool isPad) {
        Value to = k_.advance(to_, k_.mul(r, length), f32_);
        if (!isPad) {
          packNhwc(h, to);
        } else if (!geometry_.skipsPads()) {
          fillZero(to, length);
        }
      });
      return;
    }
    int64_t length = geometry_.phases() * geometry_.packedWidth();
    k_.forLoop(k_.i64(0), k_.i64(g_.inputChannels), 1, [&](Value c) {
      forEachInputLine([&](Value r, Value h, bool isPad) {
        Value number = k_.add(k_.mul(c, g_.filterHeight), r);
        Value to = k_.advance(to_, k_.mul(number, length), f32_);
        if (isPad) {
          fillZero(to, length);
        } else {
          packNchw(c, h, to);
        }
      });
    });
  }

private:
  /// Calls `body`(r, h, isPad) for the taps r; h is inside of the input where
  /// it is no pad.
  void forEachInputLine(llvm::function_ref<void(Value, Value, bool)> body) {
    k_.forLoop(k_.i64(0), k_.i64(g_.filterHeight), 1, [&](Value r) {
      Value h = k_.add(top_, k_.mul(r, g_.dilationHeight));
      int64_t last = (g_.outputHeight - 1) * g_.strideHeight - g_.padTop +
                     (g_.filterHeight - 1) * g_.dilationHeight;
      if (g_.padTop == 0 && last < g_.inputHeight) {
        body(r, h, /*isPad=*/false);
        return;
      }
      // As unsigned numbers, negative ones are large.
      Value isInside = arith::CmpIOp::create(
          k_.b, k_.loc, arith::CmpIPredicate::ult, h, k_.i64(g_.inputHeight));
      auto branch = scf::IfOp::create(k_.b, k_.loc, isInside,
                                      /*withElseRegion=*/true);
      OpBuilder::InsertionGuard guard(k_.b);
      k_.b.setInsertionPointToStart(branch.thenBlock());
      body(r, h, /*isPad=*/false);
      k_.b.setInsertionPointToStart(branch.elseBlock());
      body(r, h, /*isPad=*/true);
    });
  }

  void packNhwc(Value h, Value to) {
    int64_t width = geometry_.packedWidth(), channels = g_.inputChannels;
    int64_t left = std::min(g_.padLeft, width);
    int64_t inside = std::min(width - left, g_.inputWidth);
    Type type = geometry_.conv.inputType;
    Value line = k_.add(k_.mul(image_, g_.inputHeight), h);
    Value from =
        k_.advance(input_, k_.mul(line, g_.inputWidth * channels), type);
    fillZero(to, left * channels);
    copy(from, k_.advance(to, left * channels, f32_), inside * channels);
    fillZero(k_.advance(to, (left + inside) * channels, f32_),
             (width - left - inside) * channels);
  }

  void packNchw(Value c, Value h, Value to) {
    Type type = geometry_.conv.inputType;
    Value channel = k_.add(k_.mul(image_, g_.inputChannels), c);
    Value line = k_.add(k_.mul(channel, g_.inputHeight), h);
    Value from = k_.advance(input_, k_.mul(line, g_.inputWidth), type);
    int64_t stride = g_.strideWidth, width = geometry_.packedWidth();
    for (int64_t phase = 0; phase != geometry_.phases(); ++phase) {
      int64_t start = phase * g_.dilationWidth % stride;
      // Element i is at w = i * stride + start - padLeft.
      auto firstFrom = [&](int64_t w) {
        int64_t distance = w + g_.padLeft - start;
        return distance <= 0
                   ? int64_t(0)
                   : std::min(int64_t(llvm::divideCeil(distance, stride)),
                              width);
      };
      int64_t first = firstFrom(0), end = firstFrom(g_.inputWidth);
      Value at = k_.advance(to, phase * width, f32_);
      fillZero(at, first);
      Value source =
          k_.advance(from, first * stride + start - g_.padLeft, type);
      Value target = k_.advance(at, first, f32_);
      if (stride == 1) {
        copy(source, target, end - first);
      } else {
        k_.forLoop(k_.i64(0), k_.i64(end - first), 1, [&](Value i) {
          Value element =
              k_.loadScalar(k_.advance(source, k_.mul(i, stride), type), type);
          k_.storeRaw(element, k_.advance(target, i, f32_), 4);
        });
      }
      fillZero(k_.advance(at, end, f32_), width - end);
    }
  }

  /// Calls `body` for vectors of `count` elements: offset and mask.
  void forEachVector(int64_t count,
                     llvm::function_ref<void(Value, Value)> body) {
    int64_t whole = count / convLanes * convLanes;
    if (whole > 0) {
      k_.forLoop(k_.i64(0), k_.i64(whole), convLanes,
                 [&](Value i) { body(i, Value()); });
    }
    if (count > whole) {
      body(k_.i64(whole), k_.tailMask(k_.i64(count - whole), convLanes));
    }
  }

  void fillZero(Value to, int64_t count) {
    forEachVector(count, [&](Value i, Value mask) {
      k_.storeVector(k_.zeroVector(f32_, convLanes), k_.advance(to, i, f32_),
                     f32_, mask);
    });
  }

  void copy(Value from, Value to, int64_t count) {
    Type type = geometry_.conv.inputType;
    forEachVector(count, [&](Value i, Value mask) {
      Value elements =
          k_.loadVector(k_.advance(from, i, type), type, convLanes, mask);
      k_.storeVector(elements, k_.advance(to, i, f32_), f32_, mask);
    });
  }

  KernelBuilder k_;
  const ConvDirectGeometry &geometry_;
  const graph::Conv2dGeometry &g_;
  Value input_, to_, image_, top_;
  Type f32_;
};

} // namespace

LLVM::LLVMFuncOp emitPackLine(OpBuilder &builder, Location loc, ModuleOp device,
                              StringRef name,
                              const ConvDirectGeometry &geometry) {
  OpBuilder::InsertionGuard guard(builder);
  Type pointer = LLVM::LLVMPointerType::get(builder.getContext());
  LLVM::LLVMFuncOp function = createInternalFunction(
      builder, loc, device, name, {pointer, builder.getI64Type(), pointer});
  LinePacker(builder, loc, geometry, function).emit();
  return function;
}

} // namespace minic::cpu
