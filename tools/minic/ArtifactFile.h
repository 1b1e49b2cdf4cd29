// SPDX-License-Identifier: Apache-2.0
//
// ArtifactFile: opens artifacts for the commands that describe them.

#ifndef MINIC_TOOLS_MINIC_ARTIFACTFILE_H
#define MINIC_TOOLS_MINIC_ARTIFACTFILE_H

#include "runtime/format/ArtifactReader.h"

#include <optional>
#include <string>

namespace CLI {
class App;
}

namespace minic {

/// Parses the arguments of a command on one artifact, which it adds to `app`,
/// and opens that. Nothing where the command ends here: after --help, or after
/// one line on what is wrong; `exitCode` is what it returns then.
std::optional<format::ArtifactReader> openArtifact(CLI::App &app, int argc,
                                                   char **argv, int &exitCode);

/// "x: f32[256, 1024]".
std::string specText(const format::TensorSpec &spec);
/// "f32[256, 1024]".
std::string typeText(format::DType dtype,
                     const flatbuffers::Vector<int64_t> &dims);
/// "1536 B", "41.5 KB", "8.4 MB".
std::string bytesText(uint64_t bytes);

} // namespace minic

#endif // MINIC_TOOLS_MINIC_ARTIFACTFILE_H
