// SPDX-License-Identifier: Apache-2.0
//
// CpuExecution: a list of commands with every argument in place.

#ifndef MINIC_RUNTIME_DEVICE_CPU_CPUEXECUTION_H
#define MINIC_RUNTIME_DEVICE_CPU_CPUEXECUTION_H

#include "runtime/base/StatusWord.h"
#include "runtime/device/Device.h"
#include "runtime/device/cpu/KernelModule.h"
#include "runtime/device/cpu/OnednnPrimitive.h"
#include "runtime/device/cpu/ThreadTeam.h"

namespace minic::runtime {

/// A command with what its Program loaded for it.
struct LoadedCommand {
  const format::Command *command;
  KernelEntry entry;                // of a launch
  const OnednnPrimitive *primitive; // of a call
};

/// What addresses other than the caller's are relative to.
struct PlanMemory {
  const std::vector<const std::byte *> &constants;
  std::byte *arena;
  std::byte *persistent;
  uint32_t inputCount;          // the caller's outputs follow them
  StatusWord *status = nullptr; // in the arena; null: the plan has none
};

/// Arguments are laid out at creation; a run only puts the caller's pointers
/// into their slots and walks the steps, so it allocates nothing (a library
/// call may).
class CpuExecution : public Execution {
public:
  static absl::StatusOr<std::unique_ptr<CpuExecution>>
  create(const std::vector<LoadedCommand> &commands, const PlanMemory &memory,
         const ThreadTeam &team, const CommandRanges *ranges = nullptr);

  /// OutOfRange where a kernel met an index that was.
  absl::Status run(void *const *callers) override;
  absl::StatusOr<RunTrace> trace(void *const *callers) override;

private:
  struct Launch {
    KernelEntry entry;
    const Arg *args;
    int64_t tiles;
    std::byte *scratch;
    uint64_t scratchBytes; // per worker
    int workers;
  };
  enum class Kind { launch, call, copy, fill };
  /// Copy and fill: args are destination, source or value, bytes.
  struct Step {
    Kind kind;
    uint32_t command; // index in the plan
    Launch launch;
    OnednnCall *call;
  };
  struct TimedLaunch;
  /// A slot that takes a caller's tensor plus `offset` at each run.
  struct Patch {
    Arg *slot;
    uint32_t caller;
    uint64_t offset;
  };

  CpuExecution(const PlanMemory &memory, const ThreadTeam &team)
      : memory_(memory), team_(team) {}
  absl::Status add(const LoadedCommand &command);
  Step &addStep(Kind kind, const Arg *args);
  Arg resolve(const format::Address &address) const;
  void setAddress(Arg &slot, const format::Address &address);
  void addLaunch(const LoadedCommand &command, const format::Launch &launch);
  absl::Status addCall(const OnednnPrimitive &primitive);
  static void runPart(int worker, void *launch);
  static void runTimedPart(int worker, void *timedLaunch);
  void setCallers(void *const *callers);
  void runWorkers(int workers, void (*body)(int worker, void *data),
                  void *data) const;
  absl::Status runStep(Step &step);
  absl::Status checkStatusWord();

  const PlanMemory memory_;
  const ThreadTeam team_;
  const CommandRanges *ranges_ = nullptr;
  std::vector<std::unique_ptr<Arg[]>> args_;
  std::vector<std::unique_ptr<OnednnCall>> calls_;
  std::vector<Patch> patches_;
  std::vector<Step> steps_;
  uint32_t added_ = 0; // commands, of which some are no steps
};

} // namespace minic::runtime

#endif // MINIC_RUNTIME_DEVICE_CPU_CPUEXECUTION_H
