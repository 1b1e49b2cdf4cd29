// SPDX-License-Identifier: Apache-2.0
//
// DeviceTensors: host tensors where a program can use them.

#ifndef MINIC_TOOLS_COMMON_DEVICETENSORS_H
#define MINIC_TOOLS_COMMON_DEVICETENSORS_H

#include "runtime/device/Device.h"
#include "runtime/program/Program.h"

#include <vector>

namespace minic::tools {

/// Copies of host tensors in the memory of a program's place; on a CPU the host
/// tensors themselves. Program, host tensors and those that are shared outlive
/// it. Move-only.
class DeviceTensors {
public:
  /// Holds what `host` holds.
  static absl::StatusOr<DeviceTensors>
  create(const runtime::Program &program,
         absl::Span<const runtime::TensorSpec> specs,
         absl::Span<const runtime::Tensor> host);

  DeviceTensors(DeviceTensors &&other) noexcept;
  DeviceTensors &operator=(DeviceTensors &&) = delete;
  ~DeviceTensors();

  absl::Span<const runtime::Tensor> tensors() const { return tensors_; }
  /// Copies all back into the host tensors.
  absl::Status copyBack() const;

  /// Makes the tensors that outputs of `program` update in place those of
  /// `outputs`, which then hold what the host's inputs hold. Call it again
  /// before each run that must find them so.
  absl::Status shareInPlace(const runtime::Program &program,
                            const DeviceTensors &outputs);

private:
  explicit DeviceTensors(const runtime::DeviceMemory &memory)
      : memory_(&memory) {}

  const runtime::DeviceMemory *memory_;
  std::vector<runtime::Tensor> host_, tensors_;
  std::vector<void *> owned_; // on a device
  std::vector<uint64_t> bytes_;
};

} // namespace minic::tools

#endif // MINIC_TOOLS_COMMON_DEVICETENSORS_H
