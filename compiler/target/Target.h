// SPDX-License-Identifier: Apache-2.0
//
// Target: a profile, its kernel families and libraries, and an assembler.

#ifndef MINIC_COMPILER_TARGET_TARGET_H
#define MINIC_COMPILER_TARGET_TARGET_H

#include "compiler/target/KernelFamily.h"

#include <memory>

namespace minic {

/// Thread-compatible: one per compilation.
class Target : public plan::FusionLowering {
public:
  virtual const DeviceProfile &profile() const = 0;
  virtual llvm::ArrayRef<const KernelFamily *> families() const = 0;
  virtual llvm::ArrayRef<const LibraryBackend *> libraries() const = 0;

  /// Generates every plan.kernel of `module` for this target into one
  /// plan.binary and erases them. Emits diagnostics.
  virtual mlir::LogicalResult codegen(mlir::ModuleOp module) const = 0;

  /// Finds the source that an impl names; null if there is none.
  const ImplementationSource *find(llvm::StringRef family) const;

  mlir::LogicalResult lower(mlir::Operation *op,
                            plan::PlanBuilder &plan) override;
  /// Lowers a run-time relayout of an activation.
  virtual mlir::LogicalResult lowerRelayout(kernel::RelayoutOp op,
                                            plan::PlanBuilder &plan) const = 0;
};

/// The CPU of this machine, for `threads` threads; `isa` empty for native, or
/// "v3", "v4". compiler/target/cpu implements it.
std::unique_ptr<Target> createCpuTarget(int threads, llvm::StringRef isa);

/// The GPU that `profile` describes. compiler/target/cuda implements it.
std::unique_ptr<Target> createCudaTarget(const DeviceProfile &profile);

} // namespace minic

#endif // MINIC_COMPILER_TARGET_TARGET_H
