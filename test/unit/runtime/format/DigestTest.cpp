// SPDX-License-Identifier: Apache-2.0
//
// SHA-256 as text, and artifacts that are another one than expected.

#include "runtime/format/ArtifactReader.h"
#include "test/unit/runtime/testing/TestArtifact.h"

#include <gmock/gmock.h>

#include <fstream>

namespace minic::format {
namespace {

using ::testing::HasSubstr;
using namespace ::minic::testing;

absl::Span<const std::byte> bytesOf(const std::string &text) {
  return {reinterpret_cast<const std::byte *>(text.data()), text.size()};
}

/// The digits of FIPS 180-4's examples.
const std::string ofNothing =
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
const std::string ofAbc =
    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

TEST(DigestTest, isSha256) {
  EXPECT_EQ(toString(digestOf({})), "sha256:" + ofNothing);
  EXPECT_EQ(toString(digestOf(bytesOf("abc"))), "sha256:" + ofAbc);
  // Several blocks, which CPUs hash several at a time.
  EXPECT_EQ(toString(digestOf(bytesOf(std::string(1000000, 'a')))),
            "sha256:"
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(DigestTest, isReadInEachForm) {
  std::string upper = ofAbc;
  for (char &digit : upper) {
    digit = std::toupper(digit);
  }
  for (const std::string &text : {"sha256:" + ofAbc, ofAbc, upper}) {
    absl::StatusOr<Digest> digest = parseDigest(text);
    ASSERT_TRUE(digest.ok()) << digest.status();
    EXPECT_EQ(*digest, digestOf(bytesOf("abc")));
  }
}

TEST(DigestTest, refusesWhatIsNone) {
  for (const std::string &text :
       {std::string(), std::string("sha256:"), ofAbc + "0", ofAbc.substr(1),
        "sha512:" + ofAbc, "SHA256:" + ofAbc, "g" + ofAbc.substr(1),
        ofAbc + "  model.minic"}) {
    absl::Status status = parseDigest(text).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << text;
    EXPECT_EQ(status.message(),
              "expected sha256: and 64 hexadecimal digits, got '" + text + "'");
  }
}

TEST(DigestTest, opensTheArtifactThatIsExpected) {
  std::vector<std::byte> bytes = scaleArtifact(20).bytes();
  Digest digest = digestOf(bytes);
  auto reader = ArtifactReader::copy(bytes, "test", digest);
  ASSERT_TRUE(reader.ok()) << reader.status();
  EXPECT_EQ(reader->digest(), digest);
  auto any = ArtifactReader::copy(bytes, "test");
  ASSERT_TRUE(any.ok()) << any.status();
  EXPECT_EQ(any->digest(), digest);
  EXPECT_TRUE(any->checkDigest(digest).ok());
}

TEST(DigestTest, refusesAnotherArtifact) {
  std::vector<std::byte> bytes = scaleArtifact(20).bytes();
  Digest other = digestOf(bytesOf("abc"));
  absl::Status status = ArtifactReader::copy(bytes, "test", other).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(status.message(), "'test': digest: expected " + toString(other) +
                                  ", got " + toString(digestOf(bytes)));
}

TEST(DigestTest, comesBeforeAllElse) {
  // What is no artifact at all is told by its digest, too.
  std::string path = ::testing::TempDir() + "digest-test.minic";
  std::ofstream(path) << "abc";
  auto expected = parseDigest(ofNothing);
  ASSERT_TRUE(expected.ok());
  EXPECT_THAT(
      std::string(ArtifactReader::open(path, *expected).status().message()),
      HasSubstr("digest: expected sha256:" + ofNothing +
                ", got sha256:" + ofAbc));
  // And where it is the one, by what it lacks.
  auto same = parseDigest(ofAbc);
  ASSERT_TRUE(same.ok());
  EXPECT_THAT(std::string(ArtifactReader::open(path, *same).status().message()),
              HasSubstr("not a minic artifact"));
  std::remove(path.c_str());
}

} // namespace
} // namespace minic::format
