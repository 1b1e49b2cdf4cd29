// SPDX-License-Identifier: Apache-2.0
//
// DamageCases: sound artifacts with one unsound field at a time.

#ifndef MINIC_TEST_UNIT_RUNTIME_FORMAT_DAMAGECASES_H
#define MINIC_TEST_UNIT_RUNTIME_FORMAT_DAMAGECASES_H

#include "runtime/format/ArtifactReader.h"
#include "test/unit/runtime/testing/TestArtifact.h"

#include <gmock/gmock.h>

#include <functional>

namespace minic::testing {

struct DamageCase {
  const char *message; // part of the refusal
  std::function<void(TestArtifact &)> change;
};

/// What `sound` makes is refused after each case's change.
inline void expectDamageFound(const std::function<TestArtifact()> &sound,
                              const std::vector<DamageCase> &cases) {
  for (const DamageCase &each : cases) {
    TestArtifact artifact = sound();
    each.change(artifact);
    absl::Status status =
        format::ArtifactReader::copy(artifact.bytes(), "test").status();
    EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss) << each.message;
    EXPECT_THAT(std::string(status.message()),
                ::testing::HasSubstr(each.message));
  }
}

inline void expectSound(const TestArtifact &artifact) {
  auto reader = format::ArtifactReader::copy(artifact.bytes(), "test");
  EXPECT_TRUE(reader.ok()) << reader.status();
}

inline std::unique_ptr<format::Address>
address(format::Base base, uint32_t index, uint64_t offset) {
  return std::make_unique<format::Address>(base, index, offset);
}

/// A dense row-major view of the arena.
inline std::unique_ptr<format::TensorViewT>
arenaView(uint64_t offset, std::vector<int64_t> dims,
          format::DType dtype = format::DType::f32) {
  auto view = std::make_unique<format::TensorViewT>();
  view->address = address(format::Base::arena, 0, offset);
  view->dtype = dtype;
  view->strides.resize(dims.size());
  int64_t stride = 1;
  for (size_t i = dims.size(); i-- > 0; stride *= dims[i]) {
    view->strides[i] = stride;
  }
  view->dims = std::move(dims);
  return view;
}

/// The last command's call.
inline format::CallT &lastCall(TestArtifact &artifact) {
  return *artifact.variant().run.back()->operation.AsCall();
}

} // namespace minic::testing

#endif // MINIC_TEST_UNIT_RUNTIME_FORMAT_DAMAGECASES_H
