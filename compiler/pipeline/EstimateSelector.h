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
/// (--gemm-backends, --conv-backends, --row-backends, --pack-operands,
/// --pad-operands, --propagate-nan, --deterministic). If none is left, that is
/// an error at the fusion.
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

/// Which option names the labels that may implement a fusion: around a
/// contraction, a convolution, another reduction.
enum class BackendOption { None, Gemm, Conv, Row };
BackendOption backendOptionOf(kernel::FusionOp fusion);
/// "--row-backends"; of None the one that a kernel of the user's goes by,
/// "--gemm-backends".
llvm::StringRef toString(BackendOption option);

/// The labels that this option names, empty for all.
std::vector<BackendLabel> allowedBackends(kernel::FusionOp fusion,
                                          const CompileOptions &options);

/// The plug-ins that it names, empty for all.
std::vector<std::string> allowedPlugins(kernel::FusionOp fusion,
                                        const CompileOptions &options);

/// allowedBackends once the candidates are known: with --gemm-backends=plugin,
/// or a plug-in's name, a body without a contraction or convolution takes a
/// plug-in's kernel where there is one.
std::vector<BackendLabel> backendsOf(kernel::FusionOp fusion,
                                     const CompileOptions &options,
                                     llvm::ArrayRef<Candidate> candidates);

/// --pack-operands and --pad-operands.
OperandLayouts allowedLayouts(const CompileOptions &options);

/// enumerateCandidates under the options.
std::vector<Candidate> enumerateAllowed(kernel::FusionOp fusion,
                                        const Target &target,
                                        const CompileOptions &options,
                                        NanPolicy nan,
                                        std::vector<std::string> &why,
                                        Breadth breadth = Breadth::Promising);

/// The same for those who need at least one; failure with a diagnostic where
/// nothing is left. `measuresNan`: candidates that lose a NaN are found by
/// measuring, before one is chosen.
mlir::FailureOr<std::vector<Candidate>>
allowedCandidates(kernel::FusionOp fusion, const Target &target,
                  const CompileOptions &options, bool measuresNan = false,
                  Breadth breadth = Breadth::Promising);

} // namespace minic

#endif // MINIC_COMPILER_PIPELINE_ESTIMATESELECTOR_H
