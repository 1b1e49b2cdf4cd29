// SPDX-License-Identifier: Apache-2.0
//
// Tiles of units, and places along one dimension that both layouts need.

#include "compiler/target/cpu/images/EmitImages.h"

#include "compiler/target/cpu/RunShare.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <limits>

using namespace mlir;

namespace minic::cpu {

ImageWindow::ImageWindow(KernelBuilder &k, const graph::WindowLine &line,
                         Value output)
    : line(line), start(k.sub(k.mul(output, line.stride), k.i64(line.before))),
      first(k.i64(0)), last(k.i64(line.window)) {
  if (!line.isInside()) {
    first = countBelow(k, 0);
    last = countBelow(k, line.extent);
  }
}

Value ImageWindow::countBelow(KernelBuilder &k, int64_t bound) const {
  Value room = k.sub(k.i64(bound + line.dilation - 1), start);
  return k.min(k.div(k.max(room, k.i64(0)), line.dilation), k.i64(line.window));
}

Value ImageWindow::count(KernelBuilder &k, bool countsPads) const {
  return countsPads ? countBelow(k, line.extent + line.after)
                    : k.sub(last, first);
}

static Value toFloat(KernelBuilder &k, Value x) {
  return arith::SIToFPOp::create(k.b, k.loc, k.b.getF32Type(), x);
}

Value ImageEmitter::toFloat(Value integer) const {
  return cpu::toFloat(k, integer);
}

Value ImageEmitter::neutral() const {
  float none = image.isMax() ? -std::numeric_limits<float>::infinity() : 0;
  return arith::ConstantOp::create(k.b, k.loc, k.b.getF32FloatAttr(none));
}

Value ImageEmitter::combine(Value state, Value element) const {
  if (image.isMax()) {
    return arith::MaximumFOp::create(k.b, k.loc, state, element);
  }
  return arith::AddFOp::create(k.b, k.loc, state, element);
}

Value ImageEmitter::weighed(Value x, Value xWeight, Value y,
                            Value yWeight) const {
  return arith::AddFOp::create(k.b, k.loc,
                               arith::MulFOp::create(k.b, k.loc, x, xWeight),
                               arith::MulFOp::create(k.b, k.loc, y, yWeight));
}

ImageSource::ImageSource(KernelBuilder &k, const ImageFusion &image,
                         unsigned side, Value output) {
  graph::ResizeLine line = image.line(side);
  if (line.isIdentity()) {
    first = output;
    return;
  }
  if (image.isNearest()) {
    graph::ResizeLine::Nearest to = line.nearest();
    first = k.div(k.add(k.mul(output, to.factor), to.addend), to.by);
    return;
  }
  Value at = k.add(k.mul(output, line.scale), line.offset);
  at = k.min(k.max(at, k.i64(0)), k.i64((line.inputs - 1) * line.divisor));
  Value rest = k.rem(at, line.divisor);
  Value whole = toFloat(k, k.i64(line.divisor));
  first = k.div(at, line.divisor);
  second = k.min(k.add(first, 1), k.i64(line.inputs - 1));
  auto share = [&](Value part) -> Value {
    return arith::DivFOp::create(k.b, k.loc, toFloat(k, part), whole);
  };
  firstWeight = share(k.sub(k.i64(line.divisor), rest));
  secondWeight = share(rest);
}

int64_t imageScratchBytes(const ImageFusion &image) {
  return image.isNhwc() ? 0 : lineScratchBytes(image);
}

void emitImages(ModuleOp device, Location loc, StringRef name,
                kernel::FusionOp fusion, const ImageFusion &image, int64_t tile,
                const std::optional<RunBound> &bound) {
  OpBuilder builder(device.getContext());
  KernelEntry entry = KernelEntry::create(builder, loc, device, name);
  KernelBuilder k(builder, loc);
  auto pointers = [&](const kernel::FusionShape &shape) {
    return llvm::map_to_vector(shape.epilogueInputs, [&](Value input) {
      return k.argPointer(entry.args,
                          cast<BlockArgument>(input).getArgNumber());
    });
  };
  SmallVector<Value> results;
  for (size_t i = 0; i != fusion.getNumResults(); ++i) {
    results.push_back(
        k.argPointer(entry.args, int64_t(fusion.getInputs().size() + i)));
  }
  ImageEmitter emitter{
      k, image, EpilogueEmitter(k, image.before, pointers(image.before), {}),
      EpilogueEmitter(k, image.after, pointers(image.after), results),
      entry.scratch};
  if (!image.isNhwc()) {
    emitLineTables(emitter);
  }
  auto rows = BoundedRows::get(
      bound, int64_t(fusion.getInputs().size() + fusion.getNumResults()));
  shareTilesOfRun(k, entry, rows, image.units(), tile);
  Value first = k.mul(entry.begin, tile);
  Value last = k.min(k.mul(entry.end, tile), k.i64(image.units()));
  k.forLoop(first, last, 1, [&](Value unit) {
    if (image.isNhwc()) {
      emitPixel(emitter, unit);
    } else {
      emitLine(emitter, unit);
    }
  });
}

} // namespace minic::cpu
