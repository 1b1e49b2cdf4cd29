// SPDX-License-Identifier: Apache-2.0
//
// The kernel family `rows`: softmax, norms and reductions.

#ifndef MINIC_COMPILER_TARGET_CPU_ROWS_ROWSFAMILY_H
#define MINIC_COMPILER_TARGET_CPU_ROWS_ROWSFAMILY_H

#include "compiler/target/KernelFamily.h"

namespace minic::cpu {

/// Launches over tiles of rows: reductions that share one space of rows and
/// columns, with the pointwise ops before, between and after them (see
/// RowFusion), each pass by vectors along the columns. Named ops are taken
/// whole. Columns that are no neighbours in memory are read and written one by
/// one. Operands are dense.
///
/// Schedule: `{keep = true or false, pieces = 1 : i64, tile = N : i64}`, rows
/// per tile, and whether what costs more to compute than to load is kept
/// between walks; with `pieces = N : i64, tile = 1 : i64` tiles per row, and a
/// launch for each walk. Name: "rows tile=4 keep", "rows pieces=8 keep".
class RowsFamily : public KernelFamily {
public:
  llvm::StringRef name() const override { return "rows"; }
  llvm::StringRef version() const override { return "3"; }
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

#endif // MINIC_COMPILER_TARGET_CPU_ROWS_ROWSFAMILY_H
