// SPDX-License-Identifier: Apache-2.0
//
// minic devices: what minic can compile for on this machine.

#include "tools/minic/Commands.h"

#include "compiler/ResolveTarget.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <CLI/CLI.hpp>

namespace minic {

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
  llvm::outs() << "  kernel families: " << llvm::join(families, ", ")
               << "\n  libraries: " << llvm::join(libraries, ", ") << '\n';
  llvm::outs() << "cuda: not built yet\n";
  return 0;
}

} // namespace minic
