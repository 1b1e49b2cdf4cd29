// SPDX-License-Identifier: Apache-2.0
//
// The kernel family `attention`: one attention in one kernel.

#ifndef MINIC_COMPILER_TARGET_CPU_ATTENTION_ATTENTIONFAMILY_H
#define MINIC_COMPILER_TARGET_CPU_ATTENTION_ATTENTIONFAMILY_H

#include "compiler/target/KernelFamily.h"

namespace minic::cpu {

/// One launch over tiles of queries that share their keys (see
/// AttentionFusion), each over blocks of keys with an online softmax. Scores
/// and weights are f32 and never leave a core. Blocks that causal, window or
/// key_length leave out for all queries of a tile are skipped. Operands are
/// dense, behind views too; elements of the result are neighbours. For a few
/// queries, as in a decode step, lanes are elements of keys, else queries.
/// Where there are fewer tiles than threads, the keys of a tile are split.
///
/// Schedule: `{keys = N : i64, rows = M : i64, split = P : i64, step = K :
/// i64}`, keys of a block and queries of a tile, at most, parts of the keys of
/// a tile, and keys whose scores registers hold. With `tiles` products of bf16
/// are those of AMX; such a kernel has a form without it, too. Name: "attention
/// 64x6 keys=128", or "attention 1x16 keys=512 split=2".
class AttentionFamily : public KernelFamily {
public:
  llvm::StringRef name() const override { return "attention"; }
  llvm::StringRef version() const override { return "4"; }
  /// Up to 7 % on an AMD EPYC; GEMMs and convolutions gained nothing
  /// (docs/measurements/2026-11-26-search-descent.md).
  bool gainsByDescent() const override { return true; }
  bool isFor(mlir::Operation *anchor) const override;
  std::optional<std::string>
  reject(kernel::FusionOp fusion, const DeviceProfile &profile) const override;
  std::vector<Implementation>
  enumerate(kernel::FusionOp fusion,
            const DeviceProfile &profile) const override;
  mlir::LogicalResult lower(kernel::FusionOp fusion,
                            plan::PlanBuilder &plan) const override;
  mlir::LogicalResult emit(plan::KernelOp kernel, const DeviceProfile &profile,
                           mlir::ModuleOp device) const override;
};

} // namespace minic::cpu

#endif // MINIC_COMPILER_TARGET_CPU_ATTENTION_ATTENTIONFAMILY_H
