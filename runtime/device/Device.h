// SPDX-License-Identifier: Apache-2.0
//
// Device: what runs a variant of a plan. Program and Context know only this.

#ifndef MINIC_RUNTIME_DEVICE_DEVICE_H
#define MINIC_RUNTIME_DEVICE_DEVICE_H

#include "runtime/base/CommandRanges.h"
#include "runtime/base/ParallelFor.h"
#include "runtime/base/SparePool.h"
#include "runtime/base/Tensor.h"
#include "runtime/device/GraphPolicy.h"
#include "runtime/device/RunTrace.h"
#include "runtime/format/ArtifactReader.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace minic::runtime {

/// Memory that a device computes in. Thread-safe. Nothing here is for the run
/// path: copies and fills are complete when they return.
class DeviceMemory {
public:
  virtual ~DeviceMemory() = default;
  /// Host code may read and write through the pointers.
  virtual bool isHost() const = 0;
  /// 256-byte aligned; null for zero bytes. ResourceExhausted where there is
  /// not enough.
  virtual absl::StatusOr<void *> allocate(uint64_t bytes) const = 0;
  virtual void release(void *pointer) const = 0;
  virtual absl::Status copyIn(void *device, const void *host,
                              uint64_t bytes) const = 0;
  virtual absl::Status copyOut(void *host, const void *device,
                               uint64_t bytes) const = 0;
  virtual absl::Status fill(void *device, uint8_t value,
                            uint64_t bytes) const = 0;
  /// While it lives, copies and fills share what they go through, which is
  /// given back then; without it, the first one makes what stays. For loads.
  virtual std::shared_ptr<const void> hold() const { return nullptr; }

  /// Host memory that the device copies to and from without the host's help:
  /// pinned. Unimplemented where this memory is the host's.
  virtual absl::StatusOr<void *> allocatePinned(uint64_t bytes) const;
  virtual void releasePinned(void *pointer) const;
  /// From the device's stream-ordered pool: usable by what `stream` does later,
  /// until what it does after the release. Unimplemented on a CPU.
  virtual absl::StatusOr<void *> allocateOn(void *stream, uint64_t bytes) const;
  virtual void releaseOn(void *stream, void *pointer) const;
};

/// Device time of some runs recorded once and replayed without the host.
class RecordedRuns {
public:
  virtual ~RecordedRuns() = default;
  /// Microseconds of one replay of all runs, by the device's own clock.
  virtual absl::StatusOr<double> replay() = 0;
};

/// One way in which a library can execute a call.
struct LibraryAlgorithm {
  /// What the plan's descriptor keeps: hex digits or an engine's text.
  std::string algorithm;
  /// For people, in the schedule grammar: "tile=128x64 stages=4 splitk=2".
  std::string name;
  uint64_t scratchBytes = 0;
};

class Executable;

/// What an Executable is made from; all but the siblings outlives it.
struct ExecutableSource {
  const format::ArtifactReader &artifact;
  const format::Function &function;
  const format::Variant &variant; // of the function
  /// By index of Artifact.constants; 64-byte aligned.
  const std::vector<const std::byte *> &constants;
  bool strictLibraries;
  int deviceIndex = 0;
  /// Keeps what destroyed library calls took long to make, for calls that are
  /// made later; null: nothing is kept.
  std::shared_ptr<SparePool> spares = nullptr;
  bool onlyListsAlgorithms = false; // see ProgramOptions
  bool isPart = false;              // likewise
  /// Loaded from the same artifact. Constants that one of them has in the
  /// memory of the same device are shared.
  absl::Span<const Executable *const> siblings = {};
};

struct ExecutionOptions {
  /// Variant.arena_bytes bytes of the device's memory, 64-byte aligned (GPU:
  /// 256); outlives the Execution. Its zeroed part is zeroed by the device.
  std::byte *arena;
  ParallelFor parallelFor = nullptr; // null: the device's own; CPU only
  void *pool = nullptr;
  /// GPU: the caller's stream (CUstream); null: the legacy default stream.
  void *stream = nullptr;
  GraphMode graph = GraphMode::Artifact;
  /// WhenIdle: how long a run is assumed to keep the stream busy, in us.
  double runUs = 0;
  /// GPU, if a graph is replayed; none: the artifact's policy.
  std::optional<PointerPolicy> pointers = {};
  /// GPU: whether a graph may be captured again for pointers that stay.
  bool updatesGraph = true;
  /// GPU: a copy that Executable::copyConstants made and that outlives the
  /// Execution; null: the Executable's own. For measuring with weights that no
  /// cache holds.
  const void *constants = nullptr;
  /// GPU: uses the Executable's own library calls, because a library may take
  /// long to make another one. Executions that do so must run one at a time, on
  /// one thread.
  bool sharesCalls = false;
  /// Is told of each command of run; null: nobody. Outlives the Execution. On a
  /// GPU commands are launched one by one then, and no graph is replayed.
  const CommandRanges *ranges = nullptr;
  /// GPU: another Execution has zeroed this arena's zeroed part already.
  bool isArenaZeroed = false;
};

/// Bytes that lie at regular distances: `planes` planes of `rows` rows of
/// `rowBytes`. A plane's distance is a multiple of a row's.
struct StridedCopy {
  uint64_t rowBytes = 0, rows = 1, planes = 1;
  struct Side {
    uint64_t rowStep = 0, planeStep = 0; // bytes from one to the next
  } to, from;
};

