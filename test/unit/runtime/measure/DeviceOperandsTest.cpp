// SPDX-License-Identifier: Apache-2.0
//
// Operands in memory that the host cannot reach: guards, poison and rotation
// work through copies alone. The memory is made up: its addresses are those of
// pages that nobody may touch.

#include "runtime/measure/RotatedOperands.h"
#include "runtime/measure/Verify.h"

#include "runtime/measure/RandomData.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <cstring>
#include <map>
#include <sys/mman.h>

namespace minic::runtime {
namespace {

using ::testing::HasSubstr;

/// Each allocation is an unreadable mapping with a copy of its bytes aside.
class FarMemory : public DeviceMemory {
public:
  ~FarMemory() override { EXPECT_TRUE(blocks.empty()) << "leaked"; }
  bool isHost() const override { return false; }

  absl::StatusOr<void *> allocate(uint64_t bytes) const override {
    if (bytes == 0) {
      return nullptr;
    }
    if (used + bytes > capacity) {
      return absl::ResourceExhaustedError("device memory");
    }
    void *mapping = ::mmap(nullptr, bytes, PROT_NONE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    EXPECT_NE(mapping, MAP_FAILED);
    blocks[static_cast<std::byte *>(mapping)].resize(bytes, std::byte(0x77));
    used += bytes;
    return mapping;
  }
  void release(void *pointer) const override {
    auto it = blocks.find(static_cast<std::byte *>(pointer));
    ASSERT_NE(it, blocks.end());
    ::munmap(pointer, it->second.size());
    used -= it->second.size();
    blocks.erase(it);
  }
  absl::Status copyIn(void *device, const void *host,
                      uint64_t bytes) const override {
    if (bytes) {
      std::memcpy(find(device, bytes), host, bytes);
    }
    return absl::OkStatus();
  }
  absl::Status copyOut(void *host, const void *device,
                       uint64_t bytes) const override {
    if (isLost) {
      return absl::InternalError("an illegal address was encountered");
    }
    if (bytes) {
      std::memcpy(host, find(device, bytes), bytes);
    }
    return absl::OkStatus();
  }
  absl::Status fill(void *device, uint8_t value,
                    uint64_t bytes) const override {
    if (bytes) {
      std::memset(find(device, bytes), value, bytes);
    }
    return absl::OkStatus();
  }
  /// What the device sees at `pointer`.
  std::byte *find(const void *pointer, uint64_t bytes) const {
    auto address = static_cast<const std::byte *>(pointer);
    auto it = blocks.upper_bound(const_cast<std::byte *>(address));
    if (it != blocks.begin()) {
      --it;
      uint64_t offset = uint64_t(address - it->first);
      if (offset + bytes <= it->second.size()) {
        return it->second.data() + offset;
      }
    }
    ADD_FAILURE() << "not memory of the device";
    static std::byte nowhere[1 << 20];
    return nowhere;
  }

  uint64_t capacity = uint64_t(64) << 20;
  mutable uint64_t used = 0;
  bool isLost = false;
  mutable std::map<std::byte *, std::vector<std::byte>> blocks;
};

constexpr int64_t elements = 51;
constexpr uint64_t seed = 11;

/// y = 2 * x on the device, with a counter in the arena's zeroed part.
struct Doubling {
  FarMemory memory;
  bool isZeroed = true;       // the counter, when the run begins
  int64_t written = elements; // of y, beyond its end or not
  int32_t left = 0;           // in the counter

  VerifySubject subject() {
    VerifySubject subject;
    subject.inputs = {{"x", DType::f32, {elements}}};
    subject.outputs = {{"y", DType::f32, {elements}}};
    subject.arenaBytes = 512;
    subject.zeroedBytes = 4;
    subject.memory = &memory;
    subject.prepare =
        [this](void *arena) -> absl::StatusOr<VerifySubject::Run> {
      EXPECT_TRUE(memory.fill(arena, 0, 4).ok());
      return [this, arena](absl::Span<const Tensor> inputs,
                           absl::Span<const Tensor> outputs) {
        auto *x = reinterpret_cast<float *>(
            memory.find(inputs[0].data, elements * 4));
        auto *y = reinterpret_cast<float *>(
            memory.find(outputs[0].data, written * 4));
        auto *scratch = reinterpret_cast<int32_t *>(memory.find(arena, 512));
        isZeroed &= scratch[0] == 0;
        EXPECT_NE(scratch[1], 0) << "scratch is poisoned";
        for (int64_t i = 0; i < written; ++i) {
          y[i] = i < elements ? 2 * x[i] : 0;
        }
        scratch[0] = left;
        return absl::OkStatus();
      };
    };
    return subject;
  }

