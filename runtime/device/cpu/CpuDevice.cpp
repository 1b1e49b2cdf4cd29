// SPDX-License-Identifier: Apache-2.0
//
// Loads a variant: its kernels, its library primitives, its persistent memory.

#include "runtime/device/cpu/CpuDevice.h"

#include "runtime/base/Log.h"
#include "runtime/device/cpu/CpuExecution.h"
#include "runtime/device/cpu/CpuFeatures.h"
#include "runtime/device/cpu/HostMemory.h"
#include "runtime/device/cpu/TileState.h"

#include "absl/strings/str_cat.h"

#include <cstring>
#include <map>
#include <mutex>

namespace minic::runtime {

namespace {

constexpr char kWithoutAmx[] = ".without_amx";

bool namesFeature(const format::Variant &variant, absl::string_view name) {
  if (variant.isa()) {
    for (const flatbuffers::String *feature : *variant.isa()) {
      if (absl::string_view(feature->c_str(), feature->size()) == name) {
        return true;
      }
    }
  }
  return false;
}

void warnOnce(const absl::Status &noTiles) {
  static std::once_flag warned;
  std::call_once(warned, [&] {
    logWarning(absl::StrCat(noTiles.message(),
                            "; kernels run their AVX-512 form, which takes "
                            "several times as long"));
  });
}

class CpuExecutable : public Executable {
public:
  static absl::StatusOr<std::unique_ptr<Executable>>
  load(const ExecutableSource &source);

  absl::StatusOr<std::unique_ptr<Execution>>
  createExecution(const ExecutionOptions &options) const override {
    // oneDNN's threads spin for milliseconds between its calls: a second team
    // on the same cores would wait for them.
    absl::StatusOr<ThreadTeam> team = ThreadTeam::create(
        variant.threads(), options.parallelFor, options.pool,
        callsLibrary_ ? DefaultPool::libgomp : DefaultPool::workers);
    if (!team.ok()) {
      return team.status();
    }
    if (variant.zeroed_bytes() > 0) {
      std::memset(options.arena, 0, variant.zeroed_bytes());
    }
    return CpuExecution::create(run, planMemory(options.arena), *team,
                                options.ranges);
  }

  bool callsLibrary() const override { return callsLibrary_; }
  const DeviceMemory &memory() const override { return hostMemory(); }

private:
  explicit CpuExecutable(const ExecutableSource &source)
      : variant(source.variant), constants(source.constants),
        inputCount(source.function.inputs()->size()) {}

  PlanMemory planMemory(std::byte *arena) const {
    StatusWord *status = nullptr;
    if (arena && variant.status()) {
      status = reinterpret_cast<StatusWord *>(arena + *variant.status());
    }
    return {constants, arena, persistent.data(), inputCount, status};
  }
  absl::StatusOr<std::vector<LoadedCommand>>
  loadCommands(const ExecutableSource &source,
               const flatbuffers::Vector<flatbuffers::Offset<format::Command>>
                   &commands);
  absl::StatusOr<LoadedCommand> loadCommand(const ExecutableSource &source,
                                            const format::Command &command);
  absl::StatusOr<KernelEntry> findEntry(const ExecutableSource &source,
                                        const format::Launch &launch);
  /// The tiles of AMX, where the variant names them.
  void askForTiles();

