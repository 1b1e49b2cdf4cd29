// SPDX-License-Identifier: Apache-2.0
//
// MeasuredLayoutCosts: what graph-assign-layouts works with where there is a
// tuner.

#ifndef MINIC_COMPILER_DRIVER_MEASUREDLAYOUTS_H
#define MINIC_COMPILER_DRIVER_MEASUREDLAYOUTS_H

#include "compiler/pipeline/ImageLayouts.h"
#include "compiler/pipeline/ResolveTarget.h"
#include "compiler/tune/bridge/TuningSelector.h"

#include <map>

namespace minic {

/// Estimates, but for relayouts that a choice has: those it measures, and keeps
/// in the tuning database as problems like others.
class MeasuredLayoutCosts final : public EstimatedLayoutCosts {
public:
  /// All must outlive it.
  MeasuredLayoutCosts(const tune::SelectionInputs &inputs,
                      tune::Machine &machine)
      : EstimatedLayoutCosts(*inputs.target, *inputs.options), inputs(inputs),
        selector(inputs, machine) {}

  std::optional<double> measuredUs(mlir::Block &block) override;
  bool hasFailed() const override { return failed_; }

private:
  /// `block` as a model of one fusion.
  kernel::FusionOp problemOf(mlir::Block &block);

  tune::SelectionInputs inputs;
  /// What the tuner was asked about, to which it refers.
  std::vector<mlir::OwningOpRef<mlir::ModuleOp>> problems;
  tune::TuningSelector selector;
  std::map<Key, std::optional<double>> measured;
  bool failed_ = false;
};

/// Those of a variant: measured ones where its problems are asked of the tuner.
std::unique_ptr<EstimatedLayoutCosts>
createLayoutCosts(const VariantTarget &variant, const CompileOptions &options,
                  tune::Machine &machine, tune::ShippedDb &shipped);

} // namespace minic

#endif // MINIC_COMPILER_DRIVER_MEASUREDLAYOUTS_H
