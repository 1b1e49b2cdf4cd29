// SPDX-License-Identifier: Apache-2.0
//
// Counts a variant's commands, and adds up what is expected of them.

#include "compiler/driver/GraphMode.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>

using namespace mlir;

namespace minic {

plan::Replay unmeasuredReplay(int64_t commands, int64_t fusions, int64_t calls,
                              double us) {
  if (commands >= fewestReplayed) {
    return plan::Replay::Always;
  }
  if (commands == 0 || calls > 0 || us <= 0) {
    return plan::Replay::Never;
  }
  int64_t moves = std::max<int64_t>(0, commands - fusions);
  double most = commands == 1 ? mostReplayedUs
                              : mostOfLaunchUs * double(commands - moves) +
                                    mostOfMoveUs * double(moves);
  return us <= most ? plan::Replay::Always : plan::Replay::WhenIdle;
}

double sumKnown(ArrayRef<double> us) {
  return llvm::is_contained(us, 0) ? 0 : llvm::sum_of(us, 0.0);
}

/// Of a function with `evidence`; none: not known.
static double expectedUs(const FunctionEvidence *evidence) {
  return evidence
             ? sumKnown(llvm::map_to_vector(evidence->fusions,
                                            [](const FusionEvidence &fusion) {
                                              return fusion.expectedUs;
                                            }))
             : 0;
}

double busyUs(double us) { return 1.2 * us + 2.5; }

static plan::GraphVerdictAttr unmeasured(MLIRContext *context,
                                         plan::Replay replay, double runUs) {
  Builder b(context);
  auto none = b.getF64FloatAttr(0);
  return plan::GraphVerdictAttr::get(context, replay, none, none, none, none,
                                     none, none, b.getF64FloatAttr(runUs),
                                     /*pointerChanges=*/{});
}

/// `us`: what a replay was decided by, or 0.
static std::string reasonText(bool isAuto, double us) {
  if (!isAuto) {
    return "";
  }
  return us > 0
             ? llvm::formatv(" (not measured; expected to take {0:F1} us)", us)
                   .str()
             : " (not measured)";
}

void setGraphMode(ModuleOp plan, ArrayRef<FunctionEvidence> evidence,
                  const CompileOptions &options) {
  if (options.cudaGraphs == CudaGraphs::Off) {
    return;
  }
  plan.walk([&](plan::VariantOp variant) {
    if (variant.getTarget() != "cuda" || variant.getGraphAttr()) {
      return;
    }
    int64_t commands = 0, calls = 0;
    variant.getRun().walk([&](Operation *op) {
      calls += isa<plan::CallOp>(op);
      commands +=
          isa<plan::LaunchOp, plan::CallOp, plan::CopyOp, plan::FillOp>(op);
    });
    StringRef function =
        cast<plan::FunctionOp>(variant->getParentOp()).getSymName();
    const auto *known =
        llvm::find_if(evidence, [&](const FunctionEvidence &entry) {
          return entry.function == function;
        });
    bool isKnown = known != evidence.end();
    double us = expectedUs(isKnown ? known : nullptr);
    int64_t fusions = isKnown ? int64_t(known->fusions.size()) : commands;
    bool isAuto = options.cudaGraphs == CudaGraphs::Auto;
    plan::Replay replay = isAuto
                              ? unmeasuredReplay(commands, fusions, calls, us)
                          : commands > 0 ? plan::Replay::Always
                                         : plan::Replay::Never;
    if (replay != plan::Replay::Never) {
      variant.setGraphAttr(
          unmeasured(plan.getContext(), replay,
                     replay == plan::Replay::WhenIdle ? busyUs(us) : 0));
    }
    const char *idle =
        replay == plan::Replay::WhenIdle ? " when the stream is idle" : "";
    options.log.line(
        LogTopic::Graphs,
        Twine("@") + function +
            (replay == plan::Replay::Never
                 ? ": launched, commands of a run: " + Twine(commands)
                 : ": replayed from a captured graph" + Twine(idle)) +
            reasonText(isAuto, replay == plan::Replay::Never ? 0 : us));
  });
}

} // namespace minic
