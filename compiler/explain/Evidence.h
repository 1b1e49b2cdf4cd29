// SPDX-License-Identifier: Apache-2.0
//
// Evidence: why each fusion is implemented as it is. Collected when algorithms
// have been selected, stored in the artifact as JSON, told by `minic explain`.

#ifndef MINIC_COMPILER_EXPLAIN_EVIDENCE_H
#define MINIC_COMPILER_EXPLAIN_EVIDENCE_H

#include "compiler/target/DeviceProfile.h"

#include "mlir/IR/BuiltinOps.h"

#include <optional>
#include <string>
#include <vector>

namespace minic {

struct FusionEvidence {
  std::string label;  // describeFusion
  std::string choice; // describeChoice
  std::string origin; // "heuristic", "shipped", "database", "tuned", ...
  /// As --pin names them; empty where unknown.
  std::string candidate, problem;
  std::string reason;
  double timeUs = 0;     // 0 where nothing was measured
  double expectedUs = 0; // that, else by estimates; 0 where neither is known
  std::string dtype;     // of the operands that are multiplied; empty for none
  int64_t flops = 0, bytes = 0;
  /// The least time that the work could take at the device's peaks; an
  /// estimate, 0 where these are not known.
  double rooflineUs = 0;
  /// Peak of the arithmetic that this fusion may use; 0: the function's peak.
  double peakGflops = 0;
  int64_t parts = 1;
  /// Of verification; negative where nothing was verified.
  double errorOverTolerance = -1, maxAbsoluteError = -1;
  /// The next best that was measured, and its time over ours; empty for none.
  std::string runnerUp;
  double runnerUpRatio = 0;
  /// If another plan ships: the choice that a search or a record had found
  /// here, "4.65 us: NAME, 6.0% faster than OTHER"; empty elsewhere.
  std::string lost;
  /// The commands that compute it: indices in the variant's `run`.
  std::vector<int64_t> commands;
};

struct FunctionEvidence {
  std::string function;
  /// The device it was decided for, its threads and its estimated peaks.
  std::string device;
  int threads = 1;
  double peakGflops = 0, memoryGBs = 0;
  /// Of its last-level cache.
  int64_t cacheBytes = 0;
  /// What the whole-model check found; empty where there was none.
  std::string verdict;
  /// The same of graph replay against stream launches.
  std::string graph;
  /// How a replayed graph follows changed pointers, a line for each kind; empty
  /// where none is.
  std::string pointers;
  /// Of a bucket, for each dimension that is padded to it a line: why that is
  /// right, "T: proved: ..."; empty for none.
  std::string padding;
  /// What became of the order of images, and why: a line for each relayout;
  /// empty where all have the model's.
  std::string layouts;
  /// Hints, one a line.
  std::string hints;
  /// The versions that a tuning record must have to be used, for people.
  std::string versions;
  std::vector<FusionEvidence> fusions;
};

/// One entry per function of `module`, whose fusions carry choices. Marks the
/// fusions by their places.
std::vector<FunctionEvidence> collectEvidence(mlir::ModuleOp module,
                                              const DeviceProfile &profile);

/// Finds the commands of each fusion by the marks and sets the evidence of the
/// variants of `plan`'s functions.
void attachEvidence(mlir::ModuleOp plan,
                    std::vector<FunctionEvidence> &evidence);

/// Reads what attachEvidence wrote; nothing where it is damaged or absent.
std::optional<FunctionEvidence> parseEvidence(const std::string &json);

} // namespace minic

#endif // MINIC_COMPILER_EXPLAIN_EVIDENCE_H
