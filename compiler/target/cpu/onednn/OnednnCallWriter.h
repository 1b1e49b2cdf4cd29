// SPDX-License-Identifier: Apache-2.0
//
// What the oneDNN backends share: one implementation per fusion, its estimate,
// and the plan.call.

#ifndef MINIC_COMPILER_TARGET_CPU_ONEDNN_ONEDNNCALLWRITER_H
#define MINIC_COMPILER_TARGET_CPU_ONEDNN_ONEDNNCALLWRITER_H

#include "compiler/target/KernelFamily.h"
#include "compiler/target/cpu/onednn/PostOps.h"
#include "dialects/plan/CallWriter.h"

namespace minic::cpu {

/// Writes the operands of one call: those of the fusion that body arguments
/// stand for, those of post-ops, then the result.
class OnednnCallWriter {
public:
  OnednnCallWriter(kernel::FusionOp fusion, plan::PlanBuilder &plan,
                   llvm::StringRef op)
      : fusion_(fusion), call_(fusion, plan, "onednn", op) {}

  /// `argument` of the body as `role`.
  void read(llvm::StringRef role, mlir::Value argument, mlir::Type dtype,
            llvm::ArrayRef<int64_t> dims, llvm::ArrayRef<int64_t> strides);
  void setPostOps(llvm::ArrayRef<PostOp> postOps);
  void result(const ResultView &view, mlir::Type dtype);
  template <typename Value> void set(llvm::StringRef name, const Value &value) {
    call_.set(name, value);
  }
  void setNumber(llvm::StringRef name, double value) {
    call_.setNumber(name, value);
  }
  /// 1 where `argument` is a constant, which oneDNN packs once.
  void setPack(llvm::StringRef name, mlir::Value argument);

  void write(llvm::StringRef name);

private:
  int64_t address(mlir::Value argument);

  kernel::FusionOp fusion_;
  plan::CallWriter call_;
};

/// Why bf16 is refused where profile.onednnGflops16 is 0.
inline constexpr llvm::StringLiteral noBf16 =
    "oneDNN 2.6.3 has bf16 only with AVX-512";

/// What oneDNN has to compute.
struct OnednnWork {
  double flops;
  bool isBf16 = false;
  bool isBatched = false; ///< many small products, nothing packed ahead
};

/// The implementation `name` without schedule, and its estimate from `work` and
/// the bytes of `fusion`.
Implementation onednnImplementation(kernel::FusionOp fusion,
                                    llvm::StringRef name,
                                    const OnednnWork &work,
                                    const DeviceProfile &profile);

/// Diagnoses a schedule with parameters; oneDNN chooses its own.
mlir::LogicalResult checkNoSchedule(kernel::FusionOp fusion,
                                    llvm::StringRef name);

/// "relu, max": those that lose a NaN.
std::string namesThatLoseNan(llvm::ArrayRef<PostOp> postOps);

} // namespace minic::cpu

#endif // MINIC_COMPILER_TARGET_CPU_ONEDNN_ONEDNNCALLWRITER_H
