// SPDX-License-Identifier: Apache-2.0
//
// HeuristicSelector: the modes that measure nothing: the tuning database where
// it has a fresh record, else a shipped record, else the best estimate.

#ifndef MINIC_COMPILER_TUNE_BRIDGE_HEURISTICSELECTOR_H
#define MINIC_COMPILER_TUNE_BRIDGE_HEURISTICSELECTOR_H

#include "compiler/tune/bridge/RecordedSelector.h"

namespace minic::tune {

/// A database that is not there is an empty one; one that cannot be read is a
/// diagnostic. Stale records are not used, and the log says so.
class HeuristicSelector : public RecordedSelector {
public:
  explicit HeuristicSelector(const SelectionInputs &inputs)
      : RecordedSelector(inputs) {}

  mlir::FailureOr<std::vector<kernel::SelectedChoice>>
  select(llvm::ArrayRef<kernel::FusionOp> fusions) override;
};

} // namespace minic::tune

#endif // MINIC_COMPILER_TUNE_BRIDGE_HEURISTICSELECTOR_H
