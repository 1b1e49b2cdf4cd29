// SPDX-License-Identifier: Apache-2.0
//
// EstimateFit: what measured times say of estimates.

#ifndef MINIC_COMPILER_TARGET_CUDA_ESTIMATEFIT_H
#define MINIC_COMPILER_TARGET_CUDA_ESTIMATEFIT_H

#include "compiler/target/DeviceProfile.h"
#include "compiler/target/KernelFamily.h"
#include "compiler/target/cuda/EstimateFeatures.h"

namespace minic::cuda {

/// What `implementation` of the source `source` is expected to take, from its
/// own estimate: models of different families are wrong by different amounts,
/// and those of one kind by much the same. A GPU that is not sm_90 keeps the
/// estimate.
///
/// An implementation of a plain product (`sizes`, null for anything else) is
/// corrected by what its group's records of such products say, where the sizes
/// lie among theirs: test/bench/fit_corrections.py wrote that from records of
/// an H200. Any other has the line of its kind, through records of an H200 and
/// an H100 alike, written by test/bench/fit_estimates.py; kinds without a line
/// keep the estimate. Both files give their errors.
double fitEstimate(const DeviceProfile &profile, llvm::StringRef source,
                   const ProductSizes *sizes,
                   const Implementation &implementation);

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_ESTIMATEFIT_H
