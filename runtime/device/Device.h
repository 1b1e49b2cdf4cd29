// SPDX-License-Identifier: Apache-2.0
//
// Device: what runs a variant of a plan. Program and Context know only this.

#ifndef MINIC_RUNTIME_DEVICE_DEVICE_H
#define MINIC_RUNTIME_DEVICE_DEVICE_H

#include "runtime/base/ParallelFor.h"
#include "runtime/format/ArtifactReader.h"

#include <memory>
#include <vector>

namespace minic::runtime {

/// What an Executable is made from; everything outlives it.
struct ExecutableSource {
  const format::ArtifactReader &artifact;
  const format::Function &function;
  const format::Variant &variant; // of the function
  /// By index of Artifact.constants; 64-byte aligned.
  const std::vector<const std::byte *> &constants;
  bool strictLibraries;
};

struct ExecutionOptions {
  /// Variant.arena_bytes bytes, 64-byte aligned; outlives the Execution.
  std::byte *arena;
  ParallelFor parallelFor; // null: the device's own
  void *pool;
};

/// One stream of runs; one thread at a time.
class Execution {
public:
  virtual ~Execution() = default;
  /// `callers` are the caller's tensors: all inputs, then all outputs, checked.
  virtual absl::Status run(void *const *callers) = 0;
};

/// A variant whose kernels, library primitives and persistent memory are
/// loaded. Thread-safe; outlives its Executions.
class Executable {
public:
  virtual ~Executable() = default;
  virtual absl::StatusOr<std::unique_ptr<Execution>>
  createExecution(const ExecutionOptions &options) const = 0;
  virtual bool callsLibrary() const = 0;
};

/// Stateless.
class Device {
public:
  virtual ~Device() = default;
  /// FailedPrecondition names what this machine lacks for the variant.
  virtual absl::Status canRun(const format::Variant &variant) const = 0;
  virtual absl::StatusOr<std::unique_ptr<Executable>>
  load(const ExecutableSource &source) const = 0;
};

/// The device of Variant.target; null for a target that is not built in.
const Device *findDevice(const std::string &target);

} // namespace minic::runtime

#endif // MINIC_RUNTIME_DEVICE_DEVICE_H
