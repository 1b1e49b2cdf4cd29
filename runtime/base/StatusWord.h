// SPDX-License-Identifier: Apache-2.0
//
// The word of a plan's arena that kernels set where an index was out of range.

#ifndef MINIC_RUNTIME_BASE_STATUSWORD_H
#define MINIC_RUNTIME_BASE_STATUSWORD_H

#include "absl/status/status.h"

#include <cstdint>

namespace minic::runtime {

/// 0: no run since it was last 0 met an index out of range.
using StatusWord = uint32_t;

/// What whoever waits for a run says of another word. Results were written:
/// kernels clamp what is out of range.
inline absl::Status indexOutOfRange() {
  return absl::OutOfRangeError(
      "run: an index or position was out of range and was clamped");
}

/// The status of a run on made-up data, whose indices may be out of range:
/// everything else that is wrong.
inline absl::Status exceptIndices(absl::Status status) {
  return absl::IsOutOfRange(status) ? absl::OkStatus() : status;
}

} // namespace minic::runtime

#endif // MINIC_RUNTIME_BASE_STATUSWORD_H
