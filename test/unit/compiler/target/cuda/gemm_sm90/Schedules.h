// SPDX-License-Identifier: Apache-2.0
//
// Schedules of gemm_sm90 as its tests write them.

#ifndef MINIC_TEST_UNIT_COMPILER_TARGET_CUDA_GEMM_SM90_SCHEDULES_H
#define MINIC_TEST_UNIT_COMPILER_TARGET_CUDA_GEMM_SM90_SCHEDULES_H

#include "compiler/target/cuda/gemm_sm90/GemmSm90Schedule.h"

namespace minic::cuda {

inline GemmSm90Schedule schedule(int64_t bm, int64_t bn, int64_t warpGroupsM,
                                 int64_t stages, int64_t splitK = 1) {
  GemmSm90Schedule made;
  made.bm = bm, made.bn = bn, made.warpGroupsM = warpGroupsM;
  made.stages = stages, made.splitK = splitK;
  return made;
}

inline GemmSm90Schedule tma(GemmSm90Schedule one) {
  one.tma = true;
  return one;
}

} // namespace minic::cuda

#endif // MINIC_TEST_UNIT_COMPILER_TARGET_CUDA_GEMM_SM90_SCHEDULES_H
