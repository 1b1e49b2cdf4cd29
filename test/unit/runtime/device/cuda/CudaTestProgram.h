// SPDX-License-Identifier: Apache-2.0
//
// Small CUDA programs around hand-written PTX, which a real driver compiles and
// the fake one knows by its names.

#ifndef MINIC_TEST_UNIT_RUNTIME_DEVICE_CUDA_CUDATESTPROGRAM_H
#define MINIC_TEST_UNIT_RUNTIME_DEVICE_CUDA_CUDATESTPROGRAM_H

#include "runtime/device/Device.h"
#include "test/unit/runtime/testing/TestArtifact.h"

namespace minic::testing {

/// scale_f32(source, destination, count): destination = 2 * source + 1.
/// add_f32(left, right, destination, count). increment(pointer, by): one i64.
/// linger(pointer, by, cycles): the same after as many cycles of the SM's
/// clock. illegal(): writes where there is no memory.
extern const char *const testPtx;

/// A TestArtifact for CUDA whose binary is testPtx.
TestArtifact cudaArtifact();
std::vector<std::byte> bytesOf(const std::string &text);
/// The same PTX behind an ELF header, as the fake driver reads a cubin.
std::vector<std::byte> fakeCubin();
void setBinary(TestArtifact &artifact, format::BinaryKind kind,
               std::vector<std::byte> bytes);
/// Of blocks of 128 threads over `count` elements.
format::LaunchT &cudaLaunch(TestArtifact &artifact, const std::string &entry,
                            int64_t count,
                            std::vector<format::Address> addresses,
                            std::vector<int64_t> scalars);
/// y = 2 * x + 1
TestArtifact cudaScaleArtifact(int64_t count);

/// y = the first 8 bytes of x, which the kernel finds by a tensor map of x, and
/// likewise v of the constant w (1, 2, ...), each from byte `offset` on. For
/// the fake driver alone.
TestArtifact tensorMapArtifact(uint64_t offset, bool isOfImages = false);

/// A loaded variant with all that has to outlive it.
class LoadedArtifact {
public:
  explicit LoadedArtifact(const TestArtifact &artifact, int deviceIndex = 0,
                          bool isPart = false);
  const absl::Status &status() const { return executable_.status(); }
  const runtime::Executable &operator*() const { return **executable_; }
  const runtime::Executable *operator->() const { return executable_->get(); }
  /// With an arena of its own.
  absl::StatusOr<std::unique_ptr<runtime::Execution>>
  execution(void *stream = nullptr);
  ~LoadedArtifact();

private:
  absl::StatusOr<format::ArtifactReader> artifact;
  std::vector<const std::byte *> constants;
  absl::StatusOr<std::unique_ptr<runtime::Executable>> executable_;
  std::vector<void *> arenas;
};

/// Floats in the memory of an Executable's device.
class DeviceFloats {
public:
  DeviceFloats(const runtime::Executable &executable,
               const std::vector<float> &values);
  ~DeviceFloats();
  DeviceFloats(const DeviceFloats &) = delete;
  DeviceFloats &operator=(const DeviceFloats &) = delete;
  void *data() const { return data_; }
  std::vector<float> read() const;

private:
  const runtime::DeviceMemory &memory;
  const size_t count;
  void *data_ = nullptr;
};

} // namespace minic::testing

#endif // MINIC_TEST_UNIT_RUNTIME_DEVICE_CUDA_CUDATESTPROGRAM_H