/// One stream of runs; one thread at a time.
class Execution {
public:
  virtual ~Execution() = default;
  /// `callers` are the caller's tensors: all inputs, then all outputs, checked.
  /// On a GPU: enqueued on the stream, not waited for.
  virtual absl::Status run(void *const *callers) = 0;
  /// The same, waited for, and when each command worked. On a GPU by CUPTI,
  /// where it is there; else by events, between which no command begins before
  /// the one ahead of it has ended. An index out of range is no error.
  /// FailedPrecondition where the stream is being captured.
  virtual absl::StatusOr<RunTrace> trace(void *const *callers) = 0;
  /// GPU: later runs go to `stream` (CUstream). InvalidArgument on a CPU.
  virtual absl::Status setStream(void *stream);
  /// Waits for all runs; where one failed, says so.
  virtual absl::Status synchronize();
  /// GPU: enqueues a copy on the stream, between memory of the device and
  /// pinned memory in either direction. Unimplemented on a CPU.
  virtual absl::Status enqueueCopy(void *destination, const void *source,
                                   uint64_t bytes);
  /// GPU: enqueues such a copy from one memory of the device to another.
  /// Unimplemented on a CPU.
  virtual absl::Status enqueueStridedCopy(void *destination, const void *source,
                                          const StridedCopy &shape);
  /// GPU: enqueues that `count` elements of `elementBytes` (1, 2, 4 or 8)
  /// become the lowest bytes of `element`. Unimplemented on a CPU.
  virtual absl::Status enqueueFill(void *destination, uint64_t element,
                                   int64_t elementBytes, uint64_t count);
  /// Runs, waits, and has a graph, if runs replay one, for these tensors from
  /// here on. An index out of range is no error.
  virtual absl::Status prepare(void *const *callers);
  /// GPU: whether the next run captures a graph for those behind it.
  virtual bool capturesNext() const { return false; }
  /// GPU: whether the stream is being captured into a graph.
  virtual bool isCapturing() const { return false; }
  virtual GraphCounters graphCounters() const { return {}; }
  /// Why runs replay no graph although ExecutionOptions.graph asks for one;
  /// empty where they do or where none was asked for.
  virtual std::string graphRefusal() const { return {}; }
};

/// A variant whose kernels, library primitives and persistent memory are
/// loaded. Thread-safe; outlives its Executions.
class Executable {
public:
  virtual ~Executable() = default;
  virtual absl::StatusOr<std::unique_ptr<Execution>>
  createExecution(const ExecutionOptions &options) const = 0;
  virtual bool callsLibrary() const = 0;
  /// GPU: whether library calls use the caller's tensors. A captured graph
  /// cannot patch the pointers of such calls.
  virtual bool libraryUsesCallers() const { return false; }
  virtual DevicePlace place() const { return {}; }
  virtual const DeviceMemory &memory() const = 0;
  /// InvalidArgument if `pointer` is not memory of this place. Asks the driver,
  /// so call it only for pointers not seen before.
  virtual absl::Status checkPointer(const void *pointer) const;
  /// Records what `body` runs on Executions of this Executable that use the
  /// stream which `body` gets. Unimplemented on a CPU: its clock is the host's.
  virtual absl::StatusOr<std::unique_ptr<RecordedRuns>>
  record(const std::function<absl::Status(void *stream)> &body) const;
  /// At most `most` algorithms, best first, whose workspace is within
  /// `scratchLimit` bytes, for the only library call of the plan whose
  /// descriptor names none. Unimplemented where there is no such call.
  virtual absl::StatusOr<std::vector<LibraryAlgorithm>>
  algorithms(int most, uint64_t scratchLimit) const;
  /// Bytes that a copy of the constants takes in memory(), a multiple of 256; 0
  /// where Executions use no copies. Those shared with a sibling do not count.
  virtual uint64_t constantBytes() const { return 0; }
  /// Makes `copies` of them, one right after the other, from `destination` on,
  /// which is 256-byte aligned.
  virtual absl::Status copyConstants(void *destination, int64_t copies) const;
};

/// Stateless.
class Device {
public:
  virtual ~Device() = default;
  /// FailedPrecondition names what this machine lacks for the variant. A CPU
  /// knows no index.
  virtual absl::Status canRun(const format::Variant &variant,
                              int deviceIndex) const = 0;
  virtual absl::StatusOr<std::unique_ptr<Executable>>
  load(const ExecutableSource &source) const = 0;
  /// Whether Executables keep constants in memory of their own, so that the
  /// memory they were loaded from is not read when they run.
  virtual bool copiesConstants() const { return false; }
  /// Host memory to load constants from, 64-byte aligned; null for zero bytes.
  /// Pinned for a GPU, where it can be. ResourceExhausted where there is not
  /// enough.
  virtual absl::StatusOr<std::shared_ptr<std::byte>>
  allocateConstants(uint64_t bytes, int deviceIndex) const;
};

/// The device of Variant.target; null for a target that is not built in.
const Device *findDevice(const std::string &target);

} // namespace minic::runtime

#endif // MINIC_RUNTIME_DEVICE_DEVICE_H
