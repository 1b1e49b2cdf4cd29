// SPDX-License-Identifier: Apache-2.0
//
// minic devices: what minic can compile for on this machine.

#include "tools/minic/Commands.h"

#include "compiler/driver/LocalGpu.h"
#include "compiler/pipeline/ResolveTarget.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <CLI/CLI.hpp>

namespace minic {

/// "cuBLAS 13.1.0, driver 13.0"
static std::string
listVersions(const std::map<std::string, std::string> &libraries) {
  std::vector<std::string> entries;
  for (const auto &[name, version] : libraries) {
    if (name != "oneDNN") {
      entries.push_back(name + " " + version);
    }
  }
  return llvm::join(entries, ", ");
}

static void printGpus(const runtime::DeviceFacts &facts) {
  llvm::raw_ostream &os = llvm::outs();
  for (const runtime::GpuFacts &gpu : facts.gpus) {
    os << llvm::formatv("cuda:{0}: {1}{2}\n", gpu.index, gpu.name,
                        gpu.isMig ? " (MIG)" : "");
    os << llvm::formatv(
        "  compute capability {0}.{1}, {2} SMs, {3} MHz, {4}, {5}\n",
        gpu.computeMajor, gpu.computeMinor, gpu.smCount, gpu.smClockKHz / 1000,
        gpu.pciBusId, gpu.uuid);
    os << llvm::formatv("  memory {0} GiB at {1:F0} GB/s ({2} MHz, {3} bits), "
                        "L2 {4} MiB, shared memory {5} KiB a block, {6} KiB an "
                        "SM\n",
                        gpu.memoryBytes >> 30, gpu.memoryGBs,
                        gpu.memoryClockKHz / 1000, gpu.memoryBusBits,
                        gpu.l2Bytes >> 20, gpu.sharedBytesPerBlock >> 10,
                        gpu.sharedBytesPerSm >> 10);
    std::optional<DeviceProfile> profile = profileOf(gpu, facts.libraries);
    os << (profile ? "  generates " + profile->cpu
                   : std::string("  no code is generated for it"))
       << '\n';
  }
  if (facts.gpus.empty()) {
    os << "cuda: none: " << facts.gpuProblem << '\n';
  } else {
    os << "  " << listVersions(facts.libraries) << '\n';
  }
}

int devicesCommand(int argc, char **argv) {
  CLI::App app("Prints what minic can compile for on this machine.",
               "minic devices");
  if (std::optional<int> code =
          tools::parseCommandLine(toolName, app, argc, argv)) {
    return *code;
  }
  std::unique_ptr<Target> target = createCpuTarget(availableThreads(), "");
  const DeviceProfile &profile = target->profile();
  llvm::outs() << llvm::formatv(
      "cpu: {0}\n  ISA {1}: {2}\n  {3} threads, caches {4} KiB L1, {5} KiB L2, "
      "{6} KiB L3\n",
      profile.name, profile.cpu, llvm::join(profile.features, " "),
      profile.threads, profile.l1Bytes >> 10, profile.l2Bytes >> 10,
      profile.l3Bytes >> 10);
  std::vector<std::string> families, libraries;
  for (const KernelFamily *family : target->families()) {
    families.push_back(family->name().str());
  }
  for (const LibraryBackend *library : target->libraries()) {
    libraries.push_back(library->name().str());
  }
  tune::Machine machine(tune::ToolPaths::ofThisProgram());
  absl::StatusOr<runtime::DeviceFacts> facts = machine.describe(/*gpus=*/true);
  if (!facts.ok()) {
    return tools::fail(toolName, ExitCode::Internal,
                       std::string(facts.status().message()));
  }
  auto onednn = facts->libraries.find("oneDNN");
  llvm::outs() << "  kernel families: " << llvm::join(families, ", ")
               << "\n  libraries: "
               << (onednn == facts->libraries.end()
                       ? "none, oneDNN cannot be opened"
                       : llvm::join(libraries, ", ") + " of oneDNN " +
                             onednn->second)
               << '\n';
  printGpus(*facts);
  return static_cast<int>(facts->isGpuBroken ? ExitCode::Unsupported
                                             : ExitCode::Success);
}

} // namespace minic
