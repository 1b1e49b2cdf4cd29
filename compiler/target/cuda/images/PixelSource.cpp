// SPDX-License-Identifier: Apache-2.0

#include "compiler/target/cuda/images/PixelSource.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace minic::cuda {

Value PixelSource::read(Value h, Value w, Value isInside) const {
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
