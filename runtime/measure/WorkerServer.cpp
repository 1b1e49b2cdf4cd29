// SPDX-License-Identifier: Apache-2.0
//
// WorkerServer: one handler per request.

#include "runtime/measure/WorkerServer.h"

#include "runtime/measure/DescribeDevice.h"
#include "runtime/measure/RandomConstants.h"
#include "runtime/measure/TimedFunction.h"
#include "runtime/measure/Verify.h"

#include "absl/strings/str_cat.h"

#include <cerrno>
#include <chrono>
#include <map>
#include <optional>
#include <unistd.h>

namespace minic::runtime {
namespace {

struct Loaded {
  std::shared_ptr<const Program> program;
  std::optional<TimedFunction> timed; // made when first timed
  /// What it computes for `trustedSeed`, made when first trusted.
  std::optional<OutputValues> trusted;
  uint64_t trustedSeed = 0;
};

bool writeLine(int fd, std::string line) {
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

} // namespace

struct WorkerServer::Impl {
  std::map<std::string, Loaded> loaded;
  std::optional<DeviceFacts> facts;
  std::optional<CacheEvictor> evictor;

  absl::StatusOr<Loaded *> find(const std::string &id) {
    auto entry = loaded.find(id);
    if (entry == loaded.end()) {
      return absl::NotFoundError(
          absl::StrCat("nothing is loaded as '", id, "'"));
    }
    return &entry->second;
  }

  const DeviceFacts &deviceFacts() {
    if (!facts) {
      facts = describeDevice();
    }
    return *facts;
  }

  absl::StatusOr<CacheEvictor *> findEvictor() {
    if (!evictor) {
      absl::StatusOr<CacheEvictor> created =
          CacheEvictor::create(lastLevelCacheBytes(deviceFacts()));
      if (!created.ok()) {
        return created.status();
      }
      evictor = std::move(*created);
    }
    return &*evictor;
  }

  absl::StatusOr<Reply> handle(const DescribeRequest &) {
    return Reply(deviceFacts());
  }

  absl::StatusOr<Reply> handle(const LoadRequest &request) {
    if (loaded.count(request.id) != 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("'", request.id, "' is loaded already"));
    }
    ProgramOptions options;
    options.function = request.function;
    options.threads = request.threads;
    options.constants = randomConstants(request.constantsSeed);
    auto start = std::chrono::steady_clock::now();
    absl::StatusOr<std::shared_ptr<const Program>> program =
        Program::load(request.path, options);
    if (!program.ok()) {
      return program.status();
    }
    LoadReply reply;
    reply.microseconds = std::chrono::duration<double, std::micro>(
                             std::chrono::steady_clock::now() - start)
                             .count();
    reply.threads = (*program)->threads();
    reply.arenaBytes = (*program)->arenaBytes();
    reply.flops = (*program)->flops();
    reply.callsLibrary = (*program)->callsLibrary();
    loaded[request.id].program = std::move(*program);
    return Reply(reply);
  }

  absl::StatusOr<const OutputValues *> trustedOutputs(const std::string &id,
                                                      uint64_t seed) {
    absl::StatusOr<Loaded *> entry = find(id);
    if (!entry.ok()) {
      return entry.status();
    }
    Loaded &trusted = **entry;
    if (!trusted.trusted || trusted.trustedSeed != seed) {
      absl::StatusOr<OutputValues> values =
          computeOutputs(subjectOf(trusted.program), seed);
      if (!values.ok()) {
        return values.status();
      }
      trusted.trusted = std::move(*values);
      trusted.trustedSeed = seed;
    }
    return &*trusted.trusted;
  }

  absl::StatusOr<Reply> handle(const VerifyRequest &request) {
    absl::StatusOr<Loaded *> entry = find(request.id);
    if (!entry.ok()) {
      return entry.status();
    }
    absl::StatusOr<std::vector<ExpectedOutput>> expected =
        readExpectedOutputs(request.expectedPath);
    if (!expected.ok()) {
      return expected.status();
    }
    const OutputValues *trusted = nullptr;
    if (!request.trustedId.empty()) {
      absl::StatusOr<const OutputValues *> values =
          trustedOutputs(request.trustedId, request.seed);
      if (!values.ok()) {
        return values.status();
      }
      trusted = *values;
    }
    absl::StatusOr<VerifyReply> reply =
        verify(subjectOf((*entry)->program), request.seed, *expected, trusted);
    if (!reply.ok()) {
      return reply.status();
    }
    return Reply(*reply);
  }

  absl::StatusOr<Reply> handle(const TimeRequest &request) {
    if (request.ids.size() != request.iterations.size()) {
      return absl::InvalidArgumentError(
          absl::StrCat("time: ", request.ids.size(), " ids but ",
                       request.iterations.size(), " iterations"));
    }
    CacheEvictor *cold = nullptr;
    if (request.residency == Residency::cold) {
      absl::StatusOr<CacheEvictor *> found = findEvictor();
      if (!found.ok()) {
        return found.status();
      }
      cold = *found;
    }
    // All are made ready before the first is timed.
    std::vector<TimedFunction *> functions;
    for (size_t i = 0; i < request.ids.size(); ++i) {
      absl::StatusOr<Loaded *> entry = find(request.ids[i]);
      if (!entry.ok()) {
        return entry.status();
      }
      if (request.iterations[i] < 1) {
        return absl::InvalidArgumentError(
            absl::StrCat("time: '", request.ids[i], "' has no iterations"));
      }
      if (!(*entry)->timed) {
        absl::StatusOr<TimedFunction> timed =
            TimedFunction::create((*entry)->program);
        if (!timed.ok()) {
          return timed.status();
        }
        (*entry)->timed = std::move(*timed);
      }
      functions.push_back(&*(*entry)->timed);
    }
    TimeReply reply;
    for (size_t i = 0; i < functions.size(); ++i) {
      absl::StatusOr<double> sample =
          functions[i]->sample(request.iterations[i], cold);
      if (!sample.ok()) {
        return sample.status();
      }
      reply.microseconds.push_back(*sample);
    }
    return Reply(reply);
  }

  absl::StatusOr<Reply> handle(const UnloadRequest &request) {
    if (loaded.erase(request.id) == 0) {
      return find(request.id).status();
    }
    return Reply(DoneReply{});
  }

  absl::StatusOr<Reply> handle(const QuitRequest &) {
    return Reply(DoneReply{});
  }
};

WorkerServer::WorkerServer() : impl_(std::make_unique<Impl>()) {}
WorkerServer::~WorkerServer() = default;

Reply WorkerServer::handle(const Request &request) {
  absl::StatusOr<Reply> reply = std::visit(
      [&](const auto &message) { return impl_->handle(message); }, request);
  return reply.ok() ? *std::move(reply) : Reply(ErrorReply{reply.status()});
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
    if (!writeLine(outputFd, encode(reply)) ||
        (request.ok() && std::holds_alternative<QuitRequest>(*request))) {
      return 0;
    }
  }
}

} // namespace minic::runtime
