// SPDX-License-Identifier: Apache-2.0
//
// ExplainPins: an artifact's choices as a file for --pin.

#ifndef MINIC_TOOLS_MINIC_EXPLAINPINS_H
#define MINIC_TOOLS_MINIC_EXPLAINPINS_H

#include "runtime/format/ArtifactReader.h"

#include "absl/status/statusor.h"

namespace minic {

/// The text of a file that pins what the fusions of the artifact took.
/// NotFound where it names no candidate.
absl::StatusOr<std::string> pinsOf(const format::Artifact &metadata);

} // namespace minic

#endif // MINIC_TOOLS_MINIC_EXPLAINPINS_H
