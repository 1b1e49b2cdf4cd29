// SPDX-License-Identifier: Apache-2.0
//
// What is copied of a serialized model, and what is not read as one: lengths
// and varints that a hostile file may hold.

#include "compiler/import/onnx/DetachData.h"

#include <gmock/gmock.h>

namespace minic {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string varint(uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) {
    bytes.push_back(char(value | 0x80));
  }
  bytes.push_back(char(value));
  return bytes;
}

/// A length-delimited field.
std::string field(unsigned number, const std::string &content) {
  return varint(number << 3 | 2) + varint(content.size()) + content;
}

/// Of onnx.proto: graph of a model, initializer of a graph, fields of a tensor.
std::string model(const std::string &graph) { return field(7, graph); }
std::string initializer(const std::string &tensor) { return field(5, tensor); }
std::string name(const std::string &text) { return field(8, text); }
std::string raw(size_t bytes) { return field(9, std::string(bytes, 'r')); }

struct Detached {
  explicit Detached(const std::string &bytes) : model(bytes) {
    isRead = detachData(model, rest, data);
  }
  std::string model, rest;
  DetachedData data;
  bool isRead;
};

/// So many bytes that say that more come, then `last`.
std::string longVarint(unsigned count, char last) {
  return std::string(count, '\xff') + last;
}

TEST(DetachData, TakesLargeDataOut) {
  Detached d(field(2, "producer") +
             model(field(2, "g") + initializer(name("small") + raw(4095)) +
                   initializer(name("large") + raw(4096) + field(1, "\x01"))));
  ASSERT_TRUE(d.isRead);
  ASSERT_EQ(d.data.initializers.size(), 1U);
  EXPECT_EQ(d.data.initializers.at(1), std::string(4096, 'r'));
  EXPECT_EQ(d.data.initializers.at(1).data(),
            d.model.data() + d.model.rfind(std::string(4096, 'r')))
      << "points into the model";
  EXPECT_EQ(
      d.rest,
      field(2, "producer") +
          model(field(2, "g") + initializer(name("small") + raw(4095)) +
                initializer(name("large") + field(9, "") + field(1, "\x01"))));
}

TEST(DetachData, CopiesOtherFields) {
  // A varint, 64 and 32 bits, and bytes in a place that is no initializer's.
  std::string others = varint(1 << 3) + varint(UINT64_MAX) +
                       varint(3 << 3 | 1) + "12345678" + varint(4 << 3 | 5) +
                       "1234" + field(9, std::string(5000, 'x'));
  Detached d(others);
  ASSERT_TRUE(d.isRead);
  EXPECT_EQ(d.rest, others);
  EXPECT_TRUE(d.data.initializers.empty());
}

TEST(DetachData, RefusesLengthsBehindTheEnd) {
  for (uint64_t length : {uint64_t(1), uint64_t(1) << 31, uint64_t(1) << 32,
                          uint64_t(INT64_MAX), UINT64_MAX}) {
    std::string head = varint(7 << 3 | 2) + varint(length);
    EXPECT_FALSE(Detached(head).isRead) << length;
    // In a graph, and in a tensor, whose own lengths are right.
    EXPECT_FALSE(Detached(model(varint(5 << 3 | 2) + varint(length))).isRead)
        << length;
    EXPECT_FALSE(
        Detached(model(initializer(varint(9 << 3 | 2) + varint(length))))
            .isRead)
        << length;
  }
  EXPECT_FALSE(Detached(varint(3 << 3 | 1) + "1234567").isRead);
  EXPECT_FALSE(Detached(varint(4 << 3 | 5) + "123").isRead);
}

TEST(DetachData, RefusesVarintsWithoutEnd) {
  EXPECT_FALSE(Detached(longVarint(3, '\xff')).isRead) << "a key";
  EXPECT_FALSE(Detached(varint(7 << 3 | 2) + longVarint(3, '\xff')).isRead)
      << "a length";
  EXPECT_FALSE(Detached(varint(1 << 3) + longVarint(3, '\xff')).isRead)
      << "a number";
  // At most ten bytes are one.
  EXPECT_TRUE(Detached(varint(1 << 3) + longVarint(9, '\x01')).isRead);
  EXPECT_FALSE(Detached(varint(1 << 3) + longVarint(10, '\x01')).isRead);
}

TEST(DetachData, RefusesWhatItDoesNotExpect) {
  std::string graph = model(initializer(raw(4096)));
  EXPECT_FALSE(Detached(graph + graph).isRead) << "which graph's tensor?";
  EXPECT_FALSE(Detached(model(initializer(raw(4096) + raw(5000)))).isRead)
      << "which of the two?";
  for (unsigned wire : {3U, 4U, 6U, 7U}) {
    EXPECT_FALSE(Detached(varint(7 << 3 | wire)).isRead) << wire;
  }
}

TEST(DetachData, LooksAtTheWireType) {
  // Field 9 as a number is no data.
  std::string bytes =
      model(initializer(varint(9 << 3) + varint(UINT64_MAX) + name("w")));
  Detached d(bytes);
  ASSERT_TRUE(d.isRead);
  EXPECT_EQ(d.rest, bytes);
  // A key in more bytes than it needs is the same field.
  std::string key = {char(9 << 3 | 2 | 0x80), '\x00'};
  Detached longer(
      model(initializer(key + varint(4096) + std::string(4096, 'r'))));
  ASSERT_TRUE(longer.isRead);
  EXPECT_EQ(longer.data.initializers.size(), 1U);
  EXPECT_THAT(longer.rest, Not(HasSubstr("rr")));
}

} // namespace
} // namespace minic
