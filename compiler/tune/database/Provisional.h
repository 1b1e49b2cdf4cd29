// SPDX-License-Identifier: Apache-2.0
//
// Provisional: records and verdicts that were undecided when time ended. When
// they are measured again, and which of two is kept.

#ifndef MINIC_COMPILER_TUNE_DATABASE_PROVISIONAL_H
#define MINIC_COMPILER_TUNE_DATABASE_PROVISIONAL_H

#include "compiler/tune/database/Record.h"

#include <functional>

namespace minic::tune {

/// After so many searches in a row a provisional record counts as complete.
inline constexpr int64_t maxProvisionalSearches = 3;

/// Whether the machine is quieter now: neither the others nor the spread is
/// higher than then, and the others are at most half as many or, if there were
/// hardly any, the spread is at most half. False if its earlier noise is not
/// known.
bool isQuieter(const Noise &now, const Noise &then);

/// Whether tuning measures again what ended provisional `searches` times in a
/// row, the last time under `then`. Asks `probe` only where the answer depends
/// on it; without one it is no.
bool isSearchedAgain(int64_t searches, const Noise &then,
                     const std::function<Noise()> &probe);

/// Whether `record` takes the place of `existing`, the finished record of the
/// same problem and versions: its state ranks higher, or it alone tried every
/// legal one, or else it alone descended, or both are provisional and its
/// samples varied less. A tie is not enough.
bool isBetter(const Record &record, const Record &existing);
/// Samples under `noise` varied less than under `than`, or nobody knows how
/// much those did.
bool isLessNoisy(const Noise &noise, const Noise &than);

/// "provisional: undecided when time ended (2 other processes on 2 cores:
/// samples vary by 38 %)".
std::string describeProvisional(const Noise &noise);

} // namespace minic::tune

#endif // MINIC_COMPILER_TUNE_DATABASE_PROVISIONAL_H
