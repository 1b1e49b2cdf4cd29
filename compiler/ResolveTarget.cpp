// SPDX-License-Identifier: Apache-2.0
//
// Options that mean something only for some targets are checked here.

#include "compiler/ResolveTarget.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"

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

/// What is wrong with the options for this version; empty for nothing.
static std::string unsupported(const CompileOptions &options) {
  if (options.target != "auto" && options.target != "cpu") {
    return "target '" + options.target + "' is not built yet, expected cpu";
  }
  if (!options.deviceProfile.empty()) {
    return "device profile '" + options.deviceProfile +
           "': none is built in yet; --cpu-isa names a CPU level";
  }
  if (options.float32Precision != "ieee") {
    return "float32 precision '" + options.float32Precision +
           "' is for GPUs, expected ieee";
  }
  return {};
}

FailureOr<std::vector<VariantTarget>>
resolveTargets(const CompileOptions &options, MLIRContext &context) {
  if (std::string why = unsupported(options); !why.empty()) {
    return emitError(UnknownLoc::get(&context)) << "unsupported: " << why;
  }
  if (options.cudaGraphs != CudaGraphs::Off) {
    options.log.line(LogTopic::Graphs,
                     "device graphs: not applicable on a CPU, plain calls");
  }
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
    targets.push_back({createCpuTarget(threads, level), level});
  }
  return targets;
}

std::vector<BackendLabel> labelsOf(const std::vector<std::string> &names) {
  std::vector<BackendLabel> labels;
  for (BackendLabel label : allBackendLabels) {
    if (llvm::is_contained(names, toString(label))) {
      labels.push_back(label);
    }
  }
  return labels;
}

} // namespace minic
