// SPDX-License-Identifier: Apache-2.0
//
// Most windows lie within the image: what their lines are is known ahead.

#include "compiler/target/cpu/WindowRows.h"

#include "compiler/target/cpu/KernelAbi.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;

namespace minic::cpu {

WindowRows WindowRows::get(const graph::Conv2dGeometry &conv) {
  WindowRows byTap;
  byTap.conv = conv;
  byTap.paddedChannels = llvm::alignTo(conv.inputChannels, lineElements);
  byTap.paddedTaps = byTap.runs = conv.filterWidth;
  byTap.runTaps = 1;

  // The filter's words are two channels of one tap.
  WindowRows byLine = byTap;
  byLine.paddedChannels = llvm::alignTo(conv.inputChannels, 2);
  bool isOdd = byLine.paddedChannels != conv.inputChannels;
  bool areApart = conv.dilationWidth != 1 && conv.filterWidth != 1;
  if (areApart || conv.inputChannels == 0 || (isOdd && !byLine.expands())) {
    return byTap;
  }
  int64_t tapsOfWholeLines =
      lineElements / std::gcd(lineElements, byLine.paddedChannels);
  byLine.paddedTaps = llvm::alignTo(conv.filterWidth, tapsOfWholeLines);
  byLine.runTaps = conv.filterWidth;
  byLine.runs = 1;
  return byLine.k() <= byTap.k() ? byLine : byTap;
}

namespace {

class WindowGatherer {
public:
  WindowGatherer(OpBuilder &builder, Location loc, const WindowRows &windows,
                 const RowPlaces &places, LLVM::LLVMFuncOp function)
      : k_(builder, loc), w_(windows), g_(windows.conv), places_(places),
        images_(function.getArgument(0)), destination_(function.getArgument(1)),
        firstRow_(function.getArgument(2)), rows_(function.getArgument(3)),
        element_(builder.getI16Type()),
        line_(VectorType::get(WindowRows::lineElements, element_)),
        lineSource_(windows.expands()
                        ? WindowRows::lineElements / windows.paddedChannels *
                              g_.inputChannels
                        : WindowRows::lineElements) {}

  void emit() {
    k_.forLoop(k_.i64(0), rows_, 1, [&](Value row) { emitRow(row); });
  }

private:
  /// Lines that are copied one after the other, without a loop.
  static constexpr int64_t unrolledLines = 64;

  int64_t runLines() const {
    return w_.runElements() / WindowRows::lineElements;
  }
  /// Elements of a run in memory.
  int64_t runSource() const { return w_.runTaps * g_.inputChannels; }

