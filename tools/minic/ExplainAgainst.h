// SPDX-License-Identifier: Apache-2.0
//
// ExplainAgainst: what differs between two artifacts of one model, in the order
// of what it costs.

#ifndef MINIC_TOOLS_MINIC_EXPLAINAGAINST_H
#define MINIC_TOOLS_MINIC_EXPLAINAGAINST_H

#include "runtime/format/ArtifactReader.h"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace minic {

/// An object of the format minic-against (docs/json.md). Functions are paired
/// by name, their variants by place. NotFound where no function is in both.
absl::StatusOr<nlohmann::ordered_json>
compareArtifacts(const format::Artifact &a, const std::string &pathA,
                 const format::Artifact &b, const std::string &pathB);

/// The same as text.
std::string againstText(const nlohmann::ordered_json &comparison);

} // namespace minic

#endif // MINIC_TOOLS_MINIC_EXPLAINAGAINST_H
