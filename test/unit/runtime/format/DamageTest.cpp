// SPDX-License-Identifier: Apache-2.0
//
// Damage of every kind: an artifact that is cut or flipped anywhere is refused
// or reads the same; one whose checksums were made right again is refused or
// is sound, never worse.

#include "runtime/format/ArtifactReader.h"
#include "test/unit/runtime/testing/Reseal.h"
#include "test/unit/runtime/testing/TestArtifact.h"

#include <gtest/gtest.h>

#include <random>

namespace minic::format {
namespace {

using namespace ::minic::testing;

std::vector<std::byte> victim() {
  TestArtifact artifact = scaleArtifact(20);
  uint32_t w = artifact.constant("w", {3, 4}, std::vector<float>(12, 1.5f));
  auto layout = std::make_unique<LayoutT>();
  layout->order = {1, 0};
  layout->padded = {3, 4};
  artifact.metadata.constants[w]->layout = std::move(layout);
  artifact.variant().arena_bytes = 128;
  artifact.copy(arenaAddress(0), constantAddress(w), 48);
  artifact.fill(arenaAddress(64), 1, 64);
  artifact.variant().run[1]->depends = {0};
  artifact.model.assign(20, std::byte(0x11));
  return artifact.bytes();
}

/// What a reader can see of it.
std::vector<std::byte> visible(const ArtifactReader &reader) {
  std::vector<std::byte> all;
  for (uint32_t kind = 1; kind <= 4; ++kind) {
    auto section = reader.section(SectionKind(kind));
    all.insert(all.end(), section.begin(), section.end());
  }
  return all;
}

void expectRefusedOrEqual(const std::vector<std::byte> &bytes,
                          const std::vector<std::byte> &original,
                          const std::string &what) {
  auto reader = ArtifactReader::copy(bytes, "damaged");
  if (reader.ok()) {
    EXPECT_EQ(visible(*reader), original) << what;
  } else {
    EXPECT_EQ(reader.status().message().find('\n'), absl::string_view::npos);
  }
}

TEST(DamageTest, refusesEveryTruncation) {
  std::vector<std::byte> bytes = victim();
  for (size_t length = 0; length < bytes.size(); ++length) {
    std::vector<std::byte> cut(bytes.begin(), bytes.begin() + length);
    EXPECT_FALSE(ArtifactReader::copy(cut, "cut").ok()) << length;
  }
  std::vector<std::byte> longer = bytes;
  longer.push_back(std::byte(0));
  EXPECT_FALSE(ArtifactReader::copy(longer, "longer").ok());
}

TEST(DamageTest, noticesEveryFlippedBit) {
  std::vector<std::byte> bytes = victim();
  auto reader = ArtifactReader::copy(bytes, "whole");
  ASSERT_TRUE(reader.ok()) << reader.status();
  std::vector<std::byte> original = visible(*reader);
  for (size_t i = 0; i < bytes.size(); ++i) {
    // All bits of headers, one of each byte elsewhere.
    int step = i < 256 ? 1 : 8;
    for (int bit = i % step; bit < 8; bit += step) {
      bytes[i] ^= std::byte(1 << bit);
      expectRefusedOrEqual(bytes, original,
                           "bit " + std::to_string(bit) + " of byte " +
                               std::to_string(i));
      bytes[i] ^= std::byte(1 << bit);
    }
  }
}

TEST(DamageTest, readsNothingUnsoundFromForgedMetadata) {
  std::vector<std::byte> whole = victim();
  uint64_t first = sectionOf(whole, 0).offset;
  uint64_t count = sectionOf(whole, 0).bytes;
  std::mt19937 random(11);
  int refused = 0;
  for (int round = 0; round < 5000; ++round) {
    std::vector<std::byte> bytes = whole;
    for (int changes = 1 + random() % 3; changes > 0; --changes) {
      std::byte &byte = bytes[first + random() % count];
      // Small numbers and high bits reach further than noise.
      switch (random() % 3) {
      case 0:
        byte = std::byte(random());
        break;
      case 1:
        byte ^= std::byte(1 << random() % 8);
        break;
      default:
        byte = std::byte(random() % 2 ? 0xff : random() % 4);
      }
    }
    reseal(bytes);
    auto reader = ArtifactReader::copy(bytes, "forged");
    refused += !reader.ok();
    if (reader.ok()) {
      // Touch all that the checks promise; AddressSanitizer watches.
      size_t sum = 0;
      for (uint32_t i = 0; i < reader->metadata().binaries()->size(); ++i) {
        for (std::byte byte : reader->binary(i)) {
          sum += size_t(byte);
        }
      }
      for (uint32_t i = 0; i < reader->metadata().constants()->size(); ++i) {
        if (!reader->metadata().constants()->Get(i)->external()) {
          for (std::byte byte : reader->constant(i)) {
            sum += size_t(byte);
          }
        }
      }
      EXPECT_GE(sum, 0u);
    }
  }
  EXPECT_GT(refused, 500);
}

} // namespace
} // namespace minic::format