  absl::StatusOr<VerifyReply> check() {
    std::vector<float> x(elements);
    fillRandom(x.data(), DType::f32, {elements}, seed, "x");
    ExpectedOutput expected{.name = "y",
                            .dtype = DType::f32,
                            .dims = {elements},
                            .rows = {},
                            .values = {},
                            .tolerances = {},
                            .alternatives = {}};
    for (float value : x) {
      expected.values.push_back(2.0 * value);
      expected.tolerances.push_back(1e-6);
    }
    VerifyCache cache;
    return verify(subject(), seed, {expected}, nullptr, cache);
  }
};

TEST(DeviceOperandsTest, VerifiesThroughCopies) {
  Doubling doubling;
  absl::StatusOr<VerifyReply> reply = doubling.check();
  ASSERT_TRUE(reply.ok()) << reply.status();
  EXPECT_EQ(reply->status, VerifyStatus::ok) << reply->detail;
  EXPECT_TRUE(reply->deterministic);
  EXPECT_TRUE(doubling.isZeroed);
}

TEST(DeviceOperandsTest, SeesWhatWasLeftOut) {
  Doubling doubling;
  doubling.written = elements - 1;
  absl::StatusOr<VerifyReply> reply = doubling.check();
  ASSERT_TRUE(reply.ok()) << reply.status();
  EXPECT_EQ(reply->status, VerifyStatus::wrong);
  EXPECT_THAT(reply->detail, HasSubstr("element 50 of 51 was not written"));
}

TEST(DeviceOperandsTest, SeesWritesBeyondTheEnd) {
  Doubling doubling;
  doubling.written = elements + 1;
  absl::StatusOr<VerifyReply> reply = doubling.check();
  ASSERT_TRUE(reply.ok()) << reply.status();
  EXPECT_EQ(reply->status, VerifyStatus::wrong);
  EXPECT_EQ(reply->detail, "memory around output y was written");
}

TEST(DeviceOperandsTest, SeesCountersThatAreNotLeftZero) {
  Doubling doubling;
  doubling.left = 3;
  absl::StatusOr<VerifyReply> reply = doubling.check();
  ASSERT_TRUE(reply.ok()) << reply.status();
  EXPECT_EQ(reply->status, VerifyStatus::wrong);
  EXPECT_EQ(reply->detail, "counters in the arena were not left zero");
}

TEST(DeviceOperandsTest, ReportsALostDevice) {
  Doubling doubling;
  doubling.memory.isLost = true;
  absl::StatusOr<VerifyReply> reply = doubling.check();
  ASSERT_FALSE(reply.ok());
  EXPECT_THAT(reply.status().message(), HasSubstr("illegal address"));
}

TEST(RotatedOperandsTest, AsManySetsAsTwiceTheCacheTakes) {
  EXPECT_EQ(rotationLength(10, 50), 10);
  EXPECT_EQ(rotationLength(11, 50), 10);
  EXPECT_EQ(rotationLength(1000, 50), 2);
  EXPECT_EQ(rotationLength(1, uint64_t(50) << 20), 64);
  EXPECT_EQ(rotationLength(0, 50), 1);
  EXPECT_EQ(rotationLength(10, 0), 1);
}

TEST(RotatedOperandsTest, SetsAreApartAndFilledAlike) {
  auto memory = std::make_shared<FarMemory>();
  std::vector<TensorSpec> inputs = {{"x", DType::f32, {elements}}};
  std::vector<TensorSpec> outputs = {{"y", DType::f32, {3}},
                                     {"z", DType::i1, {0}}};
  EXPECT_EQ(RotatedOperands::setBytes(inputs, outputs), 512u);
  auto operands = RotatedOperands::create(memory, inputs, outputs, 3);
  ASSERT_TRUE(operands.ok()) << operands.status();
  EXPECT_EQ((*operands)->sets(), 3);
  std::vector<float> x(elements), got(elements);
  fillRandom(x.data(), DType::f32, {elements}, 1, "x");
  for (int64_t set = 0; set < 3; ++set) {
    void *const *callers = (*operands)->callers(set);
    EXPECT_EQ(uintptr_t(callers[1]) - uintptr_t(callers[0]), 256u);
    ASSERT_TRUE(memory->copyOut(got.data(), callers[0], elements * 4).ok());
    EXPECT_EQ(got, x);
  }
  EXPECT_NE((*operands)->callers(0)[0], (*operands)->callers(1)[0]);
  EXPECT_TRUE((*operands)->fit(inputs, outputs, 2));
  EXPECT_FALSE((*operands)->fit(inputs, outputs, 4));
  EXPECT_FALSE((*operands)->fit(outputs, inputs, 2));
}

TEST(RotatedOperandsTest, AnUpdateInPlaceIsItsInputsMemory) {
  auto memory = std::make_shared<FarMemory>();
  std::vector<TensorSpec> inputs = {{"x", DType::f32, {3}},
                                    {"state", DType::f32, {elements}}};
  std::vector<TensorSpec> outputs = {{"next", DType::f32, {elements}, 64, 1},
                                     {"y", DType::f32, {3}}};
  EXPECT_EQ(RotatedOperands::setBytes(inputs, outputs), 768u);
  auto operands = RotatedOperands::create(memory, inputs, outputs, 2);
  ASSERT_TRUE(operands.ok()) << operands.status();
  for (int64_t set = 0; set < 2; ++set) {
    void *const *callers = (*operands)->callers(set);
    EXPECT_EQ(callers[2], callers[1]);
    EXPECT_NE(callers[3], callers[1]);
  }
  std::vector<float> state(elements), got(elements);
  fillRandom(state.data(), DType::f32, {elements}, 1, "state");
  void *next = (*operands)->callers(1)[2];
  ASSERT_TRUE(memory->copyOut(got.data(), next, elements * 4).ok());
  EXPECT_EQ(got, state);
  EXPECT_TRUE((*operands)->fit(inputs, outputs, 2));
  outputs[0].inPlaceOf.reset();
  EXPECT_FALSE((*operands)->fit(inputs, outputs, 2));
}

TEST(RotatedOperandsTest, SaysThatMemoryRanOut) {
  auto memory = std::make_shared<FarMemory>();
  memory->capacity = 1000;
  auto operands = RotatedOperands::create(
      memory, std::vector<TensorSpec>{{"x", DType::f32, {100}}}, {}, 3);
  EXPECT_TRUE(absl::IsResourceExhausted(operands.status()));
}

} // namespace
} // namespace minic::runtime
