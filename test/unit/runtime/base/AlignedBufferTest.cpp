// SPDX-License-Identifier: Apache-2.0
//
// Alignment, zeroes, moves and refusal.

#include "runtime/base/AlignedBuffer.h"

#include <gtest/gtest.h>

namespace minic::runtime {
namespace {

TEST(AlignedBufferTest, isAlignedAndZeroed) {
  for (uint64_t bytes : {1, 63, 64, 4096, 4097, 2 << 20, (2 << 20) + 1}) {
    auto buffer = AlignedBuffer::create(bytes);
    ASSERT_TRUE(buffer.ok());
    EXPECT_EQ(reinterpret_cast<uintptr_t>(buffer->data()) % 64, 0u);
    EXPECT_EQ(buffer->bytes(), bytes);
    EXPECT_EQ(buffer->data()[0], std::byte(0));
    buffer->data()[bytes - 1] = std::byte(1); // the end is ours
  }
}

TEST(AlignedBufferTest, alignsLargeBuffersToHugePages) {
  auto buffer = AlignedBuffer::create(5 << 20);
  ASSERT_TRUE(buffer.ok());
  EXPECT_EQ(reinterpret_cast<uintptr_t>(buffer->data()) % (2 << 20), 0u);
}

TEST(AlignedBufferTest, hasNoMemoryForNoBytes) {
  auto buffer = AlignedBuffer::create(0);
  ASSERT_TRUE(buffer.ok());
  EXPECT_EQ(buffer->data(), nullptr);
}

TEST(AlignedBufferTest, saysWhenThereIsNoMemory) {
  EXPECT_EQ(AlignedBuffer::create(~uint64_t(0)).status().code(),
            absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(AlignedBuffer::create(uint64_t(1) << 60).status().code(),
            absl::StatusCode::kResourceExhausted);
}

TEST(AlignedBufferTest, moves) {
  auto buffer = AlignedBuffer::create(100);
  ASSERT_TRUE(buffer.ok());
  std::byte *data = buffer->data();
  AlignedBuffer moved = std::move(*buffer);
  EXPECT_EQ(moved.data(), data);
  EXPECT_EQ(buffer->data(), nullptr);
  AlignedBuffer assigned;
  assigned = std::move(moved);
  EXPECT_EQ(assigned.data(), data);
}

} // namespace
} // namespace minic::runtime
