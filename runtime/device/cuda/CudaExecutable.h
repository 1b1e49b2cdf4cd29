// SPDX-License-Identifier: Apache-2.0
//
// CudaExecutable: a variant loaded onto one GPU.

#ifndef MINIC_RUNTIME_DEVICE_CUDA_CUDAEXECUTABLE_H
#define MINIC_RUNTIME_DEVICE_CUDA_CUDAEXECUTABLE_H

#include "runtime/device/Device.h"
#include "runtime/device/cuda/CommandList.h"
#include "runtime/device/cuda/CudaMemory.h"

namespace minic::runtime {

/// Kernels, library calls, constants and persistent memory, shared by all
/// Executions.
class CudaExecutable : public Executable {
public:
  /// Uploads constants, loads kernels and libraries, and waits for the
  /// variant's `prepare` commands. Errors are those of CudaContext::retain,
  /// KernelModules::makeLaunch and createLibraryCall, and ResourceExhausted
  /// where the device's memory ran out.
  static absl::StatusOr<std::unique_ptr<Executable>>
  load(const ExecutableSource &source);
  ~CudaExecutable() override;

  absl::StatusOr<std::unique_ptr<Execution>>
  createExecution(const ExecutionOptions &options) const override;
  bool callsLibrary() const override { return callsLibrary_; }
  bool libraryUsesCallers() const override { return libraryUsesCallers_; }
  DevicePlace place() const override { return {2, context->deviceIndex()}; }
  const DeviceMemory &memory() const override { return *memory_; }
  absl::Status checkPointer(const void *pointer) const override;
  absl::StatusOr<std::unique_ptr<RecordedRuns>>
  record(const std::function<absl::Status(void *stream)> &body) const override;
  absl::StatusOr<std::vector<LibraryAlgorithm>>
  algorithms(int most, uint64_t scratchLimit) const override;
  uint64_t constantBytes() const override { return constantBytes_; }
  absl::Status copyConstants(void *destination, int64_t copies) const override;

private:
  CudaExecutable(const ExecutableSource &source,
                 std::shared_ptr<const CudaContext> context);
  /// Takes those of `used` that one of `siblings` has on the same device.
  void shareConstants(absl::Span<const Executable *const> siblings,
                      const std::vector<bool> &used);
  /// Memory and modules: those of one of `siblings`, else its own.
  void shareOrCreateMemory(absl::Span<const Executable *const> siblings);
  absl::Status uploadConstants(const ExecutableSource &source);
  std::byte *ownConstants() const;
  absl::StatusOr<std::vector<LoadedCommand>>
  loadCommands(const ExecutableSource &source,
               const flatbuffers::Vector<flatbuffers::Offset<format::Command>>
                   &commands);
  absl::Status prepare(const ExecutableSource &source);
  PlanBases bases() const;

  const format::Variant &variant;
  const uint32_t inputCount;
  std::vector<uint64_t> callerBytes; // inputs, then outputs
  const std::shared_ptr<const CudaContext> context;
  /// One for all variants of an artifact on a device: each has a stream, which
  /// takes memory of the device.
  std::shared_ptr<const CudaMemory> memory_;
  KernelModules modules;
  /// Those the variant uses; null for the others.
  std::vector<void *> constants;
  /// Where they are: siblings' blocks, then the own one.
  std::vector<std::shared_ptr<const CudaBuffer>> constantBlocks;
  CudaBuffer persistent;
  uint64_t constantBytes_ = 0;     // the own ones'
  uint64_t usedConstantBytes_ = 0; // siblings' included
  std::vector<LoadedCommand> run;
  bool callsLibrary_ = false, libraryUsesCallers_ = false;
};

} // namespace minic::runtime

#endif // MINIC_RUNTIME_DEVICE_CUDA_CUDAEXECUTABLE_H
