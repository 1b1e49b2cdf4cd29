// SPDX-License-Identifier: Apache-2.0
//
// ArtifactJson: what explain and inspect say of an artifact, for programs.
// docs/json.md documents the fields.

#ifndef MINIC_TOOLS_MINIC_ARTIFACTJSON_H
#define MINIC_TOOLS_MINIC_ARTIFACTJSON_H

#include "runtime/format/ArtifactReader.h"

#include <string>

namespace minic {

/// Why it is compiled as it is: "format": "minic-explain".
std::string explainJson(const format::Artifact &metadata);

/// What it is made of: "format": "minic-inspect".
std::string inspectJson(const format::ArtifactReader &artifact);

} // namespace minic

#endif // MINIC_TOOLS_MINIC_ARTIFACTJSON_H