  const format::Variant &variant;
  const std::vector<const std::byte *> &constants;
  const uint32_t inputCount;
  std::map<uint32_t, std::unique_ptr<KernelModule>> modules; // by binary
  std::vector<std::unique_ptr<OnednnPrimitive>> primitives;
  AlignedBuffer persistent;
  std::vector<LoadedCommand> run;
  bool callsLibrary_ = false;
  absl::Status tiles; // an error where the process cannot have them
  bool hasFormWithoutTiles = false;
};

absl::StatusOr<KernelEntry>
CpuExecutable::findEntry(const ExecutableSource &source,
                         const format::Launch &launch) {
  std::unique_ptr<KernelModule> &module = modules[launch.binary()];
  if (!module) {
    absl::StatusOr<std::unique_ptr<KernelModule>> loaded =
        KernelModule::load(source.artifact.binary(launch.binary()));
    if (!loaded.ok()) {
      return loaded.status();
    }
    module = std::move(*loaded);
  }
  KernelEntry entry = module->find(launch.entry()->str());
  if (!entry) {
    return absl::DataLossError(absl::StrCat("damaged artifact: binary ",
                                            launch.binary(), " has no kernel '",
                                            launch.entry()->str(), "'"));
  }
  // compiler/target/cpu/KernelAbi.h: what uses tiles has a form without them.
  KernelEntry other =
      tiles.ok() ? nullptr : module->find(launch.entry()->str() + kWithoutAmx);
  hasFormWithoutTiles |= other != nullptr;
  return other ? other : entry;
}

void CpuExecutable::askForTiles() {
  if (namesFeature(variant, "amx-tile")) {
    tiles = requestTileState();
  }
}

absl::StatusOr<LoadedCommand>
CpuExecutable::loadCommand(const ExecutableSource &source,
                           const format::Command &command) {
  LoadedCommand loaded{&command, nullptr, nullptr};
  if (const format::Launch *launch = command.operation_as_Launch()) {
    absl::StatusOr<KernelEntry> entry = findEntry(source, *launch);
    if (!entry.ok()) {
      return entry.status();
    }
    loaded.entry = *entry;
  } else if (const format::Call *call = command.operation_as_Call()) {
    // Compared once: a difference is one warning, however many calls.
    std::string version;
    if (call->library_version() && !callsLibrary_) {
      version = call->library_version()->str();
    }
    OnednnOptions options{int(variant.threads()), version,
                          source.strictLibraries, constants};
    absl::StatusOr<std::unique_ptr<OnednnPrimitive>> primitive =
        OnednnPrimitive::create(*call, options);
    if (!primitive.ok()) {
      return primitive.status();
    }
    loaded.primitive = primitive->get();
    primitives.push_back(std::move(*primitive));
    callsLibrary_ = true;
  }
  return loaded;
}

absl::StatusOr<std::vector<LoadedCommand>> CpuExecutable::loadCommands(
    const ExecutableSource &source,
    const flatbuffers::Vector<flatbuffers::Offset<format::Command>> &commands) {
  std::vector<LoadedCommand> loaded;
  for (const format::Command *command : commands) {
    absl::StatusOr<LoadedCommand> one = loadCommand(source, *command);
    if (!one.ok()) {
      return one.status();
    }
    loaded.push_back(*one);
  }
  return loaded;
}

absl::StatusOr<std::unique_ptr<Executable>>
CpuExecutable::load(const ExecutableSource &source) {
  std::unique_ptr<CpuExecutable> executable(new CpuExecutable(source));
  const format::Variant &variant = source.variant;
  executable->askForTiles();
  absl::StatusOr<AlignedBuffer> persistent =
      AlignedBuffer::create(variant.persistent_bytes());
  if (!persistent.ok()) {
    return persistent.status();
  }
  executable->persistent = std::move(*persistent);
  if (variant.prepare() && variant.prepare()->size() > 0) {
    absl::StatusOr<std::vector<LoadedCommand>> prepare =
        executable->loadCommands(source, *variant.prepare());
    if (!prepare.ok()) {
      return prepare.status();
    }
    absl::StatusOr<std::unique_ptr<CpuExecution>> execution =
        CpuExecution::create(*prepare, executable->planMemory(nullptr),
                             ThreadTeam());
    if (!execution.ok()) {
      return execution.status();
    }
    if (absl::Status status = (*execution)->run(nullptr); !status.ok()) {
      return status;
    }
    executable->callsLibrary_ = false; // only `run` counts
  }
  absl::StatusOr<std::vector<LoadedCommand>> run =
      executable->loadCommands(source, *variant.run());
  if (!run.ok()) {
    return run.status();
  }
  executable->run = std::move(*run);
  if (!executable->tiles.ok()) {
    if (!executable->hasFormWithoutTiles) {
      return executable->tiles;
    }
    warnOnce(executable->tiles);
  }
  return executable;
}

class CpuDevice : public Device {
public:
  absl::Status canRun(const format::Variant &variant, int) const override {
    if (variant.isa()) {
      for (const flatbuffers::String *feature : *variant.isa()) {
        if (!cpuHasFeature({feature->c_str(), feature->size()})) {
          return absl::FailedPreconditionError(
              absl::StrCat("this CPU lacks '", feature->str(), "'"));
        }
      }
    }
    return absl::OkStatus();
  }

  absl::StatusOr<std::unique_ptr<Executable>>
  load(const ExecutableSource &source) const override {
    return CpuExecutable::load(source);
  }
};

} // namespace

const Device &cpuDevice() {
  static const CpuDevice device;
  return device;
}

} // namespace minic::runtime
