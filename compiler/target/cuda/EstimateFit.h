// SPDX-License-Identifier: Apache-2.0
//
// EstimateFit: what measured times say of estimates.

#ifndef MINIC_COMPILER_TARGET_CUDA_ESTIMATEFIT_H
#define MINIC_COMPILER_TARGET_CUDA_ESTIMATEFIT_H

#include "compiler/target/DeviceProfile.h"
#include "compiler/target/KernelFamily.h"

namespace minic::cuda {

/// What `implementation` of the source `source` is expected to take, from its
/// own estimate: models of different families are wrong by different amounts,
/// and those of one kind by much the same. Kinds without a fit keep the
/// estimate, and so does a GPU that is not sm_90.
///
/// The fits are lines through tuning records of an H200 and an H100 alike,
/// written by test/bench/fit_estimates.py with their errors.
double fitEstimate(const DeviceProfile &profile, llvm::StringRef source,
                   const Implementation &implementation);

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_ESTIMATEFIT_H
