// SPDX-License-Identifier: Apache-2.0
//
// VersionColumns: the columns codegen, candidate_set, onednn, which records and
// verdicts have in this order; the last one is of a GPU what its libraries are.

#ifndef MINIC_COMPILER_TUNE_VERSIONCOLUMNS_H
#define MINIC_COMPILER_TUNE_VERSIONCOLUMNS_H

#include "compiler/tune/Record.h"
#include "compiler/tune/Sqlite.h"

namespace minic::tune {

inline void bindVersions(Statement &statement, const Versions &versions) {
  statement.bind(versions.codegen).bind(versions.candidateSet);
  statement.bind(versions.libraries);
}

inline void readVersions(Statement &statement, Versions &versions) {
  statement.read(versions.codegen);
  statement.read(versions.candidateSet);
  statement.read(versions.libraries);
}

} // namespace minic::tune

#endif // MINIC_COMPILER_TUNE_VERSIONCOLUMNS_H
