// SPDX-License-Identifier: Apache-2.0
//
// Asks each target about each kernel, as a fusion of its own.

#include "compiler/pipeline/ResolveKernels.h"

#include "compiler/pipeline/ResolveTarget.h"
#include "compiler/target/UserKernels.h"
#include "dialects/graph/InferShapes.h"
#include "dialects/kernel/Kernel.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/OwningOpRef.h"

#include <set>

using namespace mlir;

namespace minic {

using graph::KernelOp;

/// `op` on arguments of its own.
static OwningOpRef<kernel::FusionOp> wrap(KernelOp op) {
  OpBuilder builder(op.getContext());
  OwningOpRef<kernel::FusionOp> fusion = kernel::FusionOp::create(
      builder, op.getLoc(), op.getResultTypes(), op.getInputs(),
      /*choice=*/nullptr, /*impl=*/nullptr);
  Block *body = builder.createBlock(&fusion->getBody());
  IRMapping mapping;
  for (Value input : op.getInputs()) {
    mapping.map(input, body->addArgument(input.getType(), input.getLoc()));
  }
  Operation *clone = builder.clone(*op, mapping);
  kernel::YieldOp::create(builder, op.getLoc(), clone->getResults());
  return fusion;
}

bool isForced(Operation *op, const CompileOptions &options) {
  auto kernel = dyn_cast<KernelOp>(op);
  return kernel && (kernel.getPrefer() ||
                    labelsOf(options.gemmBackends) ==
                        std::vector<BackendLabel>{BackendLabel::User});
}

/// Why no target runs `op`; empty where one does.
static std::string whyNot(KernelOp op, ArrayRef<const Target *> targets) {
  std::string why;
  for (const Target *target : targets) {
    if (target->profile().target != op.getTargetName()) {
      continue;
    }
    const ImplementationSource *source = target->find(userFamily);
    OwningOpRef<kernel::FusionOp> fusion = wrap(op);
    auto reason = source ? source->reject(*fusion, target->profile())
                         : "the target takes no kernels";
    // Its operands belong to the model.
    fusion->getOperation()->dropAllReferences();
    if (!reason) {
      return "";
    }
    why = *reason;
  }
  return why.empty() ? ("is for " + op.getTargetName()).str() : why;
}

LogicalResult resolveKernels(ModuleOp module, ArrayRef<const Target *> targets,
                             const CompileOptions &options) {
  SmallVector<KernelOp> kernels;
  module.walk([&](KernelOp op) { kernels.push_back(op); });
  if (kernels.empty()) {
    return success();
  }
  for (auto function : module.getOps<func::FuncOp>()) {
    if (failed(graph::inferShapes(function))) {
      return failure();
    }
  }
  std::vector<BackendLabel> allowed = labelsOf(options.gemmBackends);
  bool isAllowed =
      allowed.empty() || llvm::is_contained(allowed, BackendLabel::User);
  std::set<std::string> said;
  for (KernelOp op : kernels) {
    std::string why =
        isAllowed ? whyNot(op, targets) : "--gemm-backends leaves it out";
    if (why.empty()) {
      continue;
    }
    bool isForTarget = llvm::any_of(targets, [&](const Target *target) {
      return target->profile().target == op.getTargetName();
    });
    std::string text = "kernel " + op.getShownName() + " " + why;
    if (isForced(op, options) && isAllowed && isForTarget) {
      return op.emitError(text);
    }
    if (isForTarget && isAllowed && said.insert(text).second) {
      op.emitWarning(text) << "; its reference is used";
    }
    graph::inlineKernel(op);
  }
  return success();
}

} // namespace minic
