// SPDX-License-Identifier: Apache-2.0
//
// Pins as JSON.

#include "compiler/tune/database/PinFile.h"

#include "absl/strings/str_cat.h"

#include <nlohmann/json.hpp>

#include <fstream>
#include <iterator>
#include <set>

namespace minic::tune {

using nlohmann::ordered_json;

static constexpr const char *formatName = "minic-pins";
static constexpr int formatVersion = 1;

std::string Pin::text() const {
  std::string name = "pin of " + description;
  if (problem.empty()) {
    return name;
  }
  return description.empty() ? "pin of problem " + problem
                             : name + " (problem " + problem + ")";
}

/// The text under `name`; empty where it is absent or no text.
static std::string textOf(const ordered_json &json, const char *name) {
  auto found = json.find(name);
  return found != json.end() && found->is_string() ? found->get<std::string>()
                                                   : std::string();
}

static bool isPinFile(const ordered_json &json) {
  return json.is_object() && textOf(json, "format") == formatName &&
         json.contains("version") && json["version"].is_number_integer() &&
         json.contains("pins") && json["pins"].is_array();
}

static absl::StatusOr<std::vector<Pin>> parse(const ordered_json &json) {
  if (!isPinFile(json)) {
    return absl::InvalidArgumentError(
        absl::StrCat("is no file of pins, expected {\"format\": \"", formatName,
                     "\", \"version\": ", formatVersion, ", \"pins\": [...]}"));
  }
  if (json["version"] != formatVersion) {
    return absl::InvalidArgumentError(
        absl::StrCat("pins of version ", json["version"].dump(), ", expected ",
                     formatVersion));
  }
  std::vector<Pin> pins;
  std::set<std::string> known;
  for (const ordered_json &entry : json["pins"]) {
    Pin pin;
    if (entry.is_object()) {
      pin = {textOf(entry, "problem"), textOf(entry, "description"),
             textOf(entry, "candidate")};
    }
    if (pin.candidate.empty() ||
        (pin.problem.empty() && pin.description.empty())) {
      return absl::InvalidArgumentError(
          absl::StrCat("pin ", pins.size(),
                       " expects a candidate, and a problem or description"));
    }
    if (!known.insert(pin.problem.empty() ? pin.description : pin.problem)
             .second) {
      return absl::InvalidArgumentError(
          absl::StrCat(pin.text(), " is there twice"));
    }
    pins.push_back(std::move(pin));
  }
  return pins;
}

absl::StatusOr<std::vector<Pin>> readPins(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(file)), {});
  if (!file) {
    return absl::NotFoundError(absl::StrCat("cannot read '", path, "'"));
  }
  absl::StatusOr<std::vector<Pin>> pins =
      parse(ordered_json::parse(text, nullptr, /*allow_exceptions=*/false));
  return pins.ok() ? pins
                   : absl::Status(pins.status().code(),
                                  absl::StrCat("'", path,
                                               "': ", pins.status().message()));
}

std::string formatPins(absl::Span<const Pin> pins) {
  ordered_json entries = ordered_json::array();
  for (const Pin &pin : pins) {
    ordered_json entry;
    if (!pin.problem.empty()) {
      entry["problem"] = pin.problem;
    }
    entry["description"] = pin.description;
    entry["candidate"] = pin.candidate;
    entries.push_back(std::move(entry));
  }
  ordered_json json;
  json["format"] = formatName;
  json["version"] = formatVersion;
  json["pins"] = std::move(entries);
  return json.dump(1, ' ', false, ordered_json::error_handler_t::replace) +
         "\n";
}

} // namespace minic::tune
