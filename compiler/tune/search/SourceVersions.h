// SPDX-License-Identifier: Apache-2.0
//
// SourceVersions: what is still true of a record that was made with other
// versions. A change of one source, a kernel family or a library, concerns the
// rows alone in which that source works.

#ifndef MINIC_COMPILER_TUNE_SEARCH_SOURCEVERSIONS_H
#define MINIC_COMPILER_TUNE_SEARCH_SOURCEVERSIONS_H

#include "compiler/tune/database/TuningDb.h"
#include "compiler/tune/search/Selection.h"

namespace minic::tune {

/// Whether `row`, `made` with these versions, still holds with those of `now`:
/// all its sources have the same version and, if it needs a library, so do the
/// libraries. If its sources are not known, all versions must be the same.
bool isFresh(const Row &row, const Versions &made, const Versions &now);

/// Keeps the fresh rows, without their times of the final, which were relative
/// to rows that may be gone. A duplicate stays only beside a row with the same
/// binary.
void keepFreshRows(Record &record, const Versions &now);

/// The record that answers for `versions`: a fresh one, or one whose winner
/// under `policy` is fresh. Null where there is none.
const Record *findUsable(const Lookup &found, const Versions &now,
                         const SelectionPolicy &policy);

/// Whether `record` has a fresh row of each of `candidates`, so that a search
/// would have nothing to measure.
bool coversAll(const Record &record,
               const std::vector<CandidateSpec> &candidates,
               const Versions &now);

/// "gemm_packed 1 is now 2, conv_direct 3 is gone, gemm_amx 1 is new,
/// libraries: 2.6.3 is now 3.5.0"; empty where nothing changed.
std::string describeChanges(const Versions &made, const Versions &now);

} // namespace minic::tune

#endif // MINIC_COMPILER_TUNE_SEARCH_SOURCEVERSIONS_H
