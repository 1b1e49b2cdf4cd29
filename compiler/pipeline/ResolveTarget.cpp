// SPDX-License-Identifier: Apache-2.0
//
// Options that mean something only for some targets are checked here.

#include "compiler/pipeline/ResolveTarget.h"

#include "compiler/options/BackendNames.h"
#include "compiler/target/cpu/CpuProfile.h"
#include "compiler/target/cuda/CudaProfile.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"
#include "llvm/ADT/StringExtras.h"

#include <sched.h>
#include <thread>

using namespace mlir;

namespace minic {

int availableThreads() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) == 0) {
    return std::max(1, CPU_COUNT(&set));
  }
  return std::max(1u, std::thread::hardware_concurrency());
}

namespace {

class Resolution {
public:
  Resolution(const CompileOptions &options, MLIRContext &context,
             const GpuProbe &probe, const RecordedFacts &recorded,
             const CpuProbe &probeCpu)
      : options(options), context(context), probe(probe), recorded(recorded),
        probeCpu(probeCpu) {}

  FailureOr<std::vector<VariantTarget>> run() {
    auto [name, archs] = StringRef(options.target).split(':');
    bool isAuto = name == "auto";
    bool isNamed = StringRef(options.target).contains(':');
    if (!llvm::isPowerOf2_64(uint64_t(options.inputAlignment))) {
      return fail("--input-alignment=" + Twine(options.inputAlignment) +
                  ", expected a power of two");
    }
    if (options.retune && options.tuneReplay) {
      return fail("--retune with --tune-replay, which measures nothing");
    }
    if ((!isAuto && name != "cpu" && name != "cuda") ||
        (name != "cuda" && isNamed)) {
      return fail("target '" + options.target +
                  "', expected auto, cpu, cuda or cuda:sm_90a");
    }
    if (name == "cpu") {
      return resolveCpu();
    }
    FailureOr<std::optional<DeviceProfile>> device = findDevice(isAuto);
    if (failed(device)) {
      return failure();
    }
    return *device ? resolveCuda(**device, archs, isNamed) : resolveCpu();
  }

private:
  InFlightDiagnostic fail(const Twine &why) {
    return emitError(UnknownLoc::get(&context)) << "unsupported: " << why;
  }

  FailureOr<std::vector<VariantTarget>> resolveCpu() {
    if (!options.deviceProfile.empty()) {
      return fail("device profile '" + options.deviceProfile +
                  "' with target cpu: profiles are of GPUs; --cpu-isa names a "
                  "CPU level");
    }
    if (options.float32Precision != "ieee") {
      return fail("float32 precision '" + options.float32Precision +
                  "' is for GPUs, expected ieee");
    }
    if (options.cudaGraphs != CudaGraphs::Off) {
      options.log.line(LogTopic::Graphs,
                       "device graphs: not applicable on a CPU, plain calls");
    }
    // Scripts that serve both kinds of machine may give them.
    auto sayIgnored = [&](bool isGiven, const char *option) {
      if (isGiven) {
        options.log.line(LogTopic::PerfHints,
                         Twine(option) + " is for GPUs, ignored on a CPU");
      }
    };
    const CompileOptions defaults;
    sayIgnored(options.ptx == "on", "--ptx=on");
    sayIgnored(options.device != defaults.device, "--device");
    sayIgnored(options.workspaceLimit != defaults.workspaceLimit,
               "--workspace-limit");
    int threads = options.threads ? options.threads : availableThreads();
    std::vector<std::string> levels = options.cpuIsa;
    if (levels.empty()) {
      levels.push_back("");
    }
    // A runtime takes the first variant that fits, so the best comes first.
    llvm::sort(levels, std::greater<>());
    levels.erase(std::unique(levels.begin(), levels.end()), levels.end());
    std::vector<VariantTarget> targets;
    for (const std::string &level : levels) {
      DeviceProfile profile = cpu::getCpuProfile(threads, level);
      if (level.empty() && probeCpu) {
        probeCpu(profile);
      }
      targets.push_back({createCpuTarget(profile), level});
    }
    return targets;
  }

  /// The GPU to compile for; none where `isAuto` and this machine has none.
  FailureOr<std::optional<DeviceProfile>> findDevice(bool isAuto) {
    if (!options.deviceProfile.empty()) {
      auto profile = cuda::getCudaProfile(options.deviceProfile);
      if (!profile) {
        return fail("device profile '" + options.deviceProfile +
                    "', expected one of " + cuda::profileNames());
      }
      if (recorded) {
        recorded(*profile);
      }
      return profile;
    }
    std::string error;
    std::optional<DeviceProfile> profile;
    if (probe) {
      profile = probe(options.device, error);
    }
    if (!error.empty()) {
      return fail(error);
    }
    if (!profile && !isAuto) {
      return fail("no NVIDIA GPU found; --device-profile=h200 compiles without "
                  "one (known: " +
                  cuda::profileNames() + ")");
    }
    if (!profile) {
      options.log.line(LogTopic::PerfHints, "no NVIDIA GPU: target cpu");
    }
    return profile;
  }

