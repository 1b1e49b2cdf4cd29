// SPDX-License-Identifier: Apache-2.0
//
// Protocol: what `minic` and `minic-worker` say to each other over the worker's
// stdin and stdout: one JSON object a line, one reply to each request, in
// order. The worker keeps no state but the artifacts it has loaded, so a parent
// may kill it at any moment, start another and load again.

#ifndef MINIC_RUNTIME_MEASURE_PROTOCOL_H
#define MINIC_RUNTIME_MEASURE_PROTOCOL_H

#include "runtime/measure/DeviceFacts.h"

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace minic::runtime {

struct DescribeRequest {
  /// Opens the GPU's driver and libraries, which takes a fraction of a second.
  bool gpus = false;
  /// More than 1: measures what it takes to run on a team of so many threads,
  /// about a millisecond.
  int teamThreads = 0;
};

/// Loads a function of an artifact under a name of the parent's choosing.
/// External constants are filled by fillRandom(scaleByFanIn = true) under their
/// names and `constantsSeed`, then packed into their layouts.
struct LoadRequest {
  std::string id;
  std::string path;
  std::string function = "main";
  int threads = 0; // 0: the artifact's first variant this machine can run
  uint64_t constantsSeed = 0;
  int device = 0; // index of the GPU
  /// Only an AlgorithmsRequest will name it: see ProgramOptions.
  bool onlyListsAlgorithms = false;
  bool isPart = false; // see ProgramOptions
};
struct LoadReply {
  double microseconds = 0; // of the load, packing of constants included
  int threads = 1;
  uint64_t arenaBytes = 0;
  uint64_t flops = 0; // of one run
  bool callsLibrary = false;
  bool libraryUsesCallers = false; // see Executable
};

/// Asks what a library offers for the call of a loaded function whose algorithm
/// is open; see Executable::algorithms. Best first.
struct AlgorithmsRequest {
  std::string id;
  int64_t most = 1;
  uint64_t scratchLimit = 0;
};
struct AlgorithmReply {
  std::string algorithm, name;
  uint64_t scratchBytes = 0;
};
struct AlgorithmsReply {
  std::vector<AlgorithmReply> algorithms;
};

/// Runs a loaded function twice on fillRandom inputs keyed by their names and
/// `seed`, into poisoned, guarded outputs, and compares. See Verify.h.
struct VerifyRequest {
  std::string id;
  uint64_t seed = 0;
  /// File of writeExpectedOutputs, for the same seeds.
  std::string expectedPath;
  /// Id of a loaded function already verified: where the file gives only some
  /// rows, all elements are also compared with what this one computes. Empty:
  /// none.
  std::string trustedId;
};
enum class VerifyStatus {
  ok,
  wrong, // a value out of tolerance, unwritten, or a write out of bounds
  error  // the run itself answered an error
};
struct VerifyReply {
  VerifyStatus status = VerifyStatus::ok;
  double worst = 0; // max error / tolerance; at most 1 is right
  double maxAbsoluteError = 0, maxRelativeError = 0;
  bool deterministic = false; // both runs agreed bit for bit
  std::string detail;         // one line; empty where ok
};

/// What the caches hold when a timed run starts.
enum class Residency {
  warm, // what the run before left there
  cold  // CPU: evicted by streaming over twice the last-level cache, untimed;
        // GPU: operands that take turns, together twice the L2 cache
};

/// How runs are issued, and which clock times them. A CPU has only the first.
enum class RunMode {
  device,     // the device's own time: on a GPU of runs unrolled in one graph
  stream,     // host time back to back, plain launches, then synchronized
  graph,      // the same with replays of the captured graph
  whenIdle,   // the same with replays where the stream is idle, else launches
  streamCall, // host time of single calls, each synchronized, plain launches
  graphCall,  // the same with replays
  whenIdleCall
};

/// Whether each run has other pointers than the run before, and what a replay
/// does if library calls use them; see PointerPolicy.
enum class ChangedPointers {
  none,   // all runs have the same
  stage,  // copies
  launch, // nothing: the commands are launched one by one
  update  // captures the graph again
};

/// One round: for each id in the given order, `iterations` runs. An id may come
/// more than once.
struct TimeRequest {
  std::vector<std::string> ids;
  std::vector<int64_t> iterations; // parallel to ids, each at least 1
  Residency residency = Residency::warm;
  /// Parallel to ids; empty: all `device`.
  std::vector<RunMode> modes = {};
  /// Parallel to ids; empty: none is needed. Modes `whenIdle`: how long a run
  /// is taken to keep the stream busy, in microseconds.
  std::vector<double> runUs = {};
  /// Parallel to ids; empty: all `none`. Others go with modes `graph` and
  /// `graphCall` alone.
  std::vector<ChangedPointers> changes = {};
  /// CPU: a sample during which the process was kept from running is taken
  /// again, after a pause, while less than this went into it; 0: never.
  double retakeUs = 0;
};
struct TimeReply {
  /// Mean time of one run, parallel to ids. CPU, warm: iterations back to back
  /// under one pair of clock readings, after an untimed run; cold: each run
  /// timed alone. See TimedFunction.h and TimedGpuFunction.h.
  std::vector<double> microseconds;
  /// CPU, parallel: what the first take said, and whether the sample is still a
  /// disturbed one, then the shortest of its takes.
  std::vector<double> firstTakesUs;
  std::vector<bool> disturbed;
  /// GPU: the SM clock right after the round; 0 if unknown.
  double smClockMHz = 0;
};

struct UnloadRequest {
  std::string id;
};
struct QuitRequest {};

/// Answers UnloadRequest and QuitRequest.
struct DoneReply {};

/// Any request may be answered by it; the worker goes on. Codes as in the
/// runtime: InvalidArgument, DataLoss, NotFound: the request or the file;
/// FailedPrecondition: this machine cannot; Internal: a bug.
struct ErrorReply {
  absl::Status status;
  /// The device can run nothing more in this process (an illegal address): the
  /// worker ends after this answer.
  bool isFatal = false;
};

using Request =
    std::variant<DescribeRequest, LoadRequest, AlgorithmsRequest, VerifyRequest,
                 TimeRequest, UnloadRequest, QuitRequest>;
using Reply = std::variant<DeviceFacts, LoadReply, AlgorithmsReply, VerifyReply,
                           TimeReply, DoneReply, ErrorReply>;

/// One line without its newline. Strings that are not UTF-8 arrive altered.
std::string encode(const Request &request);
std::string encode(const Reply &reply);

/// InvalidArgument for a line that is not a request or reply of this protocol,
/// naming the field. Never throws. Unknown fields are ignored.
absl::StatusOr<Request> decodeRequest(const std::string &line);
absl::StatusOr<Reply> decodeReply(const std::string &line);

/// Of a request on the wire: "load".
const char *nameOf(const Request &request);

const char *toString(VerifyStatus status);
const char *toString(Residency residency);
const char *toString(RunMode mode);
const char *toString(ChangedPointers changes);

} // namespace minic::runtime

#endif // MINIC_RUNTIME_MEASURE_PROTOCOL_H
