// SPDX-License-Identifier: Apache-2.0
//
// CallChecker: library calls of an artifact against the table and their memory.

#ifndef MINIC_RUNTIME_FORMAT_CALLCHECKER_H
#define MINIC_RUNTIME_FORMAT_CALLCHECKER_H

#include "runtime/format/MetadataChecker.h"

#include <string_view>

namespace minic::format {

/// Checks `call` by checkDescription, that its library is of `target`, and that
/// every element of its operands, and its scratch, lies where it may.
absl::Status checkCall(const Call &call, std::string_view target,
                       const AddressSpace &space);

} // namespace minic::format

#endif // MINIC_RUNTIME_FORMAT_CALLCHECKER_H
