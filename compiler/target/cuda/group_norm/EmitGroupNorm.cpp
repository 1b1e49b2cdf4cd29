// SPDX-License-Identifier: Apache-2.0

#include "compiler/target/cuda/group_norm/EmitGroupNorm.h"

#include "compiler/target/cuda/group_norm/PixelKernel.h"

using namespace mlir;

namespace minic::cuda {

void emitGroupNorm(Location loc, ModuleOp device, ArrayAttr names,
                   const GroupNormFusion &norm,
                   const GroupNormGeometry &geometry, int64_t operandCount) {
  OpBuilder builder(device.getContext());
  int64_t pointers = operandCount + int64_t(norm.after.results.size());
  KernelLaunchBounds bounds;
  bounds.threads = geometry.threads();
  bounds.pointers = pointers + 1;
  for (auto [number, name] : llvm::enumerate(names.getAsRange<StringAttr>())) {
    KernelEntry entry =
        KernelEntry::create(builder, loc, device, name.getValue(), bounds);
    CudaKernelBuilder k(builder, loc);
    PixelPointers made;
    for (int64_t i = 0; i != pointers; ++i) {
      (i < operandCount ? made.operands : made.results)
          .push_back(entry.parameter(i));
    }
    made.workspace = entry.parameter(pointers);
    made.shared = dynamicShared(builder, loc, device);
    (number == 0 ? emitStatistics : emitResults)(k, norm, geometry, made);
  }
}

} // namespace minic::cuda
