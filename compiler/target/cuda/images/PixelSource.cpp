// SPDX-License-Identifier: Apache-2.0

#include "compiler/target/cuda/images/PixelSource.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace minic::cuda {

/// What the ops ahead of the pool or resize make of a pixel.
static Value compute(const PixelSource &source, Value h, Value w) {
  CudaKernelBuilder &k = source.k;
  const ImageGeometry &g = source.geometry;
  Value line = k.add(k.mul(source.number, g.height), h);
  SpacePosition place{line, w, 1};
  if (source.image.isNhwc()) {
    place = {k.add(k.mul(line, g.width), w), source.channel,
             g.schedule.channels};
  }
  source.before->moveTo(place);
  return source.before->get(source.image.before.results[0]);
}

Value PixelSource::read(Value h, Value w, Value isInside) const {
  if (before) {
    auto orFirst = [&](Value index) -> Value {
      return isInside ? arith::SelectOp::create(k.b, k.loc, isInside, index,
                                                k.i32(0))
                      : index;
    };
    return compute(*this, orFirst(h), orFirst(w));
  }
  Value offset = k.mul(k.add(k.mul(h, geometry.width), w), geometry.channels);
  if (isInside) {
    offset = arith::SelectOp::create(k.b, k.loc, isInside, offset, k.i32(0));
  }
  int64_t channels = geometry.schedule.channels;
  Type memory = KernelBuilder::memoryType(geometry.dtype);
  Value loaded = k.loadAligned(
      channels == 1 ? memory : Type(VectorType::get(channels, memory)),
      k.advance(input, offset, geometry.dtype));
  return k.toCompute(loaded, geometry.dtype);
}

Value PixelSource::spread(Value scalar) const {
  int64_t channels = geometry.schedule.channels;
  return channels == 1 ? scalar : k.splat(scalar, channels);
}

Value PixelSource::toFloat(Value integer) const {
  return arith::SIToFPOp::create(k.b, k.loc, k.b.getF32Type(), integer);
}

} // namespace minic::cuda
