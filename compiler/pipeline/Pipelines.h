// SPDX-License-Identifier: Apache-2.0
//
// Pipelines: the order of passes in each phase, and runs of phases.

#ifndef MINIC_COMPILER_PIPELINE_PIPELINES_H
#define MINIC_COMPILER_PIPELINE_PIPELINES_H

#include "compiler/options/FuseSwitches.h"
#include "compiler/options/Phases.h"
#include "compiler/target/Target.h"
#include "dialects/graph/ConstantEvaluator.h"
#include "dialects/graph/LayoutCosts.h"
#include "dialects/kernel/AlgorithmSelector.h"

#include "mlir/IR/BuiltinOps.h"

#include <functional>
#include <string>

namespace minic {

/// What phases work with. Not owned.
struct PipelineInputs {
  Target *target = nullptr;
  /// Needed by select-algorithm only.
  kernel::AlgorithmSelector *selector = nullptr;
  /// Arithmetic of constant folding; null to fold none. For simplify only.
  const graph::ConstantEvaluator *evaluator = nullptr;
  /// As CompileOptions has it; for simplify only.
  std::string mergeLinears = "auto";
  /// Whether all targets multiply i8 (see multipliesBytes()); for simplify
  /// only.
  bool multipliesBytes = false;
  /// Whether all targets compute gated units in a product's kernel (see
  /// fusesGates()); for simplify only.
  bool fusesGates = false;
  /// For fuse only.
  FuseSwitches fuse;
  /// As CompileOptions has it, and for "auto" what ops cost on a target. For
  /// fuse only.
  std::string assignLayouts = "off";
  graph::LayoutCosts *layoutCosts = nullptr;
  /// Most rows of a product whose norm it takes (see mostNormRows()). For fuse
  /// only.
  int64_t normRows = 0;
  /// Most new positions of caches that attention updates itself (see
  /// mostUpdateRows()). For fuse only.
  int64_t updateRows = 0;
  /// Bytes that callers align inputs and outputs to.
  int64_t inputAlignment = 64;
  /// Verify the IR after each pass.
  bool verify = true;
};

/// For PipelineInputs::multipliesBytes: whether products of i8 are faster on
/// this device than those of the floats that they stand for.
bool multipliesBytes(const DeviceProfile &profile);
/// For PipelineInputs::fusesGates: whether kernels of products on a target of
/// this device make one result of two columns.
bool fusesGates(const DeviceProfile &profile);
/// For PipelineInputs::normRows: how many rows of a product a target of this
/// device may norm in the product's own kernel.
int64_t mostNormRows(const DeviceProfile &profile);
/// For PipelineInputs::updateRows: how many new positions of a cache a target
/// of this device may write in the kernel of their attention.
int64_t mostUpdateRows(const DeviceProfile &profile);

/// Runs the passes of one phase, simplify to codegen. Emits diagnostics.
mlir::LogicalResult runPhase(Phase phase, mlir::ModuleOp module,
                             const PipelineInputs &inputs);

/// From kernel.fusion ops that carry a choice (or an impl) to plan.binary:
/// realize, prepare-weights, plan, codegen. What emitArtifact then writes is an
/// ordinary artifact: the tuner builds its candidates with this.
mlir::LogicalResult runTail(mlir::ModuleOp module,
                            const PipelineInputs &inputs);

} // namespace minic

#endif // MINIC_COMPILER_PIPELINE_PIPELINES_H
