// SPDX-License-Identifier: Apache-2.0
//
// Turns absl::Status into the C interface's code and text.

#ifndef MINIC_RUNTIME_API_LASTERROR_H
#define MINIC_RUNTIME_API_LASTERROR_H

#include "runtime/include/minic/minic.h"

#include "absl/status/status.h"

#include <new>

namespace minic::runtime {

/// The C code of `status`; keeps the text of a failure for minic_last_error().
minic_status report(const absl::Status &status);

/// Runs `body`, which returns absl::Status, and reports it; no exception
/// leaves.
template <typename Body> minic_status guarded(const Body &body) {
  try {
    return report(body());
  } catch (const std::bad_alloc &) {
    return report(absl::ResourceExhaustedError("out of memory"));
  } catch (...) {
    return report(absl::InternalError("unexpected exception"));
  }
}

} // namespace minic::runtime

#endif // MINIC_RUNTIME_API_LASTERROR_H
