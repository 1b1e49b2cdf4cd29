// SPDX-License-Identifier: Apache-2.0
//
// The runtime's one way of telling people something that is not an error.

#ifndef MINIC_RUNTIME_BASE_LOG_H
#define MINIC_RUNTIME_BASE_LOG_H

#include "absl/strings/string_view.h"

namespace minic::runtime {

/// Writes "minic: warning: <message>" and a newline to stderr in one write;
/// silent when the environment has MINIC_LOG=none. Thread-safe. Context::run
/// calls it at most once, if a graph that was asked for cannot be captured.
void logWarning(absl::string_view message);

} // namespace minic::runtime

#endif // MINIC_RUNTIME_BASE_LOG_H
