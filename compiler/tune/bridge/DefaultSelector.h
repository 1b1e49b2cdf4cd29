// SPDX-License-Identifier: Apache-2.0
//
// DefaultSelector: what default mode takes with an empty database, which tuned
// plans are compared with.

#ifndef MINIC_COMPILER_TUNE_BRIDGE_DEFAULTSELECTOR_H
#define MINIC_COMPILER_TUNE_BRIDGE_DEFAULTSELECTOR_H

#include "compiler/tune/bridge/TuningTasks.h"

namespace minic::tune {

/// Choices of shipped records, else the best estimates. Fails without shipped
/// choices if there is no estimate, because the options allow only what was
/// measured.
class DefaultSelector : public kernel::AlgorithmSelector {
public:
  explicit DefaultSelector(const SelectionInputs &inputs) : inputs(inputs) {}

  mlir::FailureOr<std::vector<kernel::SelectedChoice>>
  select(llvm::ArrayRef<kernel::FusionOp> fusions) override;

private:
  SelectionInputs inputs;
};

} // namespace minic::tune

#endif // MINIC_COMPILER_TUNE_BRIDGE_DEFAULTSELECTOR_H
