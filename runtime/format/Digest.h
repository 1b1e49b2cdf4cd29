// SPDX-License-Identifier: Apache-2.0
//
// Digest: which file an artifact is, for callers who know which they want. The
// checksums inside a file find damage; a digest from elsewhere finds another
// file, too.

#ifndef MINIC_RUNTIME_FORMAT_DIGEST_H
#define MINIC_RUNTIME_FORMAT_DIGEST_H

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace minic::format {

/// SHA-256 of all bytes of a file, as sha256sum computes it.
using Digest = std::array<uint8_t, 32>;

/// Reads all of `bytes`: about a second for 1 GB on CPUs with SHA
/// instructions.
Digest digestOf(absl::Span<const std::byte> bytes);

/// "sha256:" and 64 hexadecimal digits in lower case.
std::string toString(const Digest &digest);

/// Reads that, in either case of the digits, or the digits alone, as sha256sum
/// prints them. InvalidArgument with one line for anything else.
absl::StatusOr<Digest> parseDigest(absl::string_view text);

} // namespace minic::format

#endif // MINIC_RUNTIME_FORMAT_DIGEST_H
