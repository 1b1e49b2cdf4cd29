// SPDX-License-Identifier: Apache-2.0

#include "compiler/target/cuda/images/EmitImages.h"

#include "compiler/target/cuda/EpilogueEmitter.h"
#include "compiler/target/cuda/images/PixelSource.h"

using namespace mlir;

namespace minic::cuda {

/// The results of thread number `item`; `operands` are the fusion's.
static void emitItem(CudaKernelBuilder &k, const ImageFusion &image,
                     const ImageGeometry &g, ArrayRef<Value> operands,
                     Value item, EpilogueEmitter &epilogue) {
  int64_t lanes = g.schedule.channels;
  auto take = [&](int64_t extent) {
    Value index = k.rem(item, extent);
    item = k.div(item, extent);
    return index;
  };
  Value channel = k.mul(take(g.channels / lanes), lanes);
  Value pixel = item;
  Value column = take(g.outputColumns);
  Value row = take(g.outputRows);
  BodyEvaluator before(k, image.before.space, operands);
  PixelSource source{k, image, g, Value(), &before, item, channel, row, column};
  if (auto input = dyn_cast<BlockArgument>(image.before.results[0])) {
    Value first = k.mul(item, g.height * g.width * g.channels);
    source.input = k.advance(operands[input.getArgNumber()],
                             k.add(first, channel), g.dtype);
    source.before = nullptr;
  }
  // Where it is among all dimensions but the last, and in that.
  SpacePosition place{pixel, channel, lanes};
  if (!image.isNhwc()) {
    place = {k.div(pixel, g.outputColumns), column, lanes};
  }
  epilogue.emit(place, image.pool ? emitPooled(source) : emitResized(source));
}

void emitImages(Location loc, ModuleOp device, StringRef name,
                const ImageFusion &image, const ImageGeometry &geometry,
                int64_t operandCount) {
  OpBuilder builder(device.getContext());
  const ImageSchedule &s = geometry.schedule;
  KernelLaunchBounds bounds;
  bounds.threads = s.threads;
  bounds.pointers = operandCount + int64_t(image.after.results.size());
  KernelEntry entry = KernelEntry::create(builder, loc, device, name, bounds);
  CudaKernelBuilder k(builder, loc);
  SmallVector<Value> operands, results;
  for (int64_t i = 0; i != bounds.pointers; ++i) {
    (i < operandCount ? operands : results).push_back(entry.parameter(i));
  }
  k.allowLaterLaunches(s.programmatic);
  Value item = k.add(k.mul(k.blockIdX(), s.threads), k.threadIdX());
  k.waitForEarlierLaunches(s.programmatic);
  auto body = [&] {
    EpilogueEmitter epilogue(k, image.after, operands, results);
    emitItem(k, image, geometry, operands, item, epilogue);
  };
  if (geometry.items() % s.threads == 0) {
    body();
  } else {
    k.ifThen(k.lessThan(item, geometry.items()), body);
  }
}

} // namespace minic::cuda
