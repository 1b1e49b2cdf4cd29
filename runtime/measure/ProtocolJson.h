// SPDX-License-Identifier: Apache-2.0
//
// ProtocolJson: values of protocol messages to JSON and back. What comes in is
// checked field by field; JSON's exceptions never leave here. Private to
// Protocol.cpp; visit() of ProtocolFields.h names the fields of each message.

#ifndef MINIC_RUNTIME_MEASURE_PROTOCOLJSON_H
#define MINIC_RUNTIME_MEASURE_PROTOCOLJSON_H

#include "runtime/measure/Protocol.h"

#include "absl/strings/str_cat.h"

#include "nlohmann/json.hpp"

namespace minic::runtime {

using Json = nlohmann::json;

/// Doubles of verification may be infinite or NaN, which JSON has no word for.
Json toJson(double value);
Json toJson(VerifyStatus value);
Json toJson(Residency value);
Json toJson(RunMode value);
Json toJson(ChangedPointers value);

// False where `json` is of another type or out of range.
bool fromJson(const Json &json, std::string &value);
bool fromJson(const Json &json, bool &value);
bool fromJson(const Json &json, double &value);
bool fromJson(const Json &json, uint64_t &value);
bool fromJson(const Json &json, int64_t &value);
bool fromJson(const Json &json, int &value);
bool fromJson(const Json &json, VerifyStatus &value);
bool fromJson(const Json &json, Residency &value);
bool fromJson(const Json &json, RunMode &value);
bool fromJson(const Json &json, ChangedPointers &value);
bool fromJson(const Json &json, std::map<std::string, std::string> &values);

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
