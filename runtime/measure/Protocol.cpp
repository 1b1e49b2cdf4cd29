// SPDX-License-Identifier: Apache-2.0
//
// Protocol: lines to structs and back, over nlohmann's JSON. What comes in is
// checked field by field; JSON's exceptions never leave this file.

#include "runtime/measure/Protocol.h"

#include "absl/strings/str_cat.h"

#include "nlohmann/json.hpp"

#include <cmath>
#include <limits>

namespace minic::runtime {
namespace {

using Json = nlohmann::json;

/// Doubles of verification may be infinite or NaN, which JSON has no word for.
Json toJson(double value) {
  if (std::isnan(value)) {
    return "nan";
  }
  if (std::isinf(value)) {
    return value > 0 ? "inf" : "-inf";
  }
  return value;
}

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

bool fromJson(const Json &json, VerifyStatus &value) {
  for (VerifyStatus status :
       {VerifyStatus::ok, VerifyStatus::wrong, VerifyStatus::error}) {
    if (json == toString(status)) {
      value = status;
      return true;
    }
  }
  return false;
}

bool fromJson(const Json &json, Residency &value) {
  for (Residency residency : {Residency::warm, Residency::cold}) {
    if (json == toString(residency)) {
      value = residency;
      return true;
    }
  }
  return false;
}

/// Reads the fields of one JSON object and remembers the first that is wrong.
class Fields {
public:
  explicit Fields(const Json &object) : object(object) {}

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

// The fields of each message, once: `fields.get(name, member)` reads, or, with
// Writer below, writes.

template <typename F> void visit(F &fields, DeviceFacts &facts) {
  fields.get("name", facts.name);
  fields.get("vendor", facts.vendor);
  fields.get("family", facts.family);
  fields.get("model", facts.model);
  fields.get("stepping", facts.stepping);
  fields.get("features", facts.features);
  fields.get("l1_bytes", facts.l1Bytes);
  fields.get("l2_bytes", facts.l2Bytes);
  fields.get("l3_bytes", facts.l3Bytes);
  fields.get("cores", facts.cores);
  fields.get("libraries", facts.libraries);
}

template <typename F> void visit(F &fields, LoadRequest &request) {
  fields.get("id", request.id);
  fields.get("path", request.path);
  fields.get("function", request.function);
  fields.get("threads", request.threads);
  fields.get("constants_seed", request.constantsSeed);
}

template <typename F> void visit(F &fields, LoadReply &reply) {
  fields.get("microseconds", reply.microseconds);
  fields.get("threads", reply.threads);
  fields.get("arena_bytes", reply.arenaBytes);
  fields.get("flops", reply.flops);
  fields.get("calls_library", reply.callsLibrary);
}

template <typename F> void visit(F &fields, VerifyRequest &request) {
  fields.get("id", request.id);
  fields.get("seed", request.seed);
  fields.get("expected_path", request.expectedPath);
  fields.get("trusted_id", request.trustedId);
}

template <typename F> void visit(F &fields, VerifyReply &reply) {
  fields.get("status", reply.status);
  fields.get("worst", reply.worst);
  fields.get("max_absolute_error", reply.maxAbsoluteError);
  fields.get("max_relative_error", reply.maxRelativeError);
  fields.get("deterministic", reply.deterministic);
  fields.get("detail", reply.detail);
}

template <typename F> void visit(F &fields, TimeRequest &request) {
  fields.get("ids", request.ids);
  fields.get("iterations", request.iterations);
  fields.get("residency", request.residency);
}

template <typename F> void visit(F &fields, TimeReply &reply) {
  fields.get("microseconds", reply.microseconds);
}

template <typename F> void visit(F &fields, UnloadRequest &request) {
  fields.get("id", request.id);
}

template <typename F> void visit(F &, DescribeRequest &) {}
template <typename F> void visit(F &, QuitRequest &) {}
template <typename F> void visit(F &, DoneReply &) {}

class Writer {
public:
  void get(const char *name, double value) { object[name] = toJson(value); }
  void get(const char *name, const std::vector<double> &values) {
    Json &array = object[name] = Json::array();
    for (double value : values) {
      array.push_back(toJson(value));
    }
  }
  void get(const char *name, VerifyStatus value) {
    object[name] = toString(value);
  }
  void get(const char *name, Residency value) {
    object[name] = toString(value);
  }
  template <typename T> void get(const char *name, const T &value) {
    object[name] = value;
  }

