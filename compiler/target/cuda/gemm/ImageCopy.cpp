// SPDX-License-Identifier: Apache-2.0
//
// Rows to windows, elements of K to taps, and what of them is inside.

#include "compiler/target/cuda/gemm/ImageCopy.h"

#include "compiler/target/cuda/gemm/SharedTile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace minic::cuda {

/// Lines or columns beyond every image, even twice.
constexpr int64_t farAway = int64_t(1) << 29;

int64_t ImageCopy::unitElements() const {
  return operand_.accessBytes / operand_.elementBytes();
}

int64_t ImageCopy::passes() const {
  return int64_t(llvm::divideCeil(tile_.rows, rowsPerPass_));
}

ImageCopy::Checks ImageCopy::chooseChecks() const {
  int64_t stageK = tile_.rowBytes / operand_.elementBytes();
  if (image_.gathers) {
    return Checks::Range;
  }
  bool hasKTail = image_.k() % stageK != 0;
  if (!image_.padsHeight() && !image_.padsWidth() && !hasKTail &&
      operand_.rows % tile_.rows == 0) {
    return Checks::None;
  }
  // Taps of a tail are beyond those of the mask, and within its bits.
  int64_t taps = llvm::divideCeil(llvm::alignTo(image_.k(), stageK),
                                  uint64_t(image_.channels));
  return taps < 32 ? Checks::Mask : Checks::Range;
}

ImageCopy::ImageCopy(CudaKernelBuilder &builder, const ImageMatrix &image,
                     const GemmOperand &operand, const ImageTile &tile)
    : k_(builder), image_(image), operand_(operand), tile_(tile),
      checks_(chooseChecks()) {
  int64_t access = operand.accessBytes, units = tile.rowBytes / access;
  rowsPerPass_ = tile.threads / units;
  Value column = k_.rem(tile.thread, units);
  row_ = k_.div(tile.thread, units);
  unitK_ = k_.mul(column, unitElements());
  SharedTile shared{tile.rowBytes};
  Value chunk = k_.div(column, 16 / access);
  Value inChunk = k_.mul(k_.rem(column, 16 / access), access);
  for (int64_t pass = 0; pass != passes(); ++pass) {
    Value row = k_.add(row_, pass * rowsPerPass_);
    if (pass < shared.stepsToRepeat(rowsPerPass_)) {
      Value swizzled =
          arith::XOrIOp::create(k_.b, k_.loc, chunk, shared.swizzle(k_, row));
      offsets_.push_back(k_.add(
          k_.add(k_.mul(row, tile.rowBytes), k_.mul(swizzled, 16)), inChunk));
    }
    rows_.push_back(rowAt(k_.add(tile.firstRow, row)));
  }
}

Value ImageCopy::shiftLeft(Value lhs, Value rhs) {
  return arith::ShLIOp::create(k_.b, k_.loc, lhs, rhs);
}

Value ImageCopy::bothOf(Value lhs, Value rhs) {
  return !lhs  ? rhs
         : rhs ? arith::AndIOp::create(k_.b, k_.loc, lhs, rhs).getResult()
               : lhs;
}

Value ImageCopy::isBelow(Value index, int64_t extent) {
  return arith::CmpIOp::create(k_.b, k_.loc, arith::CmpIPredicate::ult, index,
                               k_.i32(extent));
}

