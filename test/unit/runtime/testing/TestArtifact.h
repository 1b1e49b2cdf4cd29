// SPDX-License-Identifier: Apache-2.0
//
// TestArtifact: small artifacts around hand-written kernels.

#ifndef MINIC_TEST_UNIT_RUNTIME_TESTING_TESTARTIFACT_H
#define MINIC_TEST_UNIT_RUNTIME_TESTING_TESTARTIFACT_H

#include "runtime/base/Tensor.h"
#include "runtime/format/plan_generated.h"
#include "test/unit/runtime/testing/CallTables.h"

#include <memory>
#include <string>
#include <vector>

namespace minic::testing {

/// Contents of testing/Kernels.c and testing/Imports.c, compiled.
std::vector<std::byte> kernelObject();
std::vector<std::byte> importingObject();

/// Metadata under construction, plus the sections it refers to. Starts with one
/// function "main", one single-threaded variant, and the kernels as binary 0.
class TestArtifact {
public:
  TestArtifact();

  format::ArtifactT metadata;
  std::vector<std::byte> binaries;
  std::vector<std::byte> constants;
  std::vector<std::byte> model;

  format::FunctionT &function() { return *metadata.functions[0]; }
  format::VariantT &variant() { return *function().variants[0]; }

  void input(const std::string &name, std::vector<int64_t> dims,
             format::DType dtype = format::DType::f32);
  void output(const std::string &name, std::vector<int64_t> dims,
              format::DType dtype = format::DType::f32);
  /// Appends the values as a dense f32 constant; returns its index.
  uint32_t constant(const std::string &name, std::vector<int64_t> dims,
                    const std::vector<float> &values);

  /// Appends a command to `run`; returns it for further changes.
  format::LaunchT &launch(const std::string &entry, int64_t tiles,
                          std::vector<format::Address> addresses,
                          std::vector<int64_t> scalars = {});
  void copy(format::Address destination, format::Address source,
            uint64_t bytes);
  void fill(format::Address destination, uint8_t value, uint64_t bytes);
  /// Appends a call of a library, to be filled in; see CallTables.h.
  format::CallT &call(format::CallT call) {
    format::CommandT &command = addCommand();
    command.operation.Set(std::move(call));
    return *command.operation.AsCall();
  }
  format::CallT &matmul() { return call(libraryCall("onednn", "matmul")); }

  /// The finished file.
  std::vector<std::byte> bytes() const;
  /// The metadata section alone.
  std::vector<std::byte> metadataBytes() const;

private:
  format::CommandT &addCommand();
};

/// y = 2 * x + 1 over `count` elements in tiles of `tile`.
TestArtifact scaleArtifact(int64_t count, int64_t tile = 8, int threads = 1);
/// The same for each of `counts`, ascending: the entry "main" of one dimension,
/// "N", and a function "main[N=count]" each.
TestArtifact scaleBuckets(const std::vector<int64_t> &counts);

inline format::Address inputAddress(uint32_t index, uint64_t offset = 0) {
  return {format::Base::input, index, offset};
}
inline format::Address outputAddress(uint32_t index, uint64_t offset = 0) {
  return {format::Base::output, index, offset};
}
inline format::Address arenaAddress(uint64_t offset) {
  return {format::Base::arena, 0, offset};
}
inline format::Address constantAddress(uint32_t index, uint64_t offset = 0) {
  return {format::Base::constant, index, offset};
}

/// `count` floats at 64-byte alignment.
class AlignedFloats {
public:
  explicit AlignedFloats(int64_t count, float value = 0)
      : storage(count + 32, value) {
    auto address = reinterpret_cast<uintptr_t>(storage.data());
    first = (64 - address % 64) % 64 / sizeof(float);
  }
  float *data() { return storage.data() + first; }
  float &operator[](int64_t i) { return data()[i]; }

private:
  std::vector<float> storage;
  size_t first;
};

} // namespace minic::testing

#endif // MINIC_TEST_UNIT_RUNTIME_TESTING_TESTARTIFACT_H
