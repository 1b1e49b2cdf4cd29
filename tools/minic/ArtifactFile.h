// SPDX-License-Identifier: Apache-2.0
//
// ArtifactFile: opens artifacts for the commands that describe them.

#ifndef MINIC_TOOLS_MINIC_ARTIFACTFILE_H
#define MINIC_TOOLS_MINIC_ARTIFACTFILE_H

#include "runtime/format/ArtifactReader.h"

#include <optional>
#include <string>

namespace minic {

/// Nothing, after one line on stderr, where `path` is not a sound artifact.
std::optional<format::ArtifactReader> openArtifact(const std::string &path);

/// "x: f32[256, 1024]".
std::string specText(const format::TensorSpec &spec);
/// "f32[256, 1024]".
std::string typeText(format::DType dtype,
                     const flatbuffers::Vector<int64_t> &dims);
/// "1536 B", "41.5 KB", "8.4 MB".
std::string bytesText(uint64_t bytes);

} // namespace minic

#endif // MINIC_TOOLS_MINIC_ARTIFACTFILE_H
