// SPDX-License-Identifier: Apache-2.0
//
// Loading, and asking the device whether it still answers.

#include "runtime/measure/LoadedFunctions.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

#include <chrono>

namespace minic::runtime {

bool LoadedFunction::isOnGpu() const {
  return !program->executable().memory().isHost();
}

absl::StatusOr<const OutputValues *>
LoadedFunction::trustedOutputs(uint64_t seed, VerifyCache &cache) {
  if (!trusted || trustedSeed != seed) {
    absl::StatusOr<OutputValues> values =
        computeOutputs(subjectOf(program), seed, cache);
    if (!values.ok()) {
      return values.status();
    }
    trusted = std::move(*values);
    trustedSeed = seed;
  }
  return &*trusted;
}

absl::StatusOr<LoadReply> LoadedFunctions::load(const LoadRequest &request) {
  if (loaded.count(request.id) != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", request.id, "' is loaded already"));
  }
  ProgramOptions options;
  options.function = request.function;
  options.threads = request.threads;
  options.device = request.device;
  options.spares = libraryParts;
  options.onlyListsAlgorithms = request.onlyListsAlgorithms;
  options.isPart = request.isPart;
  options.constants = constants.provider(request.constantsSeed);
  auto start = std::chrono::steady_clock::now();
  absl::StatusOr<std::shared_ptr<const Program>> program =
      Program::load(request.path, options);
  if (!program.ok()) {
    // The file is the parent's own and says nothing to people.
    absl::string_view message = program.status().message();
    absl::ConsumePrefix(&message, absl::StrCat("'", request.path, "': "));
    return absl::Status(program.status().code(), message);
  }
  LoadReply reply;
  reply.microseconds = std::chrono::duration<double, std::micro>(
                           std::chrono::steady_clock::now() - start)
                           .count();
  reply.threads = (*program)->threads();
  reply.arenaBytes = (*program)->arenaBytes();
  reply.flops = (*program)->flops();
  reply.callsLibrary = (*program)->callsLibrary();
  reply.libraryUsesCallers = (*program)->executable().libraryUsesCallers();
  loaded[request.id].program = std::move(*program);
  return reply;
}

absl::StatusOr<LoadedFunction *> LoadedFunctions::find(const std::string &id) {
  auto entry = loaded.find(id);
  if (entry == loaded.end()) {
    return absl::NotFoundError(absl::StrCat("nothing is loaded as '", id, "'"));
  }
  return &entry->second;
}

absl::Status LoadedFunctions::unload(const std::string &id) {
  return loaded.erase(id) == 0 ? find(id).status() : absl::OkStatus();
}

static bool isLost(const DeviceMemory &memory) {
  absl::StatusOr<DeviceBuffer> probe = DeviceBuffer::create(memory, 256);
  if (!probe.ok()) {
    return !absl::IsResourceExhausted(probe.status());
  }
  std::byte byte;
  return !memory.fill(probe->data(), 0, 256).ok() ||
         !memory.copyOut(&byte, probe->data(), 1).ok();
}

bool LoadedFunctions::isDeviceLost() const {
  // One device serves all: one probe tells.
  for (const auto &[id, entry] : loaded) {
    if (entry.isOnGpu()) {
      return isLost(entry.program->executable().memory());
    }
  }
  return false;
}

} // namespace minic::runtime