  /// `isNamed`: for `archs`, else for the device's own.
  FailureOr<std::vector<VariantTarget>>
  resolveCuda(DeviceProfile profile, StringRef archs, bool isNamed) {
    if (!options.cpuIsa.empty()) {
      return fail("--cpu-isa=" + llvm::join(options.cpuIsa, ",") +
                  " with a CUDA target, expected --target=cpu");
    }
    // Kernels move 16 bytes at once.
    if (options.inputAlignment < 16) {
      return fail("--input-alignment=" + Twine(options.inputAlignment) +
                  " with a CUDA target, expected 16 at least");
    }
    profile.allowTf32 = options.float32Precision == "tf32";
    profile.workspaceLimit = options.workspaceLimit;
    SmallVector<std::string> wanted;
    SmallVector<StringRef> named;
    archs.split(named, ',');
    for (StringRef arch : named) {
      wanted.push_back(isNamed ? arch.trim().str() : profile.cpu);
    }
    if (options.ptx == "on" || (options.ptx == "auto" && isNamed)) {
      wanted.push_back("compute_80");
    }
    // A runtime takes the first variant that fits: what runs on one
    // architecture alone before what runs on several, PTX last.
    llvm::sort(wanted, std::greater<>());
    wanted.erase(llvm::unique(wanted), wanted.end());
    std::vector<VariantTarget> targets;
    for (const std::string &arch : wanted) {
      if (failed(add(profile, arch, arch == profile.cpu, targets))) {
        return failure();
      }
    }
    return targets;
  }

  /// The facts of a device that runs code for `arch`: `profile`, or where that
  /// is of another generation a named one. PTX is for devices that nobody knows
  /// yet, which are rather like `profile`.
  static std::optional<DeviceProfile> ofArch(const DeviceProfile &profile,
                                             const std::string &arch) {
    DeviceProfile result = profile;
    if (!cuda::setArch(result, arch)) {
      return std::nullopt;
    }
    if (arch == profile.cpu) {
      return result;
    }
    if (result.smVersion != profile.smVersion &&
        !StringRef(arch).starts_with("compute_")) {
      result = *cuda::getArchProfile(arch);
      result.allowTf32 = profile.allowTf32;
      result.workspaceLimit = profile.workspaceLimit;
    }
    cuda::limitToArch(result);
    return result;
  }

  LogicalResult add(const DeviceProfile &device, const std::string &arch,
                    bool isNative, std::vector<VariantTarget> &targets) {
    std::optional<DeviceProfile> known = ofArch(device, arch);
    if (!known) {
      return fail("architecture '" + arch +
                  "', expected sm_80, sm_86, sm_89, sm_90a, sm_100a, ...");
    }
    const DeviceProfile &profile = *known;
    bool canTune = isNative && profile.isPresent;
    targets.push_back({createCudaTarget(profile), arch, isNative, canTune});
    if (isNative && !profile.records.empty()) {
      options.log.line(LogTopic::PerfHints,
                       "cuda " + arch + ": " + profile.records +
                           " has records of " + profile.name + " (" +
                           profile.libraries + ")");
    } else if (!canTune) {
      options.log.line(LogTopic::PerfHints,
                       "cuda " + arch + ": untuned, nothing is measured for " +
                           profile.name + " here");
    }
    return success();
  }

  const CompileOptions &options;
  MLIRContext &context;
  const GpuProbe &probe;
  const RecordedFacts &recorded;
  const CpuProbe &probeCpu;
};

} // namespace

/// Clocks are locked while a GPU is measured on; says so where none is.
static LogicalResult checkClocks(ArrayRef<VariantTarget> targets,
                                 const CompileOptions &options,
                                 MLIRContext &context) {
  bool measures = llvm::any_of(targets, [&](const VariantTarget &variant) {
    return variant.target->profile().isGpu() && !options.tuneReplay &&
           asksTuner(variant, options);
  });
  if (measures || !asksLockedClocks(options)) {
    return success();
  }
  const char *why = ": nothing is measured on a GPU";
  if (options.requireLockedClocks) {
    return emitError(UnknownLoc::get(&context))
           << "unsupported: --require-locked-clocks" << why;
  }
  emitWarning(UnknownLoc::get(&context)) << "--lock-clocks" << why;
  return success();
}

FailureOr<std::vector<VariantTarget>>
resolveTargets(const CompileOptions &options, MLIRContext &context,
               const GpuProbe &probe, const RecordedFacts &recorded,
               const CpuProbe &probeCpu) {
  FailureOr<std::vector<VariantTarget>> targets =
      Resolution(options, context, probe, recorded, probeCpu).run();
  if (succeeded(targets) && options.tuneReplay &&
      llvm::none_of(*targets, [&](const VariantTarget &variant) {
        return asksTuner(variant, options);
      })) {
    return emitError(UnknownLoc::get(&context))
           << "unsupported: --tune-replay with --target=" << options.target
           << ": there are records of a device's own architecture only";
  }
  if (succeeded(targets) && failed(checkClocks(*targets, options, context))) {
    return failure();
  }
  return targets;
}

bool asksLockedClocks(const CompileOptions &options) {
  return options.lockClocks >= 0 || options.requireLockedClocks;
}

bool asksTuner(const VariantTarget &variant, const CompileOptions &options) {
  return options.tuneReplay ? variant.isNative
                            : options.tune && variant.canTune;
}

std::unique_ptr<Target> createTarget(StringRef target, StringRef isa,
                                     int threads) {
  if (target == "cpu") {
    return createCpuTarget(threads, isa);
  }
  std::optional<DeviceProfile> profile = cuda::getArchProfile(isa);
  return target == "cuda" && profile ? createCudaTarget(*profile) : nullptr;
}

std::vector<BackendLabel> labelsOf(const std::vector<std::string> &names) {
  std::vector<BackendLabel> labels;
  for (BackendLabel label : allBackendLabels) {
    if (llvm::is_contained(llvm::map_range(names, labelNamed), label)) {
      labels.push_back(label);
    }
  }
  return labels;
}

} // namespace minic
