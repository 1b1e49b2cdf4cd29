// SPDX-License-Identifier: Apache-2.0
//
// What the ways to multiply have in common: where a warp's tile is.

#include "compiler/target/cuda/gemm_sm80/Multiply.h"

using namespace mlir;

namespace minic::cuda {

Multiply::Multiply(CudaKernelBuilder &builder, const GemmSm80Geometry &geometry,
                   Value warp, Value lane)
    : k_(builder), g_(geometry), lane_(lane) {
  const GemmSm80Schedule &s = geometry.schedule;
  firstRow_ = k_.mul(k_.rem(warp, s.warpsM), geometry.warpTileM);
  Value rest = k_.div(warp, s.warpsM);
  firstColumn_ = k_.mul(k_.rem(rest, s.warpsN), geometry.warpTileN);
  warpK_ = k_.div(rest, s.warpsN);
}

Value Multiply::sumTile(Value shared) {
  if (g_.schedule.warpsK == 1) {
    return shared;
  }
  return k_.advance(shared, k_.mul(warpK_, g_.schedule.bm * g_.sumPitch),
                    k_.b.getF32Type());
}

std::unique_ptr<Multiply> Multiply::create(CudaKernelBuilder &builder,
                                           const GemmSm80Geometry &geometry,
                                           Value warp, Value lane) {
  return geometry.usesTensorCores()
             ? createTensorCoreMultiply(builder, geometry, warp, lane)
             : createFfmaMultiply(builder, geometry, warp, lane);
}

} // namespace minic::cuda