  void emitRow(Value row) {
    Value pixel = k_.add(firstRow_, row);
    Value line = k_.div(pixel, g_.outputWidth);
    Value image = k_.div(line, g_.outputHeight);
    Value top = k_.add(k_.mul(k_.rem(line, g_.outputHeight), g_.strideHeight),
                       -g_.padTop);
    Value left = k_.add(k_.mul(k_.rem(pixel, g_.outputWidth), g_.strideWidth),
                        -g_.padLeft);
    Value from = k_.add(
        k_.mul(k_.add(k_.mul(image, g_.inputHeight), top), g_.inputWidth),
        left);
    from = k_.advance(images_, k_.mul(from, g_.inputChannels), element_);
    Value to =
        k_.advance(destination_, k_.mul(row, places_.rowStride), element_);
    Value isWhole = arith::AndIOp::create(
        k_.b, k_.loc,
        isWithin(top, (g_.filterHeight - 1) * g_.dilationHeight + 1,
                 g_.inputHeight),
        isWithin(left, (g_.filterWidth - 1) * g_.dilationWidth + 1,
                 g_.inputWidth));
    auto branch =
        scf::IfOp::create(k_.b, k_.loc, isWhole, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(k_.b);
    k_.b.setInsertionPoint(branch.thenBlock()->getTerminator());
    forEachRun([&](Value r, Value run) {
      copyWhole(runFrom(from, r, run), runTo(to, r, run));
    });
    k_.b.setInsertionPoint(branch.elseBlock()->getTerminator());
    k_.forLoop(k_.i64(0), k_.i64(g_.filterHeight), 1, [&](Value r) {
      Value exists = isWithin(k_.add(top, k_.mul(r, g_.dilationHeight)), 1,
                              g_.inputHeight);
      k_.forLoop(k_.i64(0), k_.i64(w_.runs), 1, [&](Value run) {
        Value x = k_.add(left, k_.mul(run, g_.dilationWidth));
        copyPart(exists, x, runFrom(from, r, run), runTo(to, r, run));
      });
    });
  }

  Value runFrom(Value window, Value r, Value run) {
    Value pixels = k_.add(k_.mul(r, g_.dilationHeight * g_.inputWidth),
                          k_.mul(run, g_.dilationWidth));
    return k_.advance(window, k_.mul(pixels, g_.inputChannels), element_);
  }

  Value runTo(Value row, Value r, Value run) {
    Value line = k_.mul(k_.add(k_.mul(r, w_.runs), run), runLines());
    return k_.advance(row, k_.mul(line, places_.lineStride), element_);
  }

  /// Calls `body`, of so many `lines`, for [0, count): each time, or once in a
  /// loop where that would be too much code.
  void repeat(int64_t count, int64_t lines,
              llvm::function_ref<void(Value)> body) {
    if (count * lines > unrolledLines) {
      k_.forLoop(k_.i64(0), k_.i64(count), 1, body);
      return;
    }
    for (int64_t i = 0; i != count; ++i) {
      body(k_.i64(i));
    }
  }

  void forEachRun(llvm::function_ref<void(Value, Value)> body) {
    repeat(g_.filterHeight, w_.runs * runLines(), [&](Value r) {
      repeat(w_.runs, runLines(), [&](Value run) { body(r, run); });
    });
  }

  /// 0 <= begin and begin + count <= extent.
  Value isWithin(Value begin, int64_t count, int64_t extent) {
    auto compare = [&](arith::CmpIPredicate predicate, int64_t with) {
      return arith::CmpIOp::create(k_.b, k_.loc, predicate, begin,
                                   k_.i64(with));
    };
    Value low = compare(arith::CmpIPredicate::sge, 0);
    Value high = compare(arith::CmpIPredicate::sle, extent - count);
    return arith::AndIOp::create(k_.b, k_.loc, low, high);
  }

  void copyWhole(Value from, Value to) {
    int64_t lines = runSource() / lineSource_;
    Value mask;
    if (lineSource_ != WindowRows::lineElements) {
      mask = k_.tailMask(k_.i64(lineSource_), WindowRows::lineElements);
    }
    repeat(lines, 1, [&](Value line) { copyLine(line, from, to, mask); });
    if (int64_t rest = runSource() - lines * lineSource_) {
      copyLine(k_.i64(lines), from, to,
               k_.tailMask(k_.i64(rest), WindowRows::lineElements));
      ++lines;
    }
    // Taps that pad the filter.
    repeat(runLines() - lines, 1, [&](Value line) {
      store(k_.zeroVector(element_, WindowRows::lineElements),
            k_.add(line, lines), to);
    });
  }

  /// The run of taps from column `x` on, of a line that `exists` or not.
  void copyPart(Value exists, Value x, Value from, Value to) {
    // Of the elements [0, runSource()) those of the taps within the image.
    auto elementsBefore = [&](Value tap) {
      Value taps = k_.min(k_.max(tap, k_.i64(0)), k_.i64(w_.runTaps));
      return k_.mul(taps, g_.inputChannels);
    };
    Value begin = elementsBefore(k_.sub(k_.i64(0), x));
    Value end = arith::SelectOp::create(
        k_.b, k_.loc, exists, elementsBefore(k_.sub(k_.i64(g_.inputWidth), x)),
        begin);
    k_.forLoop(k_.i64(0), k_.i64(runLines()), 1, [&](Value line) {
      Value at = k_.mul(line, lineSource_);
      Value last = k_.min(k_.sub(end, at), k_.i64(lineSource_));
      Value below = k_.tailMask(last, WindowRows::lineElements);
      Value before = k_.tailMask(k_.min(k_.sub(begin, at), last),
                                 WindowRows::lineElements);
      // Those before are among those below.
      copyLine(line, from, to,
               arith::XOrIOp::create(k_.b, k_.loc, below, before));
    });
  }

  void copyLine(Value line, Value from, Value to, Value mask) {
    Value at = k_.advance(from, k_.mul(line, lineSource_), element_);
    Value elements = k_.loadRawMasked(line_, at, mask);
    if (w_.expands()) {
      elements = expand(elements);
    }
    store(elements, line, to);
  }

  void store(Value elements, Value line, Value to) {
    k_.storeRaw(elements,
                k_.advance(to, k_.mul(line, places_.lineStride), element_), 64);
  }

  /// A zero behind the channels of each tap.
  Value expand(Value elements) {
    SmallVector<int64_t> lanes;
    for (int64_t i = 0; i != WindowRows::lineElements; ++i) {
      int64_t channel = i % w_.paddedChannels;
      lanes.push_back(channel == g_.inputChannels
                          ? WindowRows::lineElements
                          : i / w_.paddedChannels * g_.inputChannels + channel);
    }
    Value zero = k_.zeroVector(element_, WindowRows::lineElements);
    return vector::ShuffleOp::create(k_.b, k_.loc, elements, zero, lanes);
  }

  KernelBuilder k_;
  const WindowRows &w_;
  const graph::Conv2dGeometry &g_;
  const RowPlaces &places_;
  Value images_, destination_, firstRow_, rows_;
  /// Of the width of bf16: LLVM shuffles floats of 16 bits one by one.
  Type element_;
  VectorType line_;
  /// Elements in memory that a line takes.
  int64_t lineSource_;
};

} // namespace

LLVM::LLVMFuncOp emitGatherWindows(OpBuilder &builder, Location loc,
                                   ModuleOp device, StringRef name,
                                   const WindowRows &windows,
                                   const RowPlaces &places) {
  OpBuilder::InsertionGuard guard(builder);
  Type pointer = LLVM::LLVMPointerType::get(builder.getContext());
  Type i64 = builder.getI64Type();
  LLVM::LLVMFuncOp function = createInternalFunction(
      builder, loc, device, name, {pointer, pointer, i64, i64});
  WindowGatherer(builder, loc, windows, places, function).emit();
  return function;
}

} // namespace minic::cpu
