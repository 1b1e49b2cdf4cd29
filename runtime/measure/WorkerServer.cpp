// SPDX-License-Identifier: Apache-2.0
//
// WorkerServer: one handler per request.

#include "runtime/measure/WorkerServer.h"

#include "runtime/measure/ExpectedOutputsCache.h"
#include "runtime/measure/JoinCost.h"
#include "runtime/measure/RoundTimer.h"

#include <algorithm>
#include <cerrno>
#include <unistd.h>

namespace minic::runtime {

/// `result` as what answers a request.
template <typename T>
static absl::StatusOr<Reply> replyOf(absl::StatusOr<T> result) {
  if (!result.ok()) {
    return result.status();
  }
  return Reply(*std::move(result));
}

struct WorkerServer::Impl {
  LoadedFunctions functions;
  MachineFacts facts;
  RoundTimer timer{functions, facts};
  ExpectedOutputsCache expectedOutputs;
  VerifyCache verifyCache;

  absl::StatusOr<Reply> handle(const DescribeRequest &request) {
    DeviceFacts described = facts.get(request.gpus);
    described.joinUs = measureJoinUs(request.teamThreads).value_or(0);
    return Reply(std::move(described));
  }

  absl::StatusOr<Reply> handle(const LoadRequest &request) {
    return replyOf(functions.load(request));
  }

  absl::StatusOr<Reply> handle(const AlgorithmsRequest &request) {
    absl::StatusOr<LoadedFunction *> entry = functions.find(request.id);
    if (!entry.ok()) {
      return entry.status();
    }
    absl::StatusOr<std::vector<LibraryAlgorithm>> algorithms =
        (*entry)->program->executable().algorithms(
            int(std::clamp<int64_t>(request.most, 1, 1000)),
            request.scratchLimit);
    if (!algorithms.ok()) {
      return algorithms.status();
    }
    AlgorithmsReply reply;
    for (LibraryAlgorithm &algorithm : *algorithms) {
      reply.algorithms.push_back({std::move(algorithm.algorithm),
                                  std::move(algorithm.name),
                                  algorithm.scratchBytes});
    }
    return Reply(std::move(reply));
  }

  absl::StatusOr<Reply> handle(const VerifyRequest &request) {
    absl::StatusOr<LoadedFunction *> entry = functions.find(request.id);
    if (!entry.ok()) {
      return entry.status();
    }
    absl::StatusOr<const std::vector<ExpectedOutput> *> expected =
        expectedOutputs.read(request.expectedPath);
    if (!expected.ok()) {
      return expected.status();
    }
    const OutputValues *trusted = nullptr;
    if (!request.trustedId.empty()) {
      absl::StatusOr<LoadedFunction *> other =
          functions.find(request.trustedId);
      if (!other.ok()) {
        return other.status();
      }
      absl::StatusOr<const OutputValues *> values =
          (*other)->trustedOutputs(request.seed, verifyCache);
      if (!values.ok()) {
        return values.status();
      }
      trusted = *values;
    }
    return replyOf(verify(subjectOf((*entry)->program), request.seed,
                          **expected, trusted, verifyCache));
  }

  absl::StatusOr<Reply> handle(const TimeRequest &request) {
    return replyOf(timer.time(request));
  }

  absl::StatusOr<Reply> handle(const UnloadRequest &request) {
    absl::Status status = functions.unload(request.id);
    if (!status.ok()) {
      return status;
    }
    return Reply(DoneReply{});
  }

  absl::StatusOr<Reply> handle(const QuitRequest &) {
    return Reply(DoneReply{});
  }

  /// Whether what `request` ran took the device with it.
  bool isDeviceLost(const Request &request) const {
    return (std::holds_alternative<VerifyRequest>(request) ||
            std::holds_alternative<TimeRequest>(request)) &&
           functions.isDeviceLost();
  }
};

WorkerServer::WorkerServer() : impl_(std::make_unique<Impl>()) {}
WorkerServer::~WorkerServer() = default;

Reply WorkerServer::handle(const Request &request) {
  absl::StatusOr<Reply> reply = std::visit(
      [&](const auto &message) { return impl_->handle(message); }, request);
  if (!reply.ok()) {
    return ErrorReply{reply.status(), impl_->isDeviceLost(request)};
  }
  // What a kernel did may come to light as a failed verification.
  if (const auto *verified = std::get_if<VerifyReply>(&*reply);
      verified && verified->status == VerifyStatus::error &&
      impl_->isDeviceLost(request)) {
    return ErrorReply{absl::InternalError(verified->detail), true};
  }
  return *std::move(reply);
}

static bool writeLine(int fd, std::string line) {
  line += '\n';
  absl::string_view rest = line;
  while (!rest.empty()) {
    ssize_t written = ::write(fd, rest.data(), rest.size());
    if (written >= 0) {
      rest.remove_prefix(size_t(written));
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

int WorkerServer::serve(int inputFd, int outputFd) {
  std::string pending;
  char buffer[4096];
  while (true) {
    size_t end = pending.find('\n');
    if (end == std::string::npos) {
      ssize_t got = ::read(inputFd, buffer, sizeof(buffer));
      if (got > 0) {
        pending.append(buffer, size_t(got));
      } else if (got == 0 || errno != EINTR) {
        return 0;
      }
      continue;
    }
    absl::StatusOr<Request> request = decodeRequest(pending.substr(0, end));
    pending.erase(0, end + 1);
    Reply reply =
        request.ok() ? handle(*request) : Reply(ErrorReply{request.status()});
    const auto *error = std::get_if<ErrorReply>(&reply);
    if (!writeLine(outputFd, encode(reply)) || (error && error->isFatal) ||
        (request.ok() && std::holds_alternative<QuitRequest>(*request))) {
      return 0;
    }
  }
}

} // namespace minic::runtime
