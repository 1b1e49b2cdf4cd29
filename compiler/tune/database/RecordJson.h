// SPDX-License-Identifier: Apache-2.0
//
// Records as JSON: the form in which they are exported, imported and reported.

#ifndef MINIC_COMPILER_TUNE_DATABASE_RECORDJSON_H
#define MINIC_COMPILER_TUNE_DATABASE_RECORDJSON_H

#include "compiler/tune/database/Verdict.h"

#include "absl/status/statusor.h"

#include <nlohmann/json_fwd.hpp>

namespace minic::tune {

nlohmann::ordered_json toJson(const Row &row);
nlohmann::ordered_json toJson(const Record &record);
nlohmann::ordered_json toJson(const Verdict &verdict);
nlohmann::ordered_json toJson(absl::Span<const Trial> trials);

/// The version of exports that toJson's objects belong to.
inline constexpr int64_t exportVersion = 6;

/// `version`: of the export, 1 to exportVersion. InvalidArgument naming the
/// field that is missing or of another type, or whose value cannot be (an
/// unknown status, a negative or non-finite time).
absl::StatusOr<Record> recordFromJson(const nlohmann::ordered_json &json,
                                      int64_t version);
absl::StatusOr<Verdict> verdictFromJson(const nlohmann::ordered_json &json,
                                        int64_t version);
absl::StatusOr<std::vector<Trial>>
trialsFromJson(const nlohmann::ordered_json &json);

} // namespace minic::tune

#endif // MINIC_COMPILER_TUNE_DATABASE_RECORDJSON_H
