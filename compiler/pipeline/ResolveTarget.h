// SPDX-License-Identifier: Apache-2.0
//
// ResolveTarget: from what the user asked for to targets, or why there is none.

#ifndef MINIC_COMPILER_PIPELINE_RESOLVETARGET_H
#define MINIC_COMPILER_PIPELINE_RESOLVETARGET_H

#include "compiler/options/CompileOptions.h"
#include "compiler/target/Candidates.h"

#include <functional>

namespace minic {

/// CPUs that this process may run on.
int availableThreads();

/// What a variant of the artifact is generated for.
struct VariantTarget {
  std::unique_ptr<Target> target;
  /// As createTarget was given it: "", "v3" or "v4"; "sm_90a" or "compute_80"
  /// of a GPU.
  std::string isa;
  /// It is the device's own architecture. Tuning records are of that one only.
  bool isNative = true;
  /// Native, and the device is here to be measured on.
  bool canTune = true;
};

/// Completes the profile of a named GPU by what was measured on such a device.
using RecordedFacts = std::function<void(DeviceProfile &profile)>;

/// What a machine says of its GPU number `device`. None without an error where
/// it has no driver; none with `error` set if a GPU should be there and cannot
/// be used.
using GpuProbe =
    std::function<std::optional<DeviceProfile>(int device, std::string &error)>;

/// Completes the profile of this machine's CPU by what a look at it tells.
using CpuProbe = std::function<void(DeviceProfile &profile)>;

/// One target per variant of the artifact: this machine's CPU, or each level of
/// --cpu-isa; the GPU that `probe` describes, or the one of --device-profile,
/// completed by `recorded`, for each architecture of --target. Best first. What
/// is not built, or not here, is a diagnostic that starts with "unsupported: ".
/// `probeCpu` completes a target that is this machine's CPU, not a level.
mlir::FailureOr<std::vector<VariantTarget>>
resolveTargets(const CompileOptions &options, mlir::MLIRContext &context,
               const GpuProbe &probe = {}, const RecordedFacts &recorded = {},
               const CpuProbe &probeCpu = {});

/// Whether `variant` needs records, old or newly measured. If not, problems
/// without a record are estimated.
bool asksTuner(const VariantTarget &variant, const CompileOptions &options);

/// Whether --lock-clocks or --require-locked-clocks was given.
bool asksLockedClocks(const CompileOptions &options);

/// What builds candidates that resolveTargets' target of this name enumerated:
/// "cpu" or "cuda" with an isa as in VariantTarget. Null where there is none.
std::unique_ptr<Target> createTarget(llvm::StringRef target,
                                     llvm::StringRef isa, int threads);

/// The labels that --gemm-backends or --conv-backends names; `plugin` for that
/// of one.
std::vector<BackendLabel> labelsOf(const std::vector<std::string> &names);

} // namespace minic

#endif // MINIC_COMPILER_PIPELINE_RESOLVETARGET_H
