// SPDX-License-Identifier: Apache-2.0
//
// What minic-bench does once its command line is understood: rounds in which
// every artifact, and the loop that measures the peak, is timed once in random
// order, so that whatever the machine does hits all alike.

#ifndef MINIC_TOOLS_MINIC_BENCH_BENCH_H
#define MINIC_TOOLS_MINIC_BENCH_BENCH_H

#include "runtime/device/Device.h"
#include "runtime/format/Digest.h"
#include "runtime/measure/Protocol.h"
#include "tools/minic-bench/PeakShare.h"
#include "tools/minic-bench/TraceTable.h"

#include "absl/status/statusor.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace minic::tools {

struct BenchOptions {
  /// The first is what others compare with. compileModels puts artifacts in
  /// the place of models (.mlir).
  std::vector<std::string> artifacts;
  std::vector<std::string> labels;     // parallel to artifacts: their names
  std::vector<std::string> candidates; // of the first, a model
  std::string pin;                     // of the same
  std::vector<std::string> callables;  // "LIBRARY.so:FUNCTION", after them
  std::string function;                // empty: "main", else the only one
  std::string otherFunction; // of artifacts after the first; empty: the same
  std::string model;         // of the check; empty: what each artifact carries
  std::string jsonPath;
  std::string tracePath, tracePage; // both empty: runs are not traced
  int threads = 0;
  int device = 0;                               // index of the GPU
  std::optional<format::Digest> expectedDigest; // of the first artifact
  runtime::GraphMode graph = runtime::GraphMode::Artifact;
  /// MHz of the GPU's SMs, 0 for the highest, negative for leaving them alone.
  int lockClocks = -1;
  bool requireLockedClocks = false; // else a warning where it cannot be
  int rounds = 0;                   // 0: for `seconds`
  double seconds = 3;
  double warmUpMs = 50;
  std::vector<double> quantiles; // 0 to 1, of samples, on lines of their own
  double sampleMs = 1; // iterations of a sample are chosen to take this long
  runtime::Residency residency = runtime::Residency::warm;
  bool check = false;
  bool overhead = false;
  bool nvtx = false; // ranges for a profiler

  bool tracesRuns() const { return !tracePath.empty() || !tracePage.empty(); }

  /// Of the artifact of that index.
  const std::string &functionOf(size_t index) const {
    return index > 0 && !otherFunction.empty() ? otherFunction : function;
  }
};

/// Of one artifact, or of a callable, whose flops are not known: 0.
struct BenchSeries {
  std::string path;
  int threads = 1;
  uint64_t flops = 0;
  Arithmetic arithmetic;
  bool callsLibrary = false;
  runtime::DevicePlace place;
  int64_t iterations = 1; // runs in a sample
  /// Mean of a sample's runs, by round; on a GPU back to back.
  std::vector<double> samplesUs;
  /// GPU: of single calls that are waited for, and of the device's own clock.
  std::vector<double> callSamplesUs, deviceSamplesUs;
  runtime::GraphCounters graph;      // GPU
  std::string graphRefusal;          // GPU
  std::vector<double> loadSamplesUs; // one, or several with `overhead`
};

/// Of the CPU, for one dtype.
struct BenchPeak {
  std::string instructionSet;
  int threads = 1;
  std::vector<double> gflops; // by round
};

struct BenchResult {
  runtime::DeviceFacts device;
  std::vector<BenchSeries> series; // artifacts, then callables
  /// For the dtypes of the artifacts that run on the CPU.
  std::map<runtime::PeakDtype, BenchPeak> peaks;
  std::vector<TracedArtifact> traced; // where traces are asked for
};

/// Loads all artifacts, warms them up and runs the rounds. `loaded` is called
/// once the files are not needed any more.
absl::StatusOr<BenchResult> runBench(const BenchOptions &options,
                                     const std::function<void()> &loaded);

/// One run of each artifact against the reference; false at a mismatch.
absl::StatusOr<bool> checkArtifacts(const BenchOptions &options);

/// Compiles models, checks, measures, prints, writes JSON. Returns the exit
/// code.
int bench(BenchOptions options);

} // namespace minic::tools

#endif // MINIC_TOOLS_MINIC_BENCH_BENCH_H
