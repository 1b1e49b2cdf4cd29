// SPDX-License-Identifier: Apache-2.0
//
// Values that are no messages.

#include "runtime/measure/ProtocolJson.h"

#include <cmath>
#include <limits>

namespace minic::runtime {

Json toJson(double value) {
  if (std::isnan(value)) {
    return "nan";
  }
  if (std::isinf(value)) {
    return value > 0 ? "inf" : "-inf";
  }
  return value;
}

Json toJson(VerifyStatus value) { return toString(value); }
Json toJson(Residency value) { return toString(value); }
Json toJson(RunMode value) { return toString(value); }
Json toJson(ChangedPointers value) { return toString(value); }

bool fromJson(const Json &json, std::string &value) {
  if (!json.is_string()) {
    return false;
  }
  value = json.get<std::string>();
  return true;
}

bool fromJson(const Json &json, bool &value) {
  if (!json.is_boolean()) {
    return false;
  }
  value = json.get<bool>();
  return true;
}

bool fromJson(const Json &json, double &value) {
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

bool fromJson(const Json &json, uint64_t &value) {
  if (!json.is_number_unsigned()) {
    return false;
  }
  value = json.get<uint64_t>();
  return true;
}

bool fromJson(const Json &json, int64_t &value) {
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

bool fromJson(const Json &json, int &value) {
  int64_t wide = 0;
  if (!fromJson(json, wide) || wide < std::numeric_limits<int>::min() ||
      wide > std::numeric_limits<int>::max()) {
    return false;
  }
  value = int(wide);
  return true;
}

bool fromJson(const Json &json, std::map<std::string, std::string> &values) {
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
static bool fromJson(const Json &json, const Enum (&all)[count], Enum &value) {
  for (Enum one : all) {
    if (json == toString(one)) {
      value = one;
      return true;
    }
  }
  return false;
}

bool fromJson(const Json &json, VerifyStatus &value) {
  return fromJson(json,
                  {VerifyStatus::ok, VerifyStatus::wrong, VerifyStatus::error},
                  value);
}

bool fromJson(const Json &json, Residency &value) {
  return fromJson(json, {Residency::warm, Residency::cold}, value);
}

bool fromJson(const Json &json, RunMode &value) {
  return fromJson(json,
                  {RunMode::device, RunMode::stream, RunMode::graph,
                   RunMode::whenIdle, RunMode::streamCall, RunMode::graphCall,
                   RunMode::whenIdleCall},
                  value);
}

bool fromJson(const Json &json, ChangedPointers &value) {
  return fromJson(json,
                  {ChangedPointers::none, ChangedPointers::stage,
                   ChangedPointers::launch, ChangedPointers::update},
                  value);
}

} // namespace minic::runtime
