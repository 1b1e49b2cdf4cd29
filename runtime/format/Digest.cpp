// SPDX-License-Identifier: Apache-2.0
//
// SHA-256 is OpenSSL's. Of its two interfaces this is the one without
// providers, whose archive members would bring 4 MB and sockets; OpenSSL 3
// calls it deprecated.

#include "runtime/format/Digest.h"

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/sha.h>

#include <algorithm>

namespace minic::format {

static_assert(std::tuple_size_v<Digest> == SHA256_DIGEST_LENGTH);

Digest digestOf(absl::Span<const std::byte> bytes) {
  Digest digest;
  SHA256_CTX state;
  SHA256_Init(&state);
  SHA256_Update(&state, bytes.data(), bytes.size());
  SHA256_Final(digest.data(), &state);
  return digest;
}

static constexpr absl::string_view prefix = "sha256:";

std::string toString(const Digest &digest) {
  return absl::StrCat(
      prefix,
      absl::BytesToHexString(
          {reinterpret_cast<const char *>(digest.data()), digest.size()}));
}

absl::StatusOr<Digest> parseDigest(absl::string_view text) {
  absl::string_view digits = absl::StripPrefix(text, prefix);
  Digest digest;
  if (digits.size() != 2 * digest.size() ||
      !std::all_of(digits.begin(), digits.end(), absl::ascii_isxdigit)) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected ", prefix, " and ", 2 * digest.size(),
                     " hexadecimal digits, got '", text, "'"));
  }
  std::string bytes = absl::HexStringToBytes(digits);
  std::copy(bytes.begin(), bytes.end(), digest.begin());
  return digest;
}

} // namespace minic::format