  Json object = Json::object();
};

const char *nameOf(const DescribeRequest &) { return "describe"; }
const char *nameOf(const LoadRequest &) { return "load"; }
const char *nameOf(const VerifyRequest &) { return "verify"; }
const char *nameOf(const TimeRequest &) { return "time"; }
const char *nameOf(const UnloadRequest &) { return "unload"; }
const char *nameOf(const QuitRequest &) { return "quit"; }
const char *nameOf(const DeviceFacts &) { return "device"; }
const char *nameOf(const LoadReply &) { return "loaded"; }
const char *nameOf(const VerifyReply &) { return "verified"; }
const char *nameOf(const TimeReply &) { return "timed"; }
const char *nameOf(const DoneReply &) { return "done"; }

std::string dump(const Json &json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// {"request": "load", ...}
template <typename T> Json toObject(const char *tag, const T &message) {
  Writer writer;
  T copy = message;
  visit(writer, copy);
  writer.object[tag] = nameOf(message);
  return std::move(writer.object);
}

/// Parses a line and finds its tag ("request" or "reply").
absl::Status parse(const std::string &line, const char *tag, Json &object,
                   std::string &name) {
  object = Json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!object.is_object()) {
    return absl::InvalidArgumentError(
        "worker protocol: expected a JSON object on one line");
  }
  Fields fields(object);
  fields.get(tag, name);
  return fields.status;
}

/// Tries the alternatives of `Message` in turn, by name.
template <typename Message, typename T>
bool decodeAs(const Json &object, const std::string &name,
              absl::StatusOr<Message> &result) {
  T message;
  if (name != nameOf(message)) {
    return false;
  }
  Fields fields(object);
  visit(fields, message);
  if (fields.status.ok()) {
    result = Message(std::move(message));
  } else {
    result = fields.status;
  }
  return true;
}

absl::StatusOr<Reply> decodeError(const Json &object) {
  Fields fields(object);
  int code = 0;
  std::string message;
  fields.get("code", code);
  fields.get("message", message);
  if (fields.status.ok() &&
      (code <= 0 || code > int(absl::StatusCode::kUnauthenticated))) {
    fields.fail("code", "is not a status code");
  }
  if (!fields.status.ok()) {
    return fields.status;
  }
  return Reply(ErrorReply{absl::Status(absl::StatusCode(code), message)});
}

} // namespace

std::string encode(const Request &request) {
  return std::visit(
      [](const auto &message) { return dump(toObject("request", message)); },
      request);
}

std::string encode(const Reply &reply) {
  if (const auto *error = std::get_if<ErrorReply>(&reply)) {
    return dump(Json{{"reply", "error"},
                     {"code", error->status.raw_code()},
                     {"message", std::string(error->status.message())}});
  }
  return std::visit(
      [](const auto &message) -> std::string {
        if constexpr (std::is_same_v<std::decay_t<decltype(message)>,
                                     ErrorReply>) {
          return {};
        } else {
          return dump(toObject("reply", message));
        }
      },
      reply);
}

absl::StatusOr<Request> decodeRequest(const std::string &line) {
  Json object;
  std::string name;
  if (absl::Status status = parse(line, "request", object, name);
      !status.ok()) {
    return status;
  }
  absl::StatusOr<Request> result = absl::InvalidArgumentError(
      absl::StrCat("worker protocol: unknown request '", name, "'"));
  decodeAs<Request, DescribeRequest>(object, name, result) ||
      decodeAs<Request, LoadRequest>(object, name, result) ||
      decodeAs<Request, VerifyRequest>(object, name, result) ||
      decodeAs<Request, TimeRequest>(object, name, result) ||
      decodeAs<Request, UnloadRequest>(object, name, result) ||
      decodeAs<Request, QuitRequest>(object, name, result);
  return result;
}

absl::StatusOr<Reply> decodeReply(const std::string &line) {
  Json object;
  std::string name;
  if (absl::Status status = parse(line, "reply", object, name); !status.ok()) {
    return status;
  }
  if (name == "error") {
    return decodeError(object);
  }
  absl::StatusOr<Reply> result = absl::InvalidArgumentError(
      absl::StrCat("worker protocol: unknown reply '", name, "'"));
  decodeAs<Reply, DeviceFacts>(object, name, result) ||
      decodeAs<Reply, LoadReply>(object, name, result) ||
      decodeAs<Reply, VerifyReply>(object, name, result) ||
      decodeAs<Reply, TimeReply>(object, name, result) ||
      decodeAs<Reply, DoneReply>(object, name, result);
  return result;
}

const char *toString(VerifyStatus status) {
  switch (status) {
  case VerifyStatus::ok:
    return "ok";
  case VerifyStatus::wrong:
    return "wrong";
  case VerifyStatus::error:
    return "error";
  }
  return "?";
}

const char *toString(Residency residency) {
  switch (residency) {
  case Residency::warm:
    return "warm";
  case Residency::cold:
    return "cold";
  }
  return "?";
}

} // namespace minic::runtime
