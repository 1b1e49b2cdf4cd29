// SPDX-License-Identifier: Apache-2.0
//
// A variant without a verdict is never replayed.

#include "compiler/driver/GraphMode.h"

#include "dialects/plan/Plan.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace minic {

void setGraphMode(ModuleOp plan, const CompileOptions &options) {
  if (options.cudaGraphs == CudaGraphs::Off) {
    return;
  }
  Builder b(plan.getContext());
  plan.walk([&](plan::VariantOp variant) {
    if (variant.getTarget() != "cuda" || variant.getGraphAttr()) {
      return;
    }
    int64_t commands = 0;
    variant.getRun().walk([&](Operation *op) {
      commands +=
          isa<plan::LaunchOp, plan::CallOp, plan::CopyOp, plan::FillOp>(op);
    });
    bool isAuto = options.cudaGraphs == CudaGraphs::Auto;
    bool replay = commands >= (isAuto ? fewestReplayed : 1);
    if (replay) {
      auto unmeasured = b.getF64FloatAttr(0);
      variant.setGraphAttr(plan::GraphVerdictAttr::get(
          b.getContext(), plan::Replay::Always, unmeasured, unmeasured,
          unmeasured, unmeasured, unmeasured, unmeasured, unmeasured,
          /*pointerChanges=*/{}));
    }
    options.log.line(
        LogTopic::Graphs,
        Twine("@") +
            cast<plan::FunctionOp>(variant->getParentOp()).getSymName() +
            (replay ? ": replayed from a captured graph"
                    : ": launched, commands of a run: " + Twine(commands)) +
            (isAuto ? " (not measured)" : ""));
  });
}

} // namespace minic
