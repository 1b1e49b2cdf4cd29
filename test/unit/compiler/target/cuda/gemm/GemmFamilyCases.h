// SPDX-License-Identifier: Apache-2.0
//
// What tests of all families of GEMM kernels begin with.

#ifndef MINIC_TEST_UNIT_COMPILER_TARGET_CUDA_GEMM_GEMMFAMILYCASES_H
#define MINIC_TEST_UNIT_COMPILER_TARGET_CUDA_GEMM_GEMMFAMILYCASES_H

#include "compiler/target/cuda/Assembler.h"
#include "compiler/target/cuda/CudaProfile.h"
#include "compiler/target/cuda/gemm/EstimatedSchedule.h"
#include "test/unit/dialects/kernel/ParsedFusion.h"
#include "test/unit/dialects/kernel/TensorText.h"

#include "mlir/IR/Verifier.h"

#include <gtest/gtest.h>

namespace minic::cuda {

/// relu(x W^T + b)
inline ParsedFusion linearRelu(int64_t m, int64_t n, int64_t k,
                               const std::string &dtype) {
  std::string x = tensor({m, k}, dtype), w = tensor({n, k}, dtype),
              b = tensor({n}, dtype), y = tensor({m, n}, dtype);
  return ParsedFusion({x, w, b}, y,
                      "%l = graph.linear %0, %1, %2 : (" + x + ", " + w + ", " +
                          b + ") -> " + y + "\n%r = graph.relu %l : " + y +
                          "\nkernel.yield %r : " + y);
}

/// An H200 whose code is for `arch`.
inline DeviceProfile profileOf(const std::string &arch) {
  DeviceProfile profile = *getCudaProfile("h200");
  EXPECT_TRUE(setArch(profile, arch));
  return profile;
}

struct Assembled {
  std::string ptx;
  std::vector<KernelResources> resources; // none without an assembler
};

/// The kernels of `fusion` with `schedules`, in one module, "kernel0" and so
/// on.
template <typename Geometry, typename Schedule>
Assembled assemble(kernel::FusionOp fusion,
                   llvm::ArrayRef<Estimated<Schedule>> schedules,
                   const DeviceProfile &profile) {
  std::string reason;
  auto shape = kernel::FusionShape::get(fusion, &reason);
  EXPECT_TRUE(succeeded(shape)) << reason;
  prepareContext(*fusion.getContext());
  auto makeModule = [&] {
    return mlir::OwningOpRef<mlir::ModuleOp>(
        mlir::ModuleOp::create(fusion.getLoc()));
  };
  auto device = makeModule();
  for (auto [i, estimated] : llvm::enumerate(schedules)) {
    auto geometry = Geometry::get(*shape, estimated.schedule, &reason);
    EXPECT_TRUE(succeeded(geometry)) << reason;
    emitGemm(fusion.getLoc(), *device, "kernel" + std::to_string(i), *shape,
             *geometry,
             llvm::SmallBitVector(unsigned(fusion.getInputs().size())));
  }
  EXPECT_TRUE(succeeded(verify(*device)));
  Assembled result;
  auto ptx = emitPtx(*device, profile);
  EXPECT_TRUE(succeeded(ptx));
  if (failed(ptx)) {
    return result;
  }
  result.ptx = *ptx;
  if (hasAssembler()) {
    auto place = makeModule();
    EXPECT_TRUE(
        succeeded(assembleCubin(*ptx, profile.cpu, *place, &result.resources)));
  }
  return result;
}

} // namespace minic::cuda

#endif // MINIC_TEST_UNIT_COMPILER_TARGET_CUDA_GEMM_GEMMFAMILYCASES_H
