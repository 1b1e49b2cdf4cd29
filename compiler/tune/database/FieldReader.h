// SPDX-License-Identifier: Apache-2.0
//
// FieldReader: reads the fields of one JSON object, and says which one is
// missing, of another type, or impossible.

#ifndef MINIC_COMPILER_TUNE_DATABASE_FIELDREADER_H
#define MINIC_COMPILER_TUNE_DATABASE_FIELDREADER_H

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace minic::tune {

/// After the first error it reads nothing; `status` keeps it. The object must
/// outlive it.
class FieldReader {
public:
  using Json = nlohmann::ordered_json;

  FieldReader(const Json &json, std::string where)
      : json(json), where(std::move(where)) {
    if (!json.is_object()) {
      fail("expected an object");
    }
  }

  void read(const char *name, std::string &value) {
    if (const Json *field = find(name, &Json::is_string, "a string")) {
      value = field->get_ref<const std::string &>();
    }
  }
  void read(const char *name, double &value) {
    if (const Json *field = find(name, &Json::is_number, "a number")) {
      value = field->get<double>();
      if (!std::isfinite(value) || value < 0) {
        fail(absl::StrCat(name, " must be finite and not negative"));
      }
    }
  }
  template <typename Integer>
  void readInteger(const char *name, Integer &value) {
    if (const Json *field =
            find(name, &Json::is_number_unsigned, "a non-negative integer")) {
      value = field->get<Integer>();
    }
  }
  void read(const char *name, bool &value) {
    if (const Json *field = find(name, &Json::is_boolean, "true or false")) {
      value = field->get<bool>();
    }
  }
  void read(const char *name, std::vector<double> &values) {
    const Json *field = find(name, &Json::is_array, "an array of numbers");
    if (!field) {
      return;
    }
    for (const Json &item : *field) {
      if (!item.is_number()) {
        return fail(absl::StrCat(name, " must hold numbers"));
      }
      values.push_back(item.get<double>());
    }
  }
  void read(const char *name, std::map<std::string, std::string> &values) {
    const Json *field = find(name, &Json::is_object, "an object of strings");
    if (!field) {
      return;
    }
    for (const auto &[key, item] : field->items()) {
      if (!item.is_string()) {
        return fail(absl::StrCat(name, " must hold strings"));
      }
      values[key] = item.get<std::string>();
    }
  }
  template <typename Enum>
  void read(const char *name, Enum &value,
            std::optional<Enum> (*parse)(const std::string &)) {
    std::string text;
    read(name, text);
    if (!status.ok()) {
      return;
    }
    if (std::optional<Enum> parsed = parse(text)) {
      value = *parsed;
    } else {
      fail(absl::StrCat("unknown ", name, " '", text, "'"));
    }
  }
  const Json *array(const char *name) {
    return find(name, &Json::is_array, "an array");
  }
  const Json *object(const char *name) {
    return find(name, &Json::is_object, "an object");
  }
  void fail(const std::string &what) {
    if (status.ok()) {
      status = absl::InvalidArgumentError(absl::StrCat(where, ": ", what));
    }
  }

  absl::Status status;

private:
  const Json *find(const char *name, bool (Json::*is)() const noexcept,
                   const char *expected) {
    if (!status.ok()) {
      return nullptr;
    }
    auto it = json.find(name);
    if (it == json.end()) {
      fail(absl::StrCat("field '", name, "' is missing"));
      return nullptr;
    }
    if (!((*it).*is)()) {
      fail(absl::StrCat("field '", name, "' must be ", expected));
      return nullptr;
    }
    return &*it;
  }

  const Json &json;
  std::string where;
};

} // namespace minic::tune

#endif // MINIC_COMPILER_TUNE_DATABASE_FIELDREADER_H
