// SPDX-License-Identifier: Apache-2.0
//
// Pins: choices that the options make (--candidate, --pin), before any
// selector is asked.

#ifndef MINIC_COMPILER_TUNE_BRIDGE_PINS_H
#define MINIC_COMPILER_TUNE_BRIDGE_PINS_H

#include "compiler/tune/bridge/TuningTasks.h"
#include "compiler/tune/database/PinFile.h"

#include <set>

namespace minic::tune {

/// One per compilation: read, apply for each target, then checkUse.
class Pins {
public:
  /// `options` must outlive it. A file that cannot be used is a diagnostic.
  static mlir::FailureOr<Pins> read(const CompileOptions &options,
                                    mlir::MLIRContext &context);

  bool isEmpty() const { return pins.empty() && candidate.empty(); }

  /// Gives the fusions of `module` that are pinned their choices; selectors
  /// then choose for the others. A fusion that does not offer its candidate is
  /// a diagnostic that names the nearest ones it has.
  mlir::LogicalResult apply(mlir::ModuleOp module,
                            const SelectionInputs &inputs);

  /// A diagnostic where a pin fitted no fusion of any target.
  mlir::LogicalResult checkUse(mlir::MLIRContext &context) const;

private:
  /// The candidate that a problem must take, and the option that says so; empty
  /// if none does.
  struct Wish {
    std::string candidate, source;
  };
  Wish wishOf(const ProblemSpec &problem);

  std::string candidate; // of every problem
  std::string path;
  std::vector<Pin> pins;
  std::set<size_t> used; // indices into pins
  /// Of all modules: the key and the description of each problem.
  std::set<std::pair<std::string, std::string>> problems;
};

} // namespace minic::tune

#endif // MINIC_COMPILER_TUNE_BRIDGE_PINS_H