ImageCopy::Row ImageCopy::rowAt(Value row) {
  const graph::Conv2dGeometry &g = image_.conv;
  Value pixel = k_.rem(row, g.outputHeight * g.outputWidth);
  Value image = k_.div(row, g.outputHeight * g.outputWidth);
  Value line = k_.sub(k_.mul(k_.div(pixel, g.outputWidth), g.strideHeight),
                      k_.i32(g.padTop));
  Value column = k_.sub(k_.mul(k_.rem(pixel, g.outputWidth), g.strideWidth),
                        k_.i32(g.padLeft));
  Row made;
  made.offset = k_.add(k_.mul(image, image_.imageStride),
                       k_.add(k_.mul(line, image_.lineStride),
                              k_.mul(column, image_.pixelStride)));
  // Threads without a row of the tile load all the same where they gather.
  bool overshoots = gathers() && passes() * rowsPerPass_ > tile_.rows;
  bool hasTail = operand_.rows % tile_.rows != 0 || overshoots;
  Value isRow = hasTail ? isBelow(row, operand_.rows) : Value();
  if (checks_ == Checks::Mask) {
    made.mask = maskOf(line, column);
    if (isRow) {
      made.mask =
          arith::SelectOp::create(k_.b, k_.loc, isRow, made.mask, k_.i32(0));
    }
  }
  if (checks_ == Checks::Range) {
    made.line = isRow ? arith::SelectOp::create(k_.b, k_.loc, isRow, line,
                                                k_.i32(farAway))
                      : line;
    made.column = column;
  }
  return made;
}

Value ImageCopy::maskOf(Value line, Value column) {
  const graph::Conv2dGeometry &g = image_.conv;
  auto bit = [&](Value condition, int64_t number, Value bits) -> Value {
    return arith::SelectOp::create(k_.b, k_.loc, condition,
                                   bits ? bits : k_.i32(int64_t(1) << number),
                                   k_.i32(0));
  };
  // The filter's taps of a line that has them.
  Value columns = k_.i32((int64_t(1) << g.filterWidth) - 1);
  if (image_.padsWidth()) {
    columns = k_.i32(0);
    for (int64_t s = 0; s != g.filterWidth; ++s) {
      Value inside = isBelow(k_.add(column, s * g.dilationWidth), g.inputWidth);
      columns =
          arith::OrIOp::create(k_.b, k_.loc, columns, bit(inside, s, Value()));
    }
  }
  Value mask = k_.i32(0);
  for (int64_t r = 0; r != g.filterHeight; ++r) {
    Value ofLine = shiftLeft(columns, k_.i32(r * image_.tapColumns));
    if (image_.padsHeight()) {
      Value inside = isBelow(k_.add(line, r * g.dilationHeight), g.inputHeight);
      ofLine = bit(inside, 0, ofLine);
    }
    mask = arith::OrIOp::create(k_.b, k_.loc, mask, ofLine);
  }
  return mask;
}

ImageCopy::Tap ImageCopy::tapAt(Value firstK, int64_t element) {
  const graph::Conv2dGeometry &g = image_.conv;
  int64_t channels = image_.channels;
  int64_t stageK = tile_.rowBytes / operand_.elementBytes();
  Value own = k_.add(unitK_, element);
  Tap tap;
  Value channel;
  if (channels % stageK == 0) {
    // All threads have one tap.
    tap.number = k_.div(firstK, channels);
    channel = k_.add(k_.rem(firstK, channels), own);
  } else {
    Value at = k_.add(firstK, own);
    tap.number = k_.div(at, channels);
    channel = k_.rem(at, channels);
  }
  Value line = k_.div(tap.number, image_.tapColumns);
  Value column = k_.rem(tap.number, image_.tapColumns);
  tap.line = k_.mul(line, g.dilationHeight);
  tap.column = k_.mul(column, g.dilationWidth);
  tap.distance = k_.add(k_.mul(channel, image_.channelStride),
                        k_.add(k_.mul(tap.line, image_.lineStride),
                               k_.mul(tap.column, image_.pixelStride)));
  if (checks_ != Checks::Range) {
    return tap;
  }
  auto unlessIn = [&](Value index, int64_t extent, Value &distance) {
    distance = arith::SelectOp::create(k_.b, k_.loc, isBelow(index, extent),
                                       distance, k_.i32(farAway));
  };
  unlessIn(line, g.filterHeight, tap.line);
  if (image_.tapColumns != g.filterWidth) {
    unlessIn(column, g.filterWidth, tap.column);
  }
  if (image_.gathers && channels != g.inputChannelsPerGroup()) {
    unlessIn(channel, g.inputChannelsPerGroup(), tap.line);
  }
  return tap;
}

