// SPDX-License-Identifier: Apache-2.0
//
// Evidence to pins, each problem once.

#include "tools/minic/ExplainPins.h"

#include "compiler/explain/Evidence.h"
#include "compiler/tune/database/PinFile.h"

#include <set>

namespace minic {

absl::StatusOr<std::string> pinsOf(const format::Artifact &metadata) {
  std::vector<tune::Pin> pins;
  std::set<std::string> known;
  for (const format::Function *function : *metadata.functions()) {
    for (const format::Variant *variant : *function->variants()) {
      std::optional<FunctionEvidence> evidence;
      if (variant->evidence()) {
        evidence = parseEvidence(variant->evidence()->str());
      }
      if (!evidence) {
        continue;
      }
      for (const FusionEvidence &fusion : evidence->fusions) {
        std::string key =
            fusion.problem.empty() ? fusion.label : fusion.problem;
        if (!fusion.candidate.empty() && known.insert(key).second) {
          pins.push_back({fusion.problem, fusion.label, fusion.candidate});
        }
      }
    }
  }
  if (pins.empty()) {
    return absl::NotFoundError("the artifact names no candidate to pin");
  }
  return tune::formatPins(pins);
}

} // namespace minic
