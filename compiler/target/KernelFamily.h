// SPDX-License-Identifier: Apache-2.0
//
// KernelFamily and LibraryBackend: the two sources of implementations.

#ifndef MINIC_COMPILER_TARGET_KERNELFAMILY_H
#define MINIC_COMPILER_TARGET_KERNELFAMILY_H

#include "compiler/target/BackendLabel.h"
#include "compiler/target/DeviceProfile.h"
#include "dialects/kernel/FusionShape.h"
#include "dialects/plan/FusionLowering.h"

#include "mlir/IR/BuiltinOps.h"

namespace minic {

/// One way to implement a whole body (a fusion, or a part outlined as one).
struct Implementation {
  kernel::ImplAttr impl;
  /// Layout per operand of the body: #kernel.layout, or unit for dense.
  llvm::SmallVector<mlir::Attribute> operandLayouts;
  /// The schedule grammar people see: "gemm_packed 8x32 trans tc=20 split=n".
  std::string name;
  /// Expected time; ranks candidates before anything is measured.
  double estimateUs = 0;
  /// The estimate of the source's own model, before Target::expect corrects
  /// it. Records keep it, so that corrections can be fitted to it. Set for the
  /// source.
  double modelUs = 0;
  /// Implementations of one kind have like errors in their estimates:
  /// "gemm_sm80 mma 64x32". Empty if an estimate must not rule any out.
  std::string kind;
};

/// What libraries and kernel families have in common. Stateless; methods may
/// be called from several threads on different contexts.
class ImplementationSource {
public:
  virtual ~ImplementationSource() = default;
  /// The `family` of its #kernel.impl: "gemm_packed", "onednn".
  virtual llvm::StringRef name() const = 0;
  /// Raise it whenever the same schedule generates other code, or other
  /// schedules are offered. Only tuning records of this source become stale.
  virtual llvm::StringRef version() const = 0;
  /// False if it never implements bodies with this anchor (null for none). They
  /// are rejected without a reason for people.
  virtual bool isFor(mlir::Operation *anchor) const { return true; }
  /// True for the family of users' kernels: it is asked for bodies that are one
  /// graph.kernel, and no other source is.
  virtual bool takesUserKernels() const { return false; }
  /// True for a plug-in's kernels: they are asked for whole bodies and for
  /// anchors, under a label of their own.
  virtual bool isPlugin() const { return false; }
  /// Null if `fusion` can be implemented; otherwise why not, for people.
  virtual std::optional<std::string>
  reject(kernel::FusionOp fusion, const DeviceProfile &profile) const = 0;
  /// Implementations of a fusion that was not rejected, best estimate first.
  /// Never empty for such a fusion. With `profile.breadth` of All, every legal
  /// schedule, those of which the estimate or experience says that they cannot
  /// be the fastest too; equal code counts once.
  virtual std::vector<Implementation>
  enumerate(kernel::FusionOp fusion, const DeviceProfile &profile) const = 0;
  /// Which ops of a fusion that was not rejected lose a NaN that graph ops
  /// would propagate: "relu, max"; empty for none.
  virtual std::string opsThatLoseNan(kernel::FusionOp) const { return {}; }
  /// True where one implementation stands for several algorithms of a library
  /// that only the library can list. Its schedule then takes an `algorithm`
  /// and `scratch_bytes` as the library answers them.
  virtual bool isExpandable() const { return false; }
  /// If expandable: the name of another expandable source whose algorithms cost
  /// much less to try. If that one offers the same ops, the tuner tries fewer
  /// of this one's algorithms.
  virtual llvm::StringRef cheaperPeer() const { return {}; }
  /// Adds the commands of `fusion`, whose `impl` names this source. A schedule
  /// it cannot parse is a diagnostic, never an assert.
  virtual mlir::LogicalResult lower(kernel::FusionOp fusion,
                                    plan::PlanBuilder &plan) const = 0;
};

/// A library. Its calls take effect in runtime/device.
class LibraryBackend : public ImplementationSource {
public:
  /// True where it can take pointwise ops into the call (library-fused).
  virtual bool fusesEpilogue() const = 0;
  /// The label of a choice with one of its calls.
  virtual BackendLabel label() const {
    return fusesEpilogue() ? BackendLabel::LibraryFused : BackendLabel::Aten;
  }
  /// Whether it offers an anchor alone. Skipped by default if it fuses: another
  /// library offers the identical call.
  virtual bool offersBareAnchor() const {
    return label() != BackendLabel::LibraryFused;
  }
};

/// Generated kernels of one structure.
class KernelFamily : public ImplementationSource {
public:
  /// True for a family that is asked only where nothing else implements a
  /// fusion: it takes almost everything, and is never the fastest.
  virtual bool isLastResort() const { return false; }
  /// True where a guided search that goes on to a few neighbours of the fastest
  /// schedules gains by it.
  virtual bool gainsByDescent() const { return false; }
  /// How long making code may take beyond minic's own work.
  virtual double buildSeconds() const { return 0; }
  /// Adds to `device` the functions named by `kernel`'s entries.
  virtual mlir::LogicalResult emit(plan::KernelOp kernel,
                                   const DeviceProfile &profile,
                                   mlir::ModuleOp device) const = 0;
};

} // namespace minic

#endif // MINIC_COMPILER_TARGET_KERNELFAMILY_H
