// SPDX-License-Identifier: Apache-2.0
//
// EstimateSelector: what is chosen where nothing was measured.

#ifndef MINIC_COMPILER_ESTIMATESELECTOR_H
#define MINIC_COMPILER_ESTIMATESELECTOR_H

#include "compiler/target/Candidates.h"
#include "dialects/kernel/AlgorithmSelector.h"

namespace minic {

/// Takes the candidate with the best estimate. `gemmBackends` restricts fusions
/// with a contraction; naming one that fits nothing is an error at the fusion.
class EstimateSelector : public kernel::AlgorithmSelector {
public:
  EstimateSelector(const Target &target,
                   std::vector<BackendLabel> gemmBackends);

  mlir::FailureOr<std::vector<kernel::SelectedChoice>>
  select(llvm::ArrayRef<kernel::FusionOp> fusions) override;

private:
  const Target &target;
  std::vector<BackendLabel> gemmBackends;
};

/// True where the body has a linear or matmul: what --gemm-backends is about.
bool hasContraction(kernel::FusionOp fusion);

} // namespace minic

#endif // MINIC_COMPILER_ESTIMATESELECTOR_H
