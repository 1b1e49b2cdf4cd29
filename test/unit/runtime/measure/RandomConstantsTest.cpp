// SPDX-License-Identifier: Apache-2.0
//
// Who shares the memory of a constant: candidates on a device that copies
// constants, and nobody else.

#include "runtime/measure/RandomConstants.h"
#include "runtime/device/Device.h"
#include "test/unit/runtime/testing/TestArtifact.h"

#include <gmock/gmock.h>

#include <cstring>

namespace minic::runtime {
namespace {

using namespace ::minic::testing;

constexpr int64_t count = 1000;

class FakeDevice : public Device {
public:
  explicit FakeDevice(bool copies) : copies(copies) {}
  absl::Status canRun(const format::Variant &, int) const override {
    return absl::OkStatus();
  }
  absl::StatusOr<std::unique_ptr<Executable>>
  load(const ExecutableSource &) const override {
    return absl::UnimplementedError("it only allocates");
  }
  bool copiesConstants() const override { return copies; }

private:
  const bool copies;
};

/// An artifact with one constant, "w" of `count` floats.
class RandomConstantsTest : public ::testing::Test {
protected:
  RandomConstantsTest() {
    TestArtifact artifact;
    artifact.constant("w", {count}, std::vector<float>(count));
    artifact.metadata.constants[0]->external = true;
    reader.emplace(
        *format::ArtifactReader::copy(artifact.bytes(), "a test", {}));
  }
  std::shared_ptr<const std::byte> ask(const ConstantProvider &provider,
                                       const Device &device) {
    auto lent = provider(*(*reader->metadata().constants())[0], device, 0);
    EXPECT_TRUE(lent.ok()) << lent.status();
    return lent.ok() ? *lent : nullptr;
  }
  bool areEqual(const std::shared_ptr<const std::byte> &a,
                const std::shared_ptr<const std::byte> &b) {
    return std::memcmp(a.get(), b.get(), count * sizeof(float)) == 0;
  }

  std::optional<format::ArtifactReader> reader;
  const FakeDevice gpu{/*copies=*/true}, cpu{/*copies=*/false};
};

TEST_F(RandomConstantsTest, LendsOneMemoryToADeviceThatCopies) {
  ConstantCache cache(1 << 20);
  auto first = ask(cache.provider(1), gpu);
  EXPECT_EQ(ask(cache.provider(1), gpu).get(), first.get());
  auto other = ask(cache.provider(2), gpu);
  EXPECT_NE(other.get(), first.get());
  EXPECT_FALSE(areEqual(other, first));
}

TEST_F(RandomConstantsTest, LendsSmallOnesToAllCandidatesOfACpu) {
  ConstantCache cache(1 << 20, /*mostShared=*/count * sizeof(float));
  auto first = ask(cache.provider(1), cpu);
  EXPECT_EQ(ask(cache.provider(1), cpu).get(), first.get());
  EXPECT_TRUE(areEqual(first, ask(randomConstants(1), cpu)));
}

TEST_F(RandomConstantsTest, GivesEachCandidateOfACpuItsOwnLargeOnes) {
  ConstantCache cache(1 << 20, /*mostShared=*/count * sizeof(float) - 1);
  auto first = ask(cache.provider(1), cpu),
       second = ask(cache.provider(1), cpu);
  EXPECT_NE(first.get(), second.get());
  EXPECT_TRUE(areEqual(first, second));
  EXPECT_TRUE(areEqual(first, ask(randomConstants(1), cpu)));
}

TEST_F(RandomConstantsTest, KeepsWhatIsLentThoughTheCacheDropsIt) {
  ConstantCache cache(count * sizeof(float));
  auto first = ask(cache.provider(1), gpu);
  ask(cache.provider(2), gpu); // there is room for one
  EXPECT_TRUE(areEqual(first, ask(randomConstants(1), gpu)));
  EXPECT_NE(ask(cache.provider(1), gpu).get(), first.get());
}

TEST_F(RandomConstantsTest, KeepsNothingLargerThanItsCapacity) {
  ConstantCache cache(16);
  auto first = ask(cache.provider(1), gpu),
       second = ask(cache.provider(1), gpu);
  EXPECT_NE(first.get(), second.get());
  EXPECT_TRUE(areEqual(first, second));
}

} // namespace
} // namespace minic::runtime
