// SPDX-License-Identifier: Apache-2.0
//
// EntryChecker: entries of an artifact and the functions that they name.

#ifndef MINIC_RUNTIME_FORMAT_ENTRYCHECKER_H
#define MINIC_RUNTIME_FORMAT_ENTRYCHECKER_H

#include "runtime/format/plan_generated.h"

#include "absl/status/status.h"

namespace minic::format {

/// Of an artifact whose functions were checked: every index exists, every size
/// is that of its places, buckets ascend, and functions of one entry take and
/// give tensors of the same names, dtypes and ranks. DataLoss otherwise.
absl::Status checkEntries(const Artifact &artifact);

} // namespace minic::format

#endif // MINIC_RUNTIME_FORMAT_ENTRYCHECKER_H
