// SPDX-License-Identifier: Apache-2.0
//
// ImageLayouts: what graph-assign-layouts works with: the estimates of a
// target's families and libraries, under the options of a compilation.

#ifndef MINIC_COMPILER_PIPELINE_IMAGELAYOUTS_H
#define MINIC_COMPILER_PIPELINE_IMAGELAYOUTS_H

#include "compiler/options/CompileOptions.h"
#include "compiler/target/Target.h"
#include "dialects/graph/LayoutCosts.h"
#include "dialects/kernel/Kernel.h"

#include "mlir/IR/Attributes.h"

#include <map>
#include <utility>
#include <vector>

namespace minic {

/// Whether the order of images is to be chosen: the options say so, and an op
/// of the module states one. The choice differs between targets.
bool assignsLayouts(mlir::ModuleOp module, const CompileOptions &options);

/// The best estimate of the candidates that the options allow.
class EstimatedLayoutCosts : public graph::LayoutCosts {
public:
  /// Both must outlive it.
  EstimatedLayoutCosts(const Target &target, const CompileOptions &options)
      : target(target), options(options) {}

  double blockUs(mlir::Block &block) override;
  /// Whether measuring has failed, which has been reported.
  virtual bool hasFailed() const { return false; }
  void note(llvm::StringRef function, std::string line) override {
    std::string &text = notes[function.str()];
    text += (text.empty() ? "" : "\n") + line;
  }

  /// By function the lines so far, which are forgotten.
  std::map<std::string, std::string> takeNotes() {
    return std::exchange(notes, {});
  }

protected:
  /// By names, attributes and types: networks repeat their layers.
  using Key = std::vector<const void *>;
  static Key keyOf(mlir::Block &block);
  /// The ops of `block` in one fusion, at its end.
  static kernel::FusionOp outline(mlir::Block &block);

  std::map<Key, double> known; // microseconds

private:
  const Target &target;
  const CompileOptions &options;
  std::map<std::string, std::string> notes;
};

} // namespace minic

#endif // MINIC_COMPILER_PIPELINE_IMAGELAYOUTS_H