Value ImageCopy::isInside(const Row &row, const Tap &tap) {
  switch (checks_) {
  case Checks::None:
    return Value();
  case Checks::Mask:
    return arith::TruncIOp::create(
        k_.b, k_.loc, k_.b.getI1Type(),
        arith::ShRUIOp::create(k_.b, k_.loc, row.mask, tap.number));
  case Checks::Range:
    break;
  }
  return bothOf(
      isBelow(k_.add(row.line, tap.line), image_.conv.inputHeight),
      isBelow(k_.add(row.column, tap.column), image_.conv.inputWidth));
}

Value ImageCopy::placeIn(Value shared, int64_t pass) {
  int64_t distinct = int64_t(offsets_.size());
  Value offset =
      k_.add(offsets_[size_t(pass % distinct)],
             pass / distinct * distinct * rowsPerPass_ * tile_.rowBytes);
  return k_.advance(shared, offset, k_.b.getI8Type());
}

void ImageCopy::ifInTile(int64_t pass, llvm::function_ref<void()> body) {
  int64_t first = pass * rowsPerPass_;
  if (first + rowsPerPass_ > tile_.rows) {
    k_.ifThen(k_.lessThan(row_, tile_.rows - first), body);
  } else {
    body();
  }
}

void ImageCopy::issue(Value firstK, Value shared) {
  int64_t access = operand_.accessBytes;
  auto modifier = NVVM::LoadCacheModifierKindAttr::get(
      k_.b.getContext(), access == 16 ? NVVM::LoadCacheModifierKind::CG
                                      : NVVM::LoadCacheModifierKind::CA);
  Tap tap = tapAt(firstK, 0);
  for (auto [pass, row] : llvm::enumerate(rows_)) {
    ifInTile(int64_t(pass), [&] {
      Value bytes;
      if (Value inside = isInside(row, tap)) {
        bytes = arith::SelectOp::create(k_.b, k_.loc, inside, k_.i32(access),
                                        k_.i32(0));
      }
      Value from = k_.advance(tile_.base, k_.add(row.offset, tap.distance),
                              operand_.type);
      NVVM::CpAsyncOp::create(k_.b, k_.loc, placeIn(shared, int64_t(pass)),
                              from, k_.b.getI32IntegerAttr(int32_t(access)),
                              modifier, bytes);
    });
  }
}

SmallVector<Value> ImageCopy::load(Value firstK) {
  Type word = k_.b.getIntegerType(unsigned(operand_.elementBytes() * 8));
  int64_t count = unitElements();
  SmallVector<Tap> taps;
  for (int64_t i = 0; i != count; ++i) {
    taps.push_back(tapAt(firstK, i));
  }
  SmallVector<Value> loaded;
  for (const Row &row : rows_) {
    Value unit =
        LLVM::UndefOp::create(k_.b, k_.loc, VectorType::get(count, word));
    for (auto [i, tap] : llvm::enumerate(taps)) {
      Value offset = k_.add(row.offset, tap.distance);
      Value inside = isInside(row, tap);
      if (inside) {
        offset =
            arith::SelectOp::create(k_.b, k_.loc, inside, offset, k_.i32(0));
      }
      Value value =
          k_.loadAligned(word, k_.advance(tile_.base, offset, operand_.type));
      if (inside) {
        value = arith::SelectOp::create(k_.b, k_.loc, inside, value,
                                        k_.integer(word, 0));
      }
      unit = LLVM::InsertElementOp::create(k_.b, k_.loc, unit, value,
                                           k_.i32(int64_t(i)));
    }
    loaded.push_back(unit);
  }
  return loaded;
}

void ImageCopy::store(ArrayRef<Value> loaded, Value shared) {
  for (auto [pass, unit] : llvm::enumerate(loaded)) {
    ifInTile(int64_t(pass), [&, unit = unit, pass = pass] {
      k_.storeAligned(unit, placeIn(shared, int64_t(pass)));
    });
  }
}

} // namespace minic::cuda
