// SPDX-License-Identifier: Apache-2.0
//
// What is checked of one view of a library call.

#ifndef MINIC_RUNTIME_FORMAT_VIEWRULES_H
#define MINIC_RUNTIME_FORMAT_VIEWRULES_H

#include "runtime/format/CallTable.h"

namespace minic::format {

/// A known dtype, a stride per dimension, `minRank` to `maxRank` dimensions,
/// all in range.
absl::Status checkView(const CallDescription::View &view, uint32_t minRank,
                       uint32_t maxRank);
/// No two elements share bytes, as memory that is written wants it.
absl::Status checkOverlap(const CallDescription::View &view);
/// Both have passed checkView.
absl::Status checkShape(const CallDescription::View &view, ShapeRule rule,
                        const CallDescription::View &result);

} // namespace minic::format

#endif // MINIC_RUNTIME_FORMAT_VIEWRULES_H
