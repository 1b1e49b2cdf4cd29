// SPDX-License-Identifier: Apache-2.0
//
// Target: a profile, its kernel families and libraries, and an assembler.

#ifndef MINIC_COMPILER_TARGET_TARGET_H
#define MINIC_COMPILER_TARGET_TARGET_H

#include "compiler/target/BinaryCache.h"
#include "compiler/target/KernelCode.h"
#include "compiler/target/KernelFamily.h"
#include "compiler/target/Plugin.h"

#include "llvm/ADT/StringMap.h"

#include <memory>

namespace minic {

/// Thread-compatible: one per compilation.
class Target : public plan::FusionLowering {
public:
  const DeviceProfile &profile() const { return profile_; }
  llvm::ArrayRef<const KernelFamily *> families() const { return families_; }
  llvm::ArrayRef<const LibraryBackend *> libraries() const {
    return libraries_;
  }

  /// Generates every plan.kernel of `module` for this target into one
  /// plan.binary and erases them. Emits diagnostics.
  mlir::LogicalResult codegen(mlir::ModuleOp module) const;

  /// Offers the kernels of `plugin`, which outlives this, beside its own.
  void addPlugin(Plugin &plugin);

  /// Where codegen finds and keeps what it assembles; null: nowhere. Outlives
  /// this.
  void setBinaryCache(BinaryCache *cache) { binaryCache = cache; }

  /// From here on codegen makes a plan.binary of each kernel, on a GPU, and
  /// generates none twice: for plans that differ in few kernels.
  void setKernelsApart(bool apart) { kernelsApart = apart; }

  /// codegen adds an entry for each kernel, which takes as long again as
  /// codegen itself; null: no entries. Outlives this.
  void setCodeReport(std::vector<KernelCode> *report) { codeReport = report; }

  /// Finds the source that an impl names; null if there is none.
  const ImplementationSource *find(llvm::StringRef family) const;

  mlir::LogicalResult lower(mlir::Operation *op,
                            plan::PlanBuilder &plan) override;
  /// Corrects the estimates of `implementations`, which `source` offers for
  /// `fusion`, by what measurements on the device say of such estimates. They
  /// stay where nothing is known of them.
  virtual void
  expect(llvm::StringRef source, kernel::FusionOp fusion,
         llvm::MutableArrayRef<Implementation> implementations) const {}
  /// Lowers a run-time relayout of an activation.
  virtual mlir::LogicalResult lowerRelayout(kernel::RelayoutOp op,
                                            plan::PlanBuilder &plan) const = 0;

protected:
  explicit Target(DeviceProfile profile) : profile_(std::move(profile)) {}

  /// `plugin` as a family that knows how to call its code on this target.
  virtual std::unique_ptr<KernelFamily>
  createPluginFamily(Plugin &plugin) const = 0;
  /// Loads the dialects that kernels are written in, and how to translate them.
  virtual void prepareContext(mlir::MLIRContext &context) const = 0;
  /// Adds to `device` the entry of `kernel`, whose body is a relayout.
  virtual mlir::LogicalResult emitRelayout(plan::KernelOp kernel,
                                           mlir::ModuleOp device) const = 0;
  /// Reduces the `isa` of each variant of `module` to the features that the
  /// functions of `device` use which it launches, and lets each function use no
  /// others. By default all variants need what the profile says.
  virtual void requireUsedFeatures(mlir::ModuleOp module,
                                   mlir::ModuleOp device) const {}
  /// Creates the plan.binary of `device`, which holds all kernels.
  virtual mlir::LogicalResult assemble(mlir::ModuleOp device,
                                       mlir::OpBuilder &builder) const = 0;

  /// Lowers `device` (consumed), which holds one kernel, and fills in `code`.
  virtual mlir::LogicalResult describe(mlir::ModuleOp device,
                                       KernelCode &code) const = 0;

  DeviceProfile profile_;
  llvm::SmallVector<const KernelFamily *> families_;
  llvm::SmallVector<const LibraryBackend *> libraries_;
  BinaryCache *binaryCache = nullptr;
  std::vector<KernelCode> *codeReport = nullptr;

private:
  std::vector<std::unique_ptr<KernelFamily>> plugins;
  bool kernelsApart = false;
  /// By the text of the kernel.
  mutable llvm::StringMap<mlir::OwningOpRef<plan::BinaryOp>> binariesApart;
  /// False, and nothing is changed, where a kernel is a user's: launches of
  /// those get another entry's name.
  mlir::FailureOr<bool>
  codegenApart(mlir::ModuleOp module,
               llvm::ArrayRef<plan::KernelOp> kernels) const;
  mlir::LogicalResult emit(plan::KernelOp kernel, mlir::ModuleOp device) const;
  mlir::LogicalResult report(plan::KernelOp kernel) const;
};

/// The CPU of this machine, for `threads` threads; `isa` empty for native, or
/// "v3", "v4". compiler/target/cpu implements it.
std::unique_ptr<Target> createCpuTarget(int threads, llvm::StringRef isa);

/// The CPU that `profile` describes: one of cpu::getCpuProfile, to which facts
/// about the machine may have been added.
std::unique_ptr<Target> createCpuTarget(const DeviceProfile &profile);

/// The GPU that `profile` describes. compiler/target/cuda implements it.
std::unique_ptr<Target> createCudaTarget(const DeviceProfile &profile);

} // namespace minic

#endif // MINIC_COMPILER_TARGET_TARGET_H
