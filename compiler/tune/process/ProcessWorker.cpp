// SPDX-License-Identifier: Apache-2.0
//
// One line out, one line in; everything else is the worker's end.

#include "compiler/tune/process/ProcessWorker.h"
#include "compiler/tune/process/Clock.h"
#include "compiler/tune/process/Interrupt.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"

#include <algorithm>

namespace minic::tune {

ProcessWorker::~ProcessWorker() = default;

/// True where `reply` is what `request` asks for.
static bool answers(const runtime::Request &request,
                    const runtime::Reply &reply) {
  struct {
    const runtime::Reply &reply;
    bool operator()(const runtime::DescribeRequest &) {
      return std::holds_alternative<runtime::DeviceFacts>(reply);
    }
    bool operator()(const runtime::LoadRequest &) {
      return std::holds_alternative<runtime::LoadReply>(reply);
    }
    bool operator()(const runtime::AlgorithmsRequest &) {
      return std::holds_alternative<runtime::AlgorithmsReply>(reply);
    }
    bool operator()(const runtime::VerifyRequest &) {
      return std::holds_alternative<runtime::VerifyReply>(reply);
    }
    bool operator()(const runtime::TimeRequest &) {
      return std::holds_alternative<runtime::TimeReply>(reply);
    }
    bool operator()(const runtime::UnloadRequest &) {
      return std::holds_alternative<runtime::DoneReply>(reply);
    }
    bool operator()(const runtime::QuitRequest &) {
      return std::holds_alternative<runtime::DoneReply>(reply);
    }
  } visitor{reply};
  return std::visit(visitor, request);
}

std::string describeCosts(const RequestCosts &after,
                          const RequestCosts &before) {
  std::vector<std::pair<std::string, RequestCost>> costs;
  for (const auto &[name, cost] : after) {
    auto it = before.find(name);
    RequestCost known = it == before.end() ? RequestCost() : it->second;
    if (cost.count > known.count) {
      costs.push_back(
          {name, {cost.seconds - known.seconds, cost.count - known.count}});
    }
  }
  std::sort(costs.begin(), costs.end(), [](auto &a, auto &b) {
    return a.second.seconds > b.second.seconds;
  });
  return absl::StrJoin(costs, ", ", [](std::string *out, const auto &entry) {
    const auto &[name, cost] = entry;
    absl::StrAppendFormat(out, "%s %.1f s in %d", name, cost.seconds,
                          cost.count);
  });
}

WorkerAnswer ProcessWorker::ask(const runtime::Request &request,
                                double timeoutSeconds) {
  SteadyClock clock;
  double begun = clock.now();
  WorkerAnswer answer = exchange(request, timeoutSeconds);
  RequestCost &cost = requestCosts[runtime::nameOf(request)];
  cost.seconds += clock.now() - begun;
  ++cost.count;
  return answer;
}

WorkerAnswer ProcessWorker::exchange(const runtime::Request &request,
                                     double timeoutSeconds) {
  WorkerAnswer answer;
  if (!process) {
    absl::StatusOr<std::unique_ptr<Subprocess>> started =
        Subprocess::spawn(command);
    if (!started.ok()) {
      answer.detail = std::string(started.status().message());
      return answer;
    }
    process = *std::move(started);
  }
  process->send(runtime::encode(request));
  std::string line;
  Subprocess::Event event;
  double waited = 0;
  do {
    // In slices, because an interrupt ends the wait without an event.
    double slice = std::min(0.25, timeoutSeconds - waited);
    event = process->receive(line, slice);
    waited += slice;
  } while (event == Subprocess::Event::Timeout && waited < timeoutSeconds &&
           !interrupted());
  if (event == Subprocess::Event::Timeout) {
    process.reset();
    answer.fate = WorkerAnswer::Fate::Hung;
    answer.detail = absl::StrCat("no answer in ", timeoutSeconds, " s");
    return answer;
  }
  if (event == Subprocess::Event::Ended) {
    answer.detail = process->describeEnd();
    process.reset();
    // One that never said a word is not a candidate's doing.
    bool starts = everAnswered ||
                  !std::holds_alternative<runtime::DescribeRequest>(request);
    answer.fate =
        starts ? WorkerAnswer::Fate::Crashed : WorkerAnswer::Fate::Missing;
    return answer;
  }
  absl::StatusOr<runtime::Reply> reply = runtime::decodeReply(line);
  if (reply.ok()) {
    if (auto *error = std::get_if<runtime::ErrorReply>(&*reply)) {
      everAnswered = true;
      answer.fate = WorkerAnswer::Fate::Refused;
      answer.detail = std::string(error->status.message());
      answer.isMachines = absl::IsFailedPrecondition(error->status) ||
                          absl::IsResourceExhausted(error->status) ||
                          absl::IsUnimplemented(error->status);
      if (error->isFatal) {
        process.reset();
        answer.fate = WorkerAnswer::Fate::Crashed;
      }
      return answer;
    }
  }
  if (!reply.ok() || !answers(request, *reply)) {
    process.reset();
    answer.fate = everAnswered ? WorkerAnswer::Fate::Crashed
                               : WorkerAnswer::Fate::Missing;
    answer.detail = absl::StrCat("'", command[0],
                                 "' does not speak this version's "
                                 "protocol: answered '",
                                 line.substr(0, 80), "'");
    return answer;
  }
  everAnswered = true;
  answer.fate = WorkerAnswer::Fate::Answered;
  answer.reply = *std::move(reply);
  return answer;
}

} // namespace minic::tune
