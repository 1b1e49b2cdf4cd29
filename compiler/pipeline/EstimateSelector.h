// SPDX-License-Identifier: Apache-2.0
//
// EstimateSelector: what is chosen where nothing was measured.

#ifndef MINIC_COMPILER_PIPELINE_ESTIMATESELECTOR_H
#define MINIC_COMPILER_PIPELINE_ESTIMATESELECTOR_H

#include "compiler/options/CompileOptions.h"
#include "compiler/target/Candidates.h"
#include "dialects/kernel/AlgorithmSelector.h"

namespace minic {

/// Takes the candidate with the best estimate, of those that the options allow
/// (--gemm-backends, --conv-backends, --propagate-nan, --deterministic). If
/// none is left, that is an error at the fusion.
class EstimateSelector : public kernel::AlgorithmSelector {
public:
  /// `options` must outlive it.
  EstimateSelector(const Target &target, const CompileOptions &options);

  mlir::FailureOr<std::vector<kernel::SelectedChoice>>
  select(llvm::ArrayRef<kernel::FusionOp> fusions) override;

private:
  const Target &target;
  const CompileOptions &options;
};

/// True where the body has a contraction or convolution.
bool hasAnchor(kernel::FusionOp fusion);
bool hasConvolution(kernel::FusionOp fusion);

/// The labels that may implement `fusion`, empty for all: what --gemm-backends
/// names for one around a contraction, --conv-backends around a convolution.
std::vector<BackendLabel> allowedBackends(kernel::FusionOp fusion,
                                          const CompileOptions &options);

/// The same once its candidates are known: with --gemm-backends=plugin a body
/// without a contraction or convolution takes a plug-in's kernel where there is
/// one.
std::vector<BackendLabel> backendsOf(kernel::FusionOp fusion,
                                     const CompileOptions &options,
                                     llvm::ArrayRef<Candidate> candidates);

/// enumerateCandidates under the options; failure with a diagnostic where
/// nothing is left. `measuresNan`: candidates that lose a NaN are found by
/// measuring, before one is chosen.
mlir::FailureOr<std::vector<Candidate>>
allowedCandidates(kernel::FusionOp fusion, const Target &target,
                  const CompileOptions &options, bool measuresNan = false);

} // namespace minic

#endif // MINIC_COMPILER_PIPELINE_ESTIMATESELECTOR_H
