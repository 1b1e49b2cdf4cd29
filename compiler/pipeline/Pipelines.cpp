// SPDX-License-Identifier: Apache-2.0
//
// Pass order only: one function per phase.

#include "compiler/pipeline/Pipelines.h"

#include "passes/graph/Passes.h"
#include "passes/kernel/Passes.h"
#include "passes/plan/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace minic {

static void addFoldConstants(OpPassManager &passes,
                             const PipelineInputs &inputs) {
  graph::FoldConstantsOptions options;
  // No CPU kernel widens weights itself; those of a GPU read bytes, and less.
  options.foldBytes = inputs.multipliesBytes;
  passes.addNestedPass<func::FuncOp>(
      inputs.evaluator ? graph::createFoldConstants(*inputs.evaluator, options)
                       : graph::createFoldConstants(options));
}

static void buildSimplify(OpPassManager &passes, const PipelineInputs &inputs) {
  // Shapes first: what is only written as dynamic is supported.
  passes.addNestedPass<func::FuncOp>(graph::createInferShapes());
  passes.addNestedPass<func::FuncOp>(graph::createCheckSupported());
  if (inputs.multipliesBytes) {
    passes.addNestedPass<func::FuncOp>(graph::createMultiplyBytes());
  }
  passes.addNestedPass<func::FuncOp>(graph::createLowerUnsigned());
  passes.addPass(createCanonicalizerPass());
  passes.addNestedPass<func::FuncOp>(graph::createMergeConstants());
  // Transposes end at constants, where folding turns them into bytes.
  passes.addNestedPass<func::FuncOp>(graph::createPushTransposes());
  addFoldConstants(passes, inputs);
  // Patterns see constants and matrices that are read transposed, and equal
  // values as one. Weights that they transpose are folded.
  passes.addPass(createCSEPass());
  passes.addNestedPass<func::FuncOp>(graph::createTurnConvolutions());
  passes.addNestedPass<func::FuncOp>(graph::createRaise());
  addFoldConstants(passes, inputs);
  passes.addPass(createCSEPass());
  // Passes from here on go by the order of ops, which exporters choose.
  passes.addNestedPass<func::FuncOp>(graph::createSortOps());
  if (inputs.mergeLinears != "never") {
    // Once weights are constants, and equal inputs are one value. A pair is no
    // part of a wider product: it is merged first, and not folded yet.
    if (inputs.fusesGates) {
      passes.addNestedPass<func::FuncOp>(graph::createInterleaveGates());
    }
    graph::MergeLinearsOptions options;
    options.always = inputs.mergeLinears == "always";
    passes.addNestedPass<func::FuncOp>(graph::createMergeLinears(options));
    addFoldConstants(passes, inputs);
  }
  passes.addNestedPass<func::FuncOp>(graph::createSinkSlices());
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
  // Once equal updates are one.
  passes.addNestedPass<func::FuncOp>(graph::createUpdateInPlace());
}

bool multipliesBytes(const DeviceProfile &profile) {
  // On a GPU only scalar loops do.
  return !profile.isGpu() && profile.has("avx2");
}

bool fusesGates(const DeviceProfile &profile) {
  // No CPU family takes two columns for one result.
  return profile.isGpu();
}

int64_t mostNormRows(const DeviceProfile &profile) {
  // On a GPU a norm of a few rows takes as long as its launch, and no CPU
  // family takes one with a product.
  return profile.isGpu() ? 8 : 0;
}

int64_t mostUpdateRows(const DeviceProfile &profile) {
  // Blocks that share a head's keys each write all its new ones, which a launch
  // takes longer to do where they are few. No CPU family writes caches.
  return profile.isGpu() ? 4 : 0;
}

/// The order of images is a target's matter, so it is not part of simplify.
static void addAssignLayouts(OpPassManager &passes,
                             const PipelineInputs &inputs) {
  if (inputs.assignLayouts == "off") {
    return;
  }
  passes.addNestedPass<func::FuncOp>(
      inputs.assignLayouts == "auto"
          ? graph::createAssignLayouts(*inputs.layoutCosts)
          : graph::createAssignLayouts({inputs.assignLayouts}));
  // What is broadcast over channels followed in constants.
  addFoldConstants(passes, inputs);
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
}

static void buildFuse(OpPassManager &passes, const PipelineInputs &inputs) {
  addAssignLayouts(passes, inputs);
  const FuseSwitches &fuse = inputs.fuse;
  passes.addNestedPass<func::FuncOp>(kernel::createFuse(
      {fuse.epilogues, fuse.prologues, fuse.pointwise, fuse.moves,
       fuse.attention, inputs.normRows, inputs.updateRows}));
  // Producers that were cloned into their users have no use left.
  passes.addPass(createCSEPass());
}

static void buildSelectAlgorithm(OpPassManager &passes,
                                 const PipelineInputs &inputs) {
  passes.addPass(kernel::createSelectAlgorithm(*inputs.selector));
}

static void buildRealize(OpPassManager &passes) {
  passes.addNestedPass<func::FuncOp>(kernel::createRealize());
}

static void buildPrepareWeights(OpPassManager &passes) {
  passes.addNestedPass<func::FuncOp>(kernel::createPrepareWeights());
}

static void buildPlan(OpPassManager &passes, const PipelineInputs &inputs) {
  passes.addNestedPass<func::FuncOp>(kernel::createMarkRows());
  const DeviceProfile &profile = inputs.target->profile();
  plan::LowerToPlanOptions options;
  options.target = profile.target;
  // The artifact names features as LLVM does, without the sign.
  for (StringRef feature : profile.features) {
    options.isa.push_back(feature.ltrim('+').str());
  }
  options.threads = profile.threads;
  options.alignment = inputs.inputAlignment;
  passes.addPass(plan::createLowerToPlan(*inputs.target, options));
  passes.addPass(plan::createAssignBuffers());
  // Two buffers in one place order their commands, so places come first.
  passes.addNestedPass<plan::FunctionOp>(plan::createOrderCommands());
  passes.addPass(plan::createVerifyPlan());
}

LogicalResult runPhase(Phase phase, ModuleOp module,
                       const PipelineInputs &inputs) {
  if (phase == Phase::Codegen) {
    return inputs.target->codegen(module);
  }
  PassManager passes(module.getContext(), ModuleOp::getOperationName());
  passes.enableVerifier(inputs.verify);
  switch (phase) {
  case Phase::Simplify:
    buildSimplify(passes, inputs);
    break;
  case Phase::Fuse:
    buildFuse(passes, inputs);
    break;
  case Phase::SelectAlgorithm:
    buildSelectAlgorithm(passes, inputs);
    break;
  case Phase::Realize:
    buildRealize(passes);
    break;
  case Phase::PrepareWeights:
    buildPrepareWeights(passes);
    break;
  case Phase::Plan:
    buildPlan(passes, inputs);
    break;
  case Phase::Import:
  case Phase::Codegen:
  case Phase::Emit:
    break;
  }
  return passes.run(module);
}

LogicalResult runTail(ModuleOp module, const PipelineInputs &inputs) {
  for (Phase phase :
       {Phase::Realize, Phase::PrepareWeights, Phase::Plan, Phase::Codegen}) {
    if (failed(runPhase(phase, module, inputs))) {
      return failure();
    }
  }
  return success();
}

} // namespace minic
