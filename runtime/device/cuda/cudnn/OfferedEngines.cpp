// SPDX-License-Identifier: Apache-2.0
//
// Asks one heuristic after the other.

#include "runtime/device/cuda/cudnn/OfferedEngines.h"

#include <algorithm>
#include <iterator>

namespace minic::runtime {

std::optional<EngineChoice> OfferedEngines::next() {
  static constexpr CudnnHeuristic order[] = {
      CudnnHeuristic::A, CudnnHeuristic::B, CudnnHeuristic::Fallback};
  while (true) {
    while (position < listed.size()) {
      EngineChoice &choice = listed[position++];
      std::string text = toString(choice);
      if (std::find(seen.begin(), seen.end(), text) == seen.end()) {
        seen.push_back(std::move(text));
        return std::move(choice);
      }
    }
    if (asked == std::size(order)) {
      return std::nullopt;
    }
    absl::StatusOr<std::vector<EngineChoice>> answer =
        graph.engines(order[asked++]);
    if (answer.ok()) {
      listed = *std::move(answer);
      position = 0;
    } else {
      failure = answer.status();
    }
  }
}

} // namespace minic::runtime
