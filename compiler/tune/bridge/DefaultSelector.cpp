// SPDX-License-Identifier: Apache-2.0
//
// Estimates all, then replaces what was measured elsewhere.

#include "compiler/tune/bridge/DefaultSelector.h"

#include "compiler/pipeline/EstimateSelector.h"
#include "compiler/tune/bridge/ShippedDb.h"

using namespace mlir;

namespace minic::tune {

FailureOr<std::vector<kernel::SelectedChoice>>
DefaultSelector::select(ArrayRef<kernel::FusionOp> fusions) {
  std::unique_ptr<TuningTasks> tasks;
  if (inputs.shipped && !fusions.empty() &&
      inputs.shipped->recordsOf(inputs.target->profile().name)) {
    // It orders bodies, so it comes before any choice.
    FailureOr<std::unique_ptr<TuningTasks>> made =
        makeTasks(fusions, inputs, /*areMeasured=*/false);
    if (failed(made)) {
      return failure();
    }
    tasks = std::move(*made);
  }
  EstimateSelector estimator(*inputs.target, *inputs.options);
  FailureOr<std::vector<kernel::SelectedChoice>> choices =
      estimator.select(fusions);
  if (failed(choices) || !tasks) {
    return choices;
  }
  for (auto [choice, task] : llvm::zip_equal(*choices, tasks->taskOf)) {
    ShippedAnswer answer =
        inputs.shipped->find(tasks->tasks[task].problem, policyOf(inputs));
    if (answer.choice) {
      choice = *std::move(answer.choice);
    }
  }
  return choices;
}

} // namespace minic::tune
