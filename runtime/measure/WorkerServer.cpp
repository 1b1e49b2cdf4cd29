// SPDX-License-Identifier: Apache-2.0
//
// WorkerServer: one handler per request.

#include "runtime/measure/WorkerServer.h"

#include "runtime/measure/DescribeDevice.h"
#include "runtime/measure/DescribeGpus.h"
#include "runtime/measure/GpuClock.h"
#include "runtime/measure/RandomConstants.h"
#include "runtime/measure/TimedFunction.h"
#include "runtime/measure/TimedGpuFunction.h"
#include "runtime/measure/Verify.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <map>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>

namespace minic::runtime {
namespace {

struct Loaded {
  std::shared_ptr<const Program> program;
  /// Made when first timed: the one for this program's place.
  std::optional<TimedFunction> timed;
  std::unique_ptr<TimedGpuFunction> timedGpu;
  /// What it computes for `trustedSeed`, made when first trusted.
  std::optional<OutputValues> trusted;
  uint64_t trustedSeed = 0;
};

bool isOnGpu(const Loaded &loaded) {
  return !loaded.program->executable().memory().isHost();
}

/// Whether the device answers nothing any more, as after an illegal address.
bool isLost(const Loaded &loaded) {
  if (!isOnGpu(loaded)) {
    return false;
  }
  const DeviceMemory &memory = loaded.program->executable().memory();
  absl::StatusOr<DeviceBuffer> probe = DeviceBuffer::create(memory, 256);
  if (!probe.ok()) {
    return !absl::IsResourceExhausted(probe.status());
  }
  std::byte byte;
  return !memory.fill(probe->data(), 0, 256).ok() ||
         !memory.copyOut(&byte, probe->data(), 1).ok();
}

/// Differs for another file and for another content; empty where there is none.
std::string fileKey(const std::string &path) {
  struct stat file;
  if (::stat(path.c_str(), &file) != 0) {
    return "";
  }
  return absl::StrCat(path, " ", file.st_dev, " ", file.st_ino, " ",
                      file.st_size, " ", file.st_mtim.tv_sec, ".",
                      file.st_mtim.tv_nsec);
}

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

/// A candidate's call is made when the library's algorithms are listed, when
/// it is verified, and again when it is among the last few: enough for the
/// algorithms of several problems, little beside what candidates take.
static constexpr size_t mostSpares = 64;

struct WorkerServer::Impl {
  const std::shared_ptr<SparePool> libraryParts =
      std::make_shared<SparePool>(mostSpares);
  std::map<std::string, Loaded> loaded;
  ConstantCache constants{uint64_t(1) << 30};
  std::optional<DeviceFacts> facts;
  std::optional<CacheEvictor> evictor;
  bool gpusDescribed = false;
  /// By index of the GPU: of the last function there.
  std::map<int, std::shared_ptr<const RotatedOperands>> operands;
  std::map<int, std::shared_ptr<SpareBuffer>> spares;
  std::map<int, GpuClock> clocks;
  /// The last file that a verification named: all candidates of a problem are
  /// compared with one.
  std::string expectedKey;
  std::vector<ExpectedOutput> expected;

  absl::StatusOr<const std::vector<ExpectedOutput> *>
  expectedOutputs(const std::string &path) {
    std::string key = fileKey(path);
    if (key.empty() || key != expectedKey) {
      expectedKey.clear();
      absl::StatusOr<std::vector<ExpectedOutput>> read =
          readExpectedOutputs(path);
      if (!read.ok()) {
        return read.status();
      }
      expected = *std::move(read);
      expectedKey = key;
    }
    return &expected;
  }

  absl::StatusOr<Loaded *> find(const std::string &id) {
    auto entry = loaded.find(id);
    if (entry == loaded.end()) {
      return absl::NotFoundError(
          absl::StrCat("nothing is loaded as '", id, "'"));
    }
    return &entry->second;
  }

  const DeviceFacts &deviceFacts(bool gpus = false) {
    if (!facts) {
      facts = describeDevice();
    }
    if (gpus && !gpusDescribed) {
      describeGpus(*facts);
      gpusDescribed = true;
    }
    return *facts;
  }

  const GpuFacts *findGpu(const Loaded &entry) {
    for (const GpuFacts &gpu : deviceFacts(/*gpus=*/true).gpus) {
      if (gpu.index == entry.program->place().index) {
        return &gpu;
      }
    }
    return nullptr;
  }

