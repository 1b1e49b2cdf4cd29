// SPDX-License-Identifier: Apache-2.0
//
// What the tuner knows of a problem: the problem itself, its candidates, and
// one row of evidence per candidate. Plain data; TuningDb stores it.

#ifndef MINIC_COMPILER_TUNE_DATABASE_RECORD_H
#define MINIC_COMPILER_TUNE_DATABASE_RECORD_H

#include "compiler/tune/database/Noise.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace minic::tune {

/// Versions of what produced the figures. If one changes, the rows that depend
/// on it are stale (SourceVersions.h): reported, never used silently.
struct Versions {
  /// Of each kernel family and library that the target has, by its name, and of
  /// what they share, by "minic". Empty in records that older databases had.
  std::map<std::string, std::string> sources;
  /// Of what is called: CPU: oneDNN's, "2.6.3", empty for none on this machine;
  /// GPU: "cuBLAS 13.1.0, cuDNN 9.14.0, driver 13.0".
  std::string libraries;
  bool operator==(const Versions &) const = default;
};

/// "gemm_packed 1, minic 1, onednn 2; oneDNN 2.6.3", or "oneDNN none", or what
/// a GPU has.
std::string describe(const Versions &versions);

/// One thing to decide: the body of a fusion, on a device.
struct ProblemSpec {
  std::string key;         // 32 hex digits: hash of `text` and its version
  std::string text;        // the problem as MLIR
  std::string description; // "linear_relu(256x1024, 1024x1024) bf16"
  uint64_t flops = 0;      // of one run
  uint64_t bytes = 0;      // read and written by one run, at least
  std::string device;      // DeviceProfile::tuningKey
  std::string deviceName;  // for people
  std::string backends;    // labels that were searched: "aten,generated"
  Versions versions;
};

/// One choice that may be measured.
struct CandidateSpec {
  std::string name;   // the schedule grammar; unique within a problem
  std::string label;  // "aten", "library-fused" or "generated"
  std::string choice; // text of the #kernel.choice
  /// By the family's own model: what estimates are fitted to.
  double estimateUs = 0;
  int64_t launches = 1;
  bool needsLibrary = false;
  /// Names in Versions::sources of those whose work is in it, sorted:
  /// "gemm_packed,onednn". Empty: not known.
  std::string sources = "";
  /// As in Prospect; not stored.
  std::string kind = "";
  /// A library call in it names no algorithm: it stands for a candidate of
  /// each that the library offers.
  bool expandable = false;
  /// Expandable: another library, whose algorithms cost less to try, offers the
  /// same.
  bool hasCheaperPeer = false;
  /// `estimateUs` as it is fitted to this device, what default mode and
  /// searches go by; not stored. 0: not known.
  double expectedUs = 0;
};

enum class RowStatus {
  Verified,    // met the tolerance; may win
  Wrong,       // did not
  Crashed,     // took the worker with it
  Hung,        // did not answer in time
  BuildFailed, // could not be built, or refused to load
  Unavailable, // this machine lacks what it needs: a library, memory
  Duplicate,   // the same binary as an earlier candidate
  RuledOut,    // not looked at: by its estimate it cannot be the fastest
  Skipped      // not looked at: the budget ended
};
const char *toString(RowStatus status);
std::optional<RowStatus> parseRowStatus(const std::string &text);

/// What is known of one candidate. Times are device time of one run.
struct Row {
  CandidateSpec candidate;
  RowStatus status = RowStatus::Skipped;
  std::string reason; // one line: why it cannot win, or empty
  double buildMs = 0;
  std::string binaryHash;
  /// From the screen; 0 where it was not screened.
  double screenUs = 0;
  /// Median of the final rounds; 0 where it was not a finalist.
  double timeUs = 0;
  /// Half-width of the median's 95 % interval, relative to the median.
  double timeError = 0;
  /// Time over the fastest finalist's, paired by round, with its 95 % interval.
  double ratio = 0, ratioLow = 0, ratioHigh = 0;
  /// Error over tolerance (at most 1 is right), and absolute error.
  double worstError = 0, maxAbsoluteError = 0;
  uint64_t scratchBytes = 0;
  bool deterministic = false;
  std::vector<double> samplesUs; // of the final rounds
  /// The name of the row whose neighbour it is, if descent found it.
  std::string foundFrom;

  bool isFinalist() const { return timeUs > 0; }
  /// The best known time; 0 where none is.
  double bestKnownUs() const { return timeUs > 0 ? timeUs : screenUs; }
};

enum class RecordState {
  Running, // being searched, or the search was killed: not a hit
  Partial, // the budget ended: a hit, see `coverage`
  /// All was looked at, but the finalists were still undecided when time ended:
  /// a hit; a later tuning searches again where the machine has become quieter.
  Provisional,
  Complete
};
const char *toString(RecordState state);
std::optional<RecordState> parseRecordState(const std::string &text);

/// GPU: the SM clock after each round, lowest and highest; 0 where unknown.
struct ClockRange {
  double lowMHz = 0, highMHz = 0;

  bool isKnown() const { return highMHz > 0; }
  /// Widens it by what was read; 0: nothing was.
  void include(double mhz);
};

/// "; SM clock 1545 to 1980 MHz", for the end of a line; empty where unknown.
std::string describe(const ClockRange &clock);

struct Record {
  ProblemSpec problem;
  RecordState state = RecordState::Running;
  int64_t candidates = 0; // how many the search had to look at
  double coverage = 0;    // part of them that was looked at, 0 to 1
  /// How many there are if families leave none out; 0: not known.
  int64_t legal = 0;
  /// Whether the search went on to neighbours of the fastest rows.
  bool descended = false;
  double buildSeconds = 0; // of all builders together
  double verifySeconds = 0, measureSeconds = 0;
  /// What else a search spent before it was over: on listing libraries'
  /// algorithms, on loading and unloading, on waiting for builders. Not stored.
  double listSeconds = 0, loadSeconds = 0, waitSeconds = 0;
  std::string created; // UTC, "2026-01-31T23:59:59Z"
  std::vector<Row> rows;
  ClockRange clock;
  Noise noise;
  /// How many searches in a row ended provisional, this one included; 0 where
  /// it is not.
  int64_t provisionalSearches = 0;
};

/// How many of its candidates were tried: built, or found to be equal to one
/// that was, whatever came of it.
int64_t countTried(const Record &record);

/// Whether every legal one was tried, so that neighbours could add none. False
/// where their number is not known.
bool triesAll(const Record &record);

/// How many were found from others, whatever came of them.
int64_t countFound(const Record &record);

/// "; found from NAME", for the end of a line; empty where it was
/// not.
std::string describeOrigin(const Row &row);

/// "37 of 864 legal schedules tried"; empty where their number is not known.
std::string describeCoverage(const Record &record);

/// What its search took on the clock, without the builders' work beside it.
double secondsSpent(const Record &record);

/// Now, in UTC, as in Record::created.
std::string utcNow();

} // namespace minic::tune

#endif // MINIC_COMPILER_TUNE_DATABASE_RECORD_H
