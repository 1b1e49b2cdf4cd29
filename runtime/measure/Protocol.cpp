// SPDX-License-Identifier: Apache-2.0
//
// Protocol: lines to structs and back, and the names of all messages.

#include "runtime/measure/ProtocolFields.h"
#include "runtime/measure/ProtocolJson.h"

namespace minic::runtime {

namespace {

const char *nameOf(const DescribeRequest &) { return "describe"; }
const char *nameOf(const LoadRequest &) { return "load"; }
const char *nameOf(const AlgorithmsRequest &) { return "algorithms"; }
const char *nameOf(const VerifyRequest &) { return "verify"; }
const char *nameOf(const TimeRequest &) { return "time"; }
const char *nameOf(const UnloadRequest &) { return "unload"; }
const char *nameOf(const QuitRequest &) { return "quit"; }
const char *nameOf(const DeviceFacts &) { return "device"; }
const char *nameOf(const LoadReply &) { return "loaded"; }
const char *nameOf(const AlgorithmsReply &) { return "algorithms"; }
const char *nameOf(const VerifyReply &) { return "verified"; }
const char *nameOf(const TimeReply &) { return "timed"; }
const char *nameOf(const DoneReply &) { return "done"; }

std::string dump(const Json &json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// {"request": "load", ...}
template <typename T> Json toObject(const char *tag, const T &message) {
  Json object = toJson(message);
  object[tag] = nameOf(message);
  return object;
}

/// Parses a line and finds its tag ("request" or "reply").
absl::Status parse(const std::string &line, const char *tag, Json &object,
                   std::string &name) {
  object = Json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!object.is_object()) {
    return absl::InvalidArgumentError(
        "worker protocol: expected a JSON object on one line");
  }
  JsonReader fields(object);
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
  JsonReader fields(object);
  visit(fields, message);
  if (fields.status.ok()) {
    result = Message(std::move(message));
  } else {
    result = fields.status;
  }
  return true;
}

absl::StatusOr<Reply> decodeError(const Json &object) {
  JsonReader fields(object);
  int code = 0;
  std::string message;
  ErrorReply reply;
  fields.get("code", code);
  fields.get("message", message);
  fields.get("is_fatal", reply.isFatal);
  if (fields.status.ok() &&
      (code <= 0 || code > int(absl::StatusCode::kUnauthenticated))) {
    fields.fail("code", "is not a status code");
  }
  if (!fields.status.ok()) {
    return fields.status;
  }
  reply.status = absl::Status(absl::StatusCode(code), message);
  return Reply(reply);
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
                     {"is_fatal", error->isFatal},
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
      decodeAs<Request, AlgorithmsRequest>(object, name, result) ||
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
      decodeAs<Reply, AlgorithmsReply>(object, name, result) ||
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

const char *toString(RunMode mode) {
  switch (mode) {
  case RunMode::device:
    return "device";
  case RunMode::stream:
    return "stream";
  case RunMode::graph:
    return "graph";
  case RunMode::whenIdle:
    return "when-idle";
  case RunMode::streamCall:
    return "stream-call";
  case RunMode::graphCall:
    return "graph-call";
  case RunMode::whenIdleCall:
    return "when-idle-call";
  }
  return "?";
}

const char *toString(ChangedPointers changes) {
  switch (changes) {
  case ChangedPointers::none:
    return "none";
  case ChangedPointers::stage:
    return "stage";
  case ChangedPointers::launch:
    return "launch";
  case ChangedPointers::update:
    return "update";
  }
  return "?";
}

const char *nameOf(const Request &request) {
  return std::visit([](const auto &message) { return nameOf(message); },
                    request);
}

} // namespace minic::runtime