  double smClockMHz(const Loaded &entry) {
    const GpuFacts *gpu = findGpu(entry);
    if (!gpu) {
      return 0;
    }
    return clocks.try_emplace(gpu->index, gpu->uuid).first->second.smMHz();
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

  absl::StatusOr<Reply> handle(const DescribeRequest &request) {
    return Reply(deviceFacts(request.gpus));
  }

  absl::StatusOr<Reply> handle(const LoadRequest &request) {
    if (loaded.count(request.id) != 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("'", request.id, "' is loaded already"));
    }
    ProgramOptions options;
    options.function = request.function;
    options.threads = request.threads;
    options.device = request.device;
    options.spares = libraryParts;
    options.constants = constants.provider(request.constantsSeed);
    auto start = std::chrono::steady_clock::now();
    absl::StatusOr<std::shared_ptr<const Program>> program =
        Program::load(request.path, options);
    if (!program.ok()) {
      // The file is the parent's own and says nothing to people.
      absl::string_view message = program.status().message();
      absl::ConsumePrefix(&message, absl::StrCat("'", request.path, "': "));
      return absl::Status(program.status().code(), message);
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

  absl::StatusOr<Reply> handle(const AlgorithmsRequest &request) {
    absl::StatusOr<Loaded *> entry = find(request.id);
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
    absl::StatusOr<const std::vector<ExpectedOutput> *> expected =
        expectedOutputs(request.expectedPath);
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
        verify(subjectOf((*entry)->program), request.seed, **expected, trusted);
    if (!reply.ok()) {
      return reply.status();
    }
    return Reply(*reply);
  }

  /// Makes ready to be timed.
  absl::Status prepare(Loaded &entry, Residency residency) {
    if (!isOnGpu(entry)) {
      if (entry.timed) {
        return absl::OkStatus();
      }
      absl::StatusOr<TimedFunction> timed =
          TimedFunction::create(entry.program);
      if (timed.ok()) {
        entry.timed = *std::move(timed);
      }
      return timed.status();
    }
    if (entry.timedGpu && entry.timedGpu->residency() == residency) {
      return absl::OkStatus();
    }
    TimedGpuFunction::Options options;
    options.residency = residency;
    const GpuFacts *gpu = findGpu(entry);
    options.cacheBytes = gpu ? uint64_t(gpu->l2Bytes) : 0;
    options.operands = &operands[entry.program->place().index];
    if (auto &spare = spares[entry.program->place().index]) {
      options.spare = spare;
    } else {
      spare = options.spare;
    }
    entry.timedGpu.reset();
    absl::StatusOr<std::unique_ptr<TimedGpuFunction>> timed =
        TimedGpuFunction::create(entry.program, options);
    if (timed.ok()) {
      entry.timedGpu = *std::move(timed);
    }
    return timed.status();
  }

  absl::StatusOr<double> sample(Loaded &entry, int64_t iterations,
                                Residency residency, RunMode mode) {
    if (entry.timedGpu) {
      return entry.timedGpu->sample(iterations, mode);
    }
    if (mode != RunMode::device) {
      return absl::InvalidArgumentError(
          absl::StrCat("time: a CPU knows no mode '", toString(mode), "'"));
    }
    if (residency == Residency::warm) {
      return entry.timed->sample(iterations);
    }
    absl::StatusOr<CacheEvictor *> cold = findEvictor();
    if (!cold.ok()) {
      return cold.status();
    }
    return entry.timed->sample(iterations, *cold);
  }

  absl::StatusOr<Reply> handle(const TimeRequest &request) {
    size_t count = request.ids.size();
    if (count != request.iterations.size() ||
        (!request.modes.empty() && count != request.modes.size())) {
      return absl::InvalidArgumentError(
          absl::StrCat("time: ", count, " ids but ", request.iterations.size(),
                       " iterations and ", request.modes.size(), " modes"));
    }
    // All are made ready before the first is timed.
    std::vector<Loaded *> functions;
    for (size_t i = 0; i < count; ++i) {
      absl::StatusOr<Loaded *> entry = find(request.ids[i]);
      if (!entry.ok()) {
        return entry.status();
      }
      if (request.iterations[i] < 1) {
        return absl::InvalidArgumentError(
            absl::StrCat("time: '", request.ids[i], "' has no iterations"));
      }
      absl::Status status = prepare(**entry, request.residency);
      if (!status.ok()) {
        return status;
      }
      functions.push_back(*entry);
    }
    TimeReply reply;
    for (size_t i = 0; i < count; ++i) {
      absl::StatusOr<double> time =
          sample(*functions[i], request.iterations[i], request.residency,
                 request.modes.empty() ? RunMode::device : request.modes[i]);
      if (!time.ok()) {
        return time.status();
      }
      reply.microseconds.push_back(*time);
    }
    if (!functions.empty() && isOnGpu(*functions[0])) {
      reply.smClockMHz = smClockMHz(*functions[0]);
    }
    return Reply(std::move(reply));
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

  /// Whether what `request` ran took the device with it.
  bool isLost(const Request &request) const {
    if (!std::holds_alternative<VerifyRequest>(request) &&
        !std::holds_alternative<TimeRequest>(request)) {
      return false;
    }
    // One device serves all: one probe tells.
    for (const auto &[id, entry] : loaded) {
      if (isOnGpu(entry)) {
        return minic::runtime::isLost(entry);
      }
    }
    return false;
  }
};

WorkerServer::WorkerServer() : impl_(std::make_unique<Impl>()) {}
WorkerServer::~WorkerServer() = default;

Reply WorkerServer::handle(const Request &request) {
  absl::StatusOr<Reply> reply = std::visit(
      [&](const auto &message) { return impl_->handle(message); }, request);
  if (!reply.ok()) {
    return ErrorReply{reply.status(), impl_->isLost(request)};
  }
  // What a kernel did may come to light as a failed verification.
  if (const auto *verified = std::get_if<VerifyReply>(&*reply);
      verified && verified->status == VerifyStatus::error &&
      impl_->isLost(request)) {
    return ErrorReply{absl::InternalError(verified->detail), true};
  }
  return *std::move(reply);
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
