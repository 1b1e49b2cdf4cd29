// SPDX-License-Identifier: Apache-2.0
//
// Protocol: lines to structs and back: the names of all messages and fields.

#include "runtime/measure/ProtocolJson.h"

namespace minic::runtime {
// The fields of each message, once: `fields.get(name, member)` reads or writes.

template <typename F> void visit(F &fields, GpuFacts &facts) {
  fields.get("index", facts.index);
  fields.get("name", facts.name);
  fields.get("uuid", facts.uuid);
  fields.get("pci_bus_id", facts.pciBusId);
  fields.get("compute_major", facts.computeMajor);
  fields.get("compute_minor", facts.computeMinor);
  fields.get("sm_count", facts.smCount);
  fields.get("threads_per_sm", facts.threadsPerSm);
  fields.get("sm_clock_khz", facts.smClockKHz);
  fields.get("memory_clock_khz", facts.memoryClockKHz);
  fields.get("memory_bus_bits", facts.memoryBusBits);
  fields.get("memory_gbs", facts.memoryGBs);
  fields.get("l2_bytes", facts.l2Bytes);
  fields.get("memory_bytes", facts.memoryBytes);
  fields.get("shared_bytes_per_block", facts.sharedBytesPerBlock);
  fields.get("shared_bytes_per_sm", facts.sharedBytesPerSm);
  fields.get("registers_per_sm", facts.registersPerSm);
  fields.get("is_mig", facts.isMig);
}

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
  fields.get("gpus", facts.gpus);
  fields.get("gpu_problem", facts.gpuProblem);
  fields.get("is_gpu_broken", facts.isGpuBroken);
}

template <typename F> void visit(F &fields, LoadRequest &request) {
  fields.get("id", request.id);
  fields.get("path", request.path);
  fields.get("function", request.function);
  fields.get("threads", request.threads);
  fields.get("constants_seed", request.constantsSeed);
  fields.get("device", request.device);
}

template <typename F> void visit(F &fields, LoadReply &reply) {
  fields.get("microseconds", reply.microseconds);
  fields.get("threads", reply.threads);
  fields.get("arena_bytes", reply.arenaBytes);
  fields.get("flops", reply.flops);
  fields.get("calls_library", reply.callsLibrary);
}

template <typename F> void visit(F &fields, AlgorithmsRequest &request) {
  fields.get("id", request.id);
  fields.get("most", request.most);
  fields.get("scratch_limit", request.scratchLimit);
}

template <typename F> void visit(F &fields, AlgorithmReply &reply) {
  fields.get("algorithm", reply.algorithm);
  fields.get("name", reply.name);
  fields.get("scratch_bytes", reply.scratchBytes);
}

template <typename F> void visit(F &fields, AlgorithmsReply &reply) {
  fields.get("algorithms", reply.algorithms);
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
  fields.get("modes", request.modes);
}

template <typename F> void visit(F &fields, TimeReply &reply) {
  fields.get("microseconds", reply.microseconds);
  fields.get("sm_clock_mhz", reply.smClockMHz);
}

template <typename F> void visit(F &fields, UnloadRequest &request) {
  fields.get("id", request.id);
}

template <typename F> void visit(F &fields, DescribeRequest &request) {
  fields.get("gpus", request.gpus);
}

template <typename F> void visit(F &, QuitRequest &) {}
template <typename F> void visit(F &, DoneReply &) {}

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
  case RunMode::streamCall:
    return "stream-call";
  case RunMode::graphCall:
    return "graph-call";
  }
  return "?";
}

const char *nameOf(const Request &request) {
  return std::visit([](const auto &message) { return nameOf(message); },
                    request);
}

} // namespace minic::runtime
