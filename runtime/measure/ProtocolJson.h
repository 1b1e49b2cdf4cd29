// SPDX-License-Identifier: Apache-2.0
//
// ProtocolJson: values of protocol messages to JSON and back. What comes in is
// checked field by field; JSON's exceptions never leave here. Private to
// Protocol.cpp, whose visit() names the fields of each message.

#ifndef MINIC_RUNTIME_MEASURE_PROTOCOLJSON_H
#define MINIC_RUNTIME_MEASURE_PROTOCOLJSON_H

#include "runtime/measure/Protocol.h"

#include "absl/strings/str_cat.h"

#include "nlohmann/json.hpp"

#include <cmath>
#include <limits>

namespace minic::runtime {

using Json = nlohmann::json;

/// Doubles of verification may be infinite or NaN, which JSON has no word for.
inline Json toJson(double value) {
  if (std::isnan(value)) {
    return "nan";
  }
  if (std::isinf(value)) {
    return value > 0 ? "inf" : "-inf";
  }
  return value;
}

inline bool fromJson(const Json &json, std::string &value) {
  if (!json.is_string()) {
    return false;
  }
  value = json.get<std::string>();
  return true;
}

inline bool fromJson(const Json &json, bool &value) {
  if (!json.is_boolean()) {
    return false;
  }
  value = json.get<bool>();
  return true;
}

inline bool fromJson(const Json &json, double &value) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (json.is_number()) {
    value = json.get<double>();
  } else if (json == "nan") {
    value = std::nan("");
  } else if (json == "inf") {
    value = infinity;
  } else if (json == "-inf") {
    value = -infinity;
  } else {
    return false;
  }
  return true;
}

inline bool fromJson(const Json &json, uint64_t &value) {
  if (!json.is_number_unsigned()) {
    return false;
  }
  value = json.get<uint64_t>();
  return true;
}

inline bool fromJson(const Json &json, int64_t &value) {
  if (!json.is_number_integer()) {
    return false;
  }
  if (json.is_number_unsigned() &&
      json.get<uint64_t>() > uint64_t(std::numeric_limits<int64_t>::max())) {
    return false;
  }
  value = json.get<int64_t>();
  return true;
}

inline bool fromJson(const Json &json, int &value) {
  int64_t wide = 0;
  if (!fromJson(json, wide) || wide < std::numeric_limits<int>::min() ||
      wide > std::numeric_limits<int>::max()) {
    return false;
  }
  value = int(wide);
  return true;
}

inline bool fromJson(const Json &json,
                     std::map<std::string, std::string> &values) {
  if (!json.is_object()) {
    return false;
  }
  values.clear();
  for (const auto &[key, element] : json.items()) {
    if (!fromJson(element, values[key])) {
      return false;
    }
  }
  return true;
}

/// The one of `all` whose name is `json`.
template <typename Enum, size_t count>
bool fromJson(const Json &json, const Enum (&all)[count], Enum &value) {
  for (Enum one : all) {
    if (json == toString(one)) {
      value = one;
      return true;
    }
  }
  return false;
}

inline bool fromJson(const Json &json, VerifyStatus &value) {
  return fromJson(json,
                  {VerifyStatus::ok, VerifyStatus::wrong, VerifyStatus::error},
                  value);
}

inline bool fromJson(const Json &json, Residency &value) {
  return fromJson(json, {Residency::warm, Residency::cold}, value);
}

inline bool fromJson(const Json &json, RunMode &value) {
  return fromJson(json,
                  {RunMode::device, RunMode::stream, RunMode::graph,
                   RunMode::streamCall, RunMode::graphCall},
                  value);
}

class JsonReader;

template <typename T> bool fromJson(const Json &json, T &message);
template <typename T> bool fromJson(const Json &json, std::vector<T> &values);

/// Reads the fields of one JSON object and remembers the first that is wrong.
class JsonReader {
public:
  explicit JsonReader(const Json &object) : object(object) {}

  template <typename T> void get(const char *name, T &value) {
    auto field = object.find(name);
    if (field == object.end()) {
      fail(name, "is missing");
    } else if (!fromJson(*field, value)) {
      fail(name, "has an unexpected type or value");
    }
  }

  void fail(const char *name, const char *what) {
    if (status.ok()) {
      status = absl::InvalidArgumentError(
          absl::StrCat("worker protocol: field '", name, "' ", what));
    }
  }

  const Json &object;
  absl::Status status;
};

/// A message inside a message.
template <typename T> bool fromJson(const Json &json, T &message) {
  if (!json.is_object()) {
    return false;
  }
  JsonReader reader(json);
  visit(reader, message);
  return reader.status.ok();
}

template <typename T> bool fromJson(const Json &json, std::vector<T> &values) {
  if (!json.is_array()) {
    return false;
  }
  values.clear();
  for (const Json &element : json) {
    T value{};
    if (!fromJson(element, value)) {
      return false;
    }
    values.push_back(std::move(value));
  }
  return true;
}

inline Json toJson(VerifyStatus value);
inline Json toJson(Residency value);
inline Json toJson(RunMode value);
template <typename T> Json toJson(const std::vector<T> &values);
template <typename T> Json toJson(const T &value);

/// Writes what JsonReader reads.
class JsonWriter {
public:
  template <typename T> void get(const char *name, const T &value) {
    object[name] = toJson(value);
  }

  Json object = Json::object();
};

inline Json toJson(VerifyStatus value) { return toString(value); }
inline Json toJson(Residency value) { return toString(value); }
inline Json toJson(RunMode value) { return toString(value); }

template <typename T> Json toJson(const std::vector<T> &values) {
  Json array = Json::array();
  for (const T &value : values) {
    array.push_back(toJson(value));
  }
  return array;
}

template <typename T> Json toJson(const T &value) {
  if constexpr (std::is_constructible_v<Json, const T &>) {
    return value;
  } else {
    JsonWriter writer;
    T copy = value;
    visit(writer, copy);
    return std::move(writer.object);
  }
}

} // namespace minic::runtime

#endif // MINIC_RUNTIME_MEASURE_PROTOCOLJSON_H
