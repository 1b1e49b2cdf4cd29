// SPDX-License-Identifier: Apache-2.0
//
// VersionColumns: the columns sources (a JSON object) and libraries, which
// records and verdicts have in this order.

#ifndef MINIC_COMPILER_TUNE_DATABASE_VERSIONCOLUMNS_H
#define MINIC_COMPILER_TUNE_DATABASE_VERSIONCOLUMNS_H

#include "compiler/tune/database/Record.h"
#include "compiler/tune/database/Sqlite.h"

#include <nlohmann/json.hpp>

namespace minic::tune {

/// Equal texts are equal versions.
inline std::string sourcesText(const Versions &versions) {
  return nlohmann::json(versions.sources).dump();
}

inline void bindVersions(Statement &statement, const Versions &versions) {
  statement.bind(sourcesText(versions)).bind(versions.libraries);
}

/// What is damaged is read as not known.
inline void readVersions(Statement &statement, Versions &versions) {
  std::string text;
  statement.read(text);
  nlohmann::json sources = nlohmann::json::parse(text, nullptr, false);
  if (sources.is_object()) {
    for (const auto &[name, version] : sources.items()) {
      versions.sources[name] =
          version.is_string() ? version.get<std::string>() : "";
    }
  }
  statement.read(versions.libraries);
}

} // namespace minic::tune

#endif // MINIC_COMPILER_TUNE_DATABASE_VERSIONCOLUMNS_H
