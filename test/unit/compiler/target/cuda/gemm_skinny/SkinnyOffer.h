// SPDX-License-Identifier: Apache-2.0
//
// Schedules of gemm_skinny as tests write them, and offers of the family.

#ifndef MINIC_TEST_UNIT_COMPILER_TARGET_CUDA_GEMM_SKINNY_SKINNYOFFER_H
#define MINIC_TEST_UNIT_COMPILER_TARGET_CUDA_GEMM_SKINNY_SKINNYOFFER_H

#include "compiler/target/OfferFusion.h"
#include "compiler/target/cuda/gemm_skinny/EnumerateSkinny.h"
#include "compiler/target/cuda/gemm_skinny/GemmSkinnyFamily.h"
#include "test/unit/compiler/target/cuda/InterpretedFusion.h"

namespace minic::cuda {

inline SkinnySchedule mma(int64_t columns, int64_t warps, int64_t split,
                          int64_t unroll, bool programmatic = false) {
  return {SkinnyMath::Mma16, columns, warps, split, false, unroll, 1,
          programmatic};
}

inline SkinnySchedule with(SkinnyMath math, int64_t columns, int64_t warps,
                           int64_t split, int64_t unroll) {
  return {math, columns, warps, split, false, unroll, 1, false};
}

/// An Implementation of this schedule, as the family would offer it.
inline Implementation offerSkinny(kernel::FusionOp fusion,
                                  const SkinnySchedule &schedule) {
  std::string reason;
  auto matched = matchSkinny(fusion, &reason);
  EXPECT_TRUE(succeeded(matched)) << reason;
  EXPECT_TRUE(succeeded(SkinnyGeometry::get(*matched, schedule, &reason)))
      << reason;
  Implementation made =
      offerDense(fusion, "gemm_skinny", toAttr(schedule, fusion.getContext()),
                 toString(schedule));
  made.operandLayouts[size_t(matched->rhs())] = getWeightLayout(matched->shape);
  return made;
}

/// Of the offer that is taken where nothing is measured: a tuner drops those
/// that do.
inline void expectNoSpills(kernel::FusionOp fusion,
                           const DeviceProfile &profile) {
  GemmSkinnyFamily family;
  prepareContext(*fusion.getContext());
  Implementation offered = family.enumerate(fusion, profile).front();
  LaunchRecorder plan(fusion.getContext());
  implement(fusion, offered);
  ASSERT_TRUE(succeeded(family.lower(fusion, plan)));
  mlir::OwningOpRef<mlir::ModuleOp> device =
      mlir::ModuleOp::create(fusion.getLoc());
  ASSERT_TRUE(succeeded(family.emit(cpu::onlyOp<plan::KernelOp>(*plan.module),
                                    profile, *device)));
  auto ptx = emitPtx(*device, profile);
  ASSERT_TRUE(succeeded(ptx));
  std::vector<KernelResources> resources;
  ASSERT_TRUE(succeeded(assembleCubin(*ptx, profile.cpu, *device, &resources)));
  EXPECT_EQ(resources[0].spillBytes, 0) << offered.name;
}

} // namespace minic::cuda

#endif // MINIC_TEST_UNIT_COMPILER_TARGET_CUDA_GEMM_SKINNY_SKINNYOFFER_H
