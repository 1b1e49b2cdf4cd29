// SPDX-License-Identifier: Apache-2.0
//
// Lines of an image are copied in one piece each.

#include "compiler/target/cpu/PaddedImage.h"

#include "compiler/target/cpu/KernelAbi.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace minic::cpu {

/// Elements of bf16 in 64 bytes.
static constexpr int64_t vectorElements = 32;

std::optional<PaddedImage> PaddedImage::get(const graph::Conv2dGeometry &conv) {
  if (conv.strideHeight != 1 || conv.strideWidth != 1 ||
      conv.inputChannels % vectorElements != 0) {
    return std::nullopt;
  }
  return PaddedImage{conv};
}

int64_t PaddedImage::rows() const {
  if (conv.batch * conv.outputHeight * conv.outputWidth == 0) {
    return 0;
  }
  int64_t lines = (conv.batch - 1) * height() + conv.outputHeight;
  return (lines - 1) * width() + conv.outputWidth;
}

static Value compare(KernelBuilder &k, arith::CmpIPredicate predicate,
                     Value lhs, int64_t rhs) {
  return arith::CmpIOp::create(k.b, k.loc, predicate, lhs, k.i64(rhs));
}

Value PaddedImage::offsetOf(KernelBuilder &k, Value line) const {
  int64_t perTap = conv.inputChannels / vectorElements;
  Value tap = k.div(line, perTap);
  Value r = k.div(tap, conv.filterWidth);
  Value pixels =
      k.add(k.mul(r, conv.dilationHeight * width()),
            k.mul(k.sub(tap, k.mul(r, conv.filterWidth)), conv.dilationWidth));
  Value inTap = k.sub(line, k.mul(tap, perTap));
  return k.add(k.mul(pixels, conv.inputChannels), k.mul(inTap, vectorElements));
}

PaddedImage::Result PaddedImage::resultOf(KernelBuilder &k, Value row) const {
  Value line = k.div(row, width()), x = k.rem(row, width());
  Value exists = compare(k, arith::CmpIPredicate::slt, x, conv.outputWidth);
  if (conv.batch > 1) {
    Value image = k.div(line, height()), y = k.rem(line, height());
    exists = arith::AndIOp::create(
        k.b, k.loc, exists,
        compare(k, arith::CmpIPredicate::slt, y, conv.outputHeight));
    line = k.add(k.mul(image, conv.outputHeight), y);
  }
  return {exists, k.add(k.mul(line, conv.outputWidth), x)};
}

namespace {

class ImagePadder {
public:
  ImagePadder(OpBuilder &builder, Location loc, const PaddedImage &image)
      : k_(builder, loc), image_(image), g_(image.conv),
        element_(builder.getBF16Type()),
        vector_(VectorType::get(vectorElements, element_)) {}

  void emit(LLVM::LLVMFuncOp function) {
    Value images = function.getArgument(0);
    Value first = function.getArgument(2);
    k_.forLoop(k_.i64(0), function.getArgument(3), 1, [&](Value i) {
      Value line = k_.add(first, i);
      Value to = k_.advance(function.getArgument(1),
                            k_.mul(i, image_.lineElements()), element_);
      Value number = k_.div(line, image_.height());
      Value y = k_.add(k_.rem(line, image_.height()), -g_.padTop);
      Value isInside = arith::AndIOp::create(
          k_.b, k_.loc, compare(k_, arith::CmpIPredicate::sge, y, 0),
          compare(k_, arith::CmpIPredicate::slt, y, g_.inputHeight));
      isInside = arith::AndIOp::create(
          k_.b, k_.loc, isInside,
          compare(k_, arith::CmpIPredicate::slt, number, g_.batch));
      auto branch =
          scf::IfOp::create(k_.b, k_.loc, isInside, /*withElseRegion=*/true);
      OpBuilder::InsertionGuard guard(k_.b);
      k_.b.setInsertionPoint(branch.thenBlock()->getTerminator());
      Value from = k_.advance(
          images,
          k_.mul(k_.add(k_.mul(number, g_.inputHeight), y), lineOfImage()),
          element_);
      clear(to, 0, g_.padLeft);
      k_.forLoop(
          k_.i64(0), k_.i64(lineOfImage()), vectorElements, [&](Value at) {
            Value data = k_.loadRaw(vector_, k_.advance(from, at, element_), 2);
            Value place = k_.add(at, g_.padLeft * g_.inputChannels);
            k_.storeRaw(data, k_.advance(to, place, element_), 64);
          });
      clear(to, g_.padLeft + g_.inputWidth, g_.padRight);
      k_.b.setInsertionPoint(branch.elseBlock()->getTerminator());
      clear(to, 0, image_.width());
    });
  }

private:
  int64_t lineOfImage() const { return g_.inputWidth * g_.inputChannels; }

  void clear(Value line, int64_t pixel, int64_t pixels) {
    int64_t begin = pixel * g_.inputChannels;
    k_.forLoop(k_.i64(begin), k_.i64(begin + pixels * g_.inputChannels),
               vectorElements, [&](Value at) {
                 k_.storeRaw(k_.zeroVector(element_, vectorElements),
                             k_.advance(line, at, element_), 64);
               });
  }

  KernelBuilder k_;
  const PaddedImage &image_;
  const graph::Conv2dGeometry &g_;
  Type element_;
  VectorType vector_;
};

} // namespace

LLVM::LLVMFuncOp emitPadImage(OpBuilder &builder, Location loc, ModuleOp device,
                              StringRef name, const PaddedImage &image) {
  OpBuilder::InsertionGuard guard(builder);
  Type pointer = LLVM::LLVMPointerType::get(builder.getContext());
  Type i64 = builder.getI64Type();
  LLVM::LLVMFuncOp function = createInternalFunction(
      builder, loc, device, name, {pointer, pointer, i64, i64});
  ImagePadder(builder, loc, image).emit(function);
  return function;
}

} // namespace minic::cpu
