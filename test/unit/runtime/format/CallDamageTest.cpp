// SPDX-License-Identifier: Apache-2.0
//
// Forged calls of every row of the table: each is refused in one line, or is as
// sound as executors take it to be.

#include "runtime/base/Tensor.h"
#include "runtime/format/CallReader.h"
#include "test/unit/runtime/format/SoundCalls.h"
#include "test/unit/runtime/testing/Reseal.h"

#include <random>

namespace minic::format {
namespace {

using namespace ::minic::testing;

/// Small numbers and high bits reach further than noise.
void damage(std::byte &byte, std::mt19937 &random) {
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

/// Every element of the view lies in the memory that its base has.
void expectInMemory(const TensorView &view, const Variant &variant,
                    const Artifact &artifact) {
  uint64_t last = 0;
  for (uint32_t i = 0; i < view.dims()->size(); ++i) {
    if (view.dims()->Get(i) == 0) {
      return;
    }
    last += uint64_t(view.dims()->Get(i) - 1) * view.strides()->Get(i);
  }
  const Address &address = *view.address();
  uint64_t bytes = address.base() == Base::constant
                       ? artifact.constants()->Get(address.index())->bytes()
                       : variant.arena_bytes();
  EXPECT_LE(address.offset() + (last + 1) * runtime::elementBytes(view.dtype()),
            bytes);
}

/// What executors read without checks of their own.
void expectReadable(const ArtifactReader &reader, const CallRule &rule) {
  const Artifact &artifact = reader.metadata();
  if (artifact.functions()->size() == 0 ||
      artifact.functions()->Get(0)->variants()->size() == 0) {
    return;
  }
  const Variant &variant = *artifact.functions()->Get(0)->variants()->Get(0);
  if (variant.run()->size() == 0) {
    return;
  }
  const Call *call = variant.run()->Get(0)->operation_as_Call();
  if (!call ||
      findCall(toView(*call->library()), toView(*call->op())) != &rule) {
    return;
  }
  CallReader fields(*call);
  for (const RoleRule &role : rule.roles) {
    const TensorView *view = fields.view(role.name);
    ASSERT_TRUE(view || !role.isRequired) << role.name;
    if (view) {
      expectInMemory(*view, variant, artifact);
    }
  }
  size_t read = 0;
  for (const AttributeRule &attribute : rule.attributes) {
    switch (attribute.kind) {
    case AttributeKind::integer:
      read += fields.integer(attribute.name);
      break;
    case AttributeKind::integers:
      read += fields.integers(attribute.name).size();
      break;
    case AttributeKind::text:
      read += fields.text(attribute.name).size();
      break;
    case AttributeKind::number:
      break;
    }
  }
  forEachAddress(*call, [&](const Address &address) {
    EXPECT_LE(address.base(), Base::MAX);
    ++read;
  });
  EXPECT_GT(read, 0u);
}

TEST(CallDamageTest, acceptsNoUnsoundCall) {
  for (const CallRule &rule : callTable()) {
    std::vector<std::byte> whole = soundArtifact(rule).bytes();
    uint64_t first = sectionOf(whole, 0).offset;
    uint64_t count = sectionOf(whole, 0).bytes;
    std::mt19937 random(23);
    int refused = 0, accepted = 0;
    for (int round = 0; round < 4000; ++round) {
      std::vector<std::byte> bytes = whole;
      for (int changes = 1 + random() % 3; changes > 0; --changes) {
        damage(bytes[first + random() % count], random);
      }
      reseal(bytes);
      auto reader = ArtifactReader::copy(bytes, "forged");
      if (reader.ok()) {
        ++accepted;
        expectReadable(*reader, rule);
        continue;
      }
      ++refused;
      EXPECT_EQ(reader.status().message().find('\n'), absl::string_view::npos)
          << reader.status();
    }
    EXPECT_GT(refused, 1000) << rule.library << " " << rule.op;
    EXPECT_GT(accepted, 100) << rule.library << " " << rule.op;
  }
}

} // namespace
} // namespace minic::format
