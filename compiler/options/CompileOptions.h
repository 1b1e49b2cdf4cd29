// SPDX-License-Identifier: Apache-2.0
//
// CompileOptions: everything a user can ask of a compilation, in one struct.
// compiler/OptionTable names each field for command lines and prints them.

#ifndef MINIC_COMPILER_OPTIONS_COMPILEOPTIONS_H
#define MINIC_COMPILER_OPTIONS_COMPILEOPTIONS_H

#include "compiler/options/FuseSwitches.h"
#include "compiler/options/Log.h"
#include "compiler/options/Phases.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace minic {

/// Whether a run replays a captured device graph. Means nothing on a CPU. Auto:
/// as is measured, which may be where the stream is idle.
enum class CudaGraphs { Off, On, Auto };

/// Sizes of a dimension, [from, to]; none where `dim` is empty.
struct SizeRange {
  std::string dim;
  int64_t from = 0, to = 0;
};

struct CompileOptions {
  //===--- Mode ----------------------------------------------------------===//

  /// The preset the options below started from; any option beside it wins.
  std::string mode = "default";
  /// Measure candidates where the database has no complete, fresh record.
  bool tune = false;
  CudaGraphs cudaGraphs = CudaGraphs::Auto;

  //===--- Algorithm selection -------------------------------------------===//

  /// Labels that may implement GEMM fusions (BackendLabel.h); empty for all of
  /// them.
  std::vector<std::string> gemmBackends;
  /// The same for convolutions.
  std::vector<std::string> convBackends;
  /// The same for softmax, norms and reductions (aten, generated).
  std::vector<std::string> rowBackends;
  /// Whether implementations may ask for operands in a layout of their own, and
  /// for padded ones.
  bool packOperands = true, padOperands = true;
  /// Shared libraries of plug-ins, whose kernels are candidates, too.
  std::vector<std::string> plugins;
  /// The candidate that every fusion takes, as AUTOTUNE tables name it; empty
  /// for a choice.
  std::string candidate;
  /// File that says which candidate a fusion takes (docs/tuning.md); empty for
  /// none.
  std::string pin;
  /// "guided": candidates that by their estimates cannot win any more are left
  /// out (on a GPU), and of attention and rows a few neighbours of the fastest
  /// schedules follow (on a CPU); "descent": neighbours of all, until none is
  /// faster; "offered": all that families offer are
  /// measured, a few of their best by estimates; "exhaustive": every legal
  /// schedule.
  std::string search = "guided";
  /// Seconds the search may take; 0 for no limit. Best so far wins.
  double tuneBudgetSeconds = 0;
  /// Tuning database file; empty for the user's cache directory.
  std::string tuneDb;
  /// The records to use where the tuning database has none: a file of them,
  /// "off", or empty for those that are installed.
  std::string shippedDb;
  /// Measure nothing; a problem without a record is an error.
  bool tuneReplay = false;
  /// Ignore complete records and measure again.
  bool retune = false;
  /// Search again where the record is provisional and the machine quieter now.
  bool searchAgain = true;
  /// JSON file that receives every sample; empty for none.
  std::string tuneReport;
  /// Measure the tuned model against the default one; ship the faster.
  bool wholeModelCheck = true;
  /// While a GPU is measured on: its SM clocks in MHz, 0 for the highest that
  /// the device names, negative for leaving them alone.
  int lockClocks = -1;
  /// An error where they cannot be locked, before anything is measured.
  bool requireLockedClocks = false;

  //===--- Target --------------------------------------------------------===//

  /// "auto", "cpu" or "cuda", the last with architectures where they are not
  /// the device's: "cuda:sm_90a,sm_80", one variant each.
  std::string target = "auto";
  /// Which of this machine's GPUs to compile for and measure on.
  int device = 0;
  /// A named GPU instead of this machine's; empty for this machine.
  std::string deviceProfile;
  /// "auto", "on" or "off": one variant more, of PTX that GPUs after those
  /// asked for can run. auto: where `target` names architectures.
  std::string ptx = "auto";
  /// Most bytes of workspace that a library call or kernel may use on a GPU.
  int64_t workspaceLimit = int64_t(256) << 20;
  /// ISA levels to generate for ("v3", "v4"), one variant each; empty for what
  /// this machine has.
  std::vector<std::string> cpuIsa;
  /// Threads of one run; 0 for as many as this process may use.
  int threads = 0;

  //===--- Numerics ------------------------------------------------------===//

  /// "ieee"; "tf32" is for GPUs.
  std::string float32Precision = "ieee";
  /// Only implementations whose two runs agree bit for bit.
  bool deterministic = false;
  /// Only implementations in which a NaN reaches the result wherever the graph
  /// ops say so.
  bool propagateNan = false;

  //===--- Model ---------------------------------------------------------===//

  /// The weights file; empty: the module's graph.weights, else the model's
  /// stem with .safetensors.
  std::string weights;
  /// Functions to compile; empty for every public one.
  std::vector<std::string> functions;
  /// Sizes of the dimensions that the model gives a name, ascending. Several
  /// of one: a plan for each.
  std::map<std::string, std::vector<int64_t>> dims;
  /// Which sizes go together; empty for each with each.
  std::vector<std::map<std::string, int64_t>> buckets;
  /// How many plans of a function there may be.
  int64_t maxBuckets = 64;
  /// Dimensions of which runs may have sizes between, and INPUT=VALUE fills.
  std::vector<std::string> pad;
  /// Most seconds that checks of these fills may take by estimate; 0: no limit.
  double padBudgetSeconds = 600;
  /// Propose sizes of a dimension instead of compiling, those that make runs of
  /// sizes in this range fastest.
  SizeRange suggestBuckets;
  /// File of the sizes that runs have; empty for all of the range alike.
  std::string runSizes;
  /// By how many percent a bucket must gain to have a packing of a weight of
  /// its own, beside that of others.
  int64_t repackGain = 2;
  /// .npy file by name of an input that becomes a constant.
  std::map<std::string, std::string> constantInputs;
  /// "bf16" or "f16": what weights are rounded to, and what is multiplied with
  /// them; "f32": float64 is read as float32; "none" for what the model says.
  std::string castWeights = "none";
  /// Bytes that callers align inputs and outputs to.
  int64_t inputAlignment = 64;

  //===--- Fusion --------------------------------------------------------===//

  FuseSwitches fuse;
  /// Which linears of one input become one: "auto" (by measurement, else where
  /// none loses what its kernel computes besides), "never" or "always".
  std::string mergeLinears = "auto";
  /// Which order images have between ops: "auto" (by estimates for the target),
  /// "off" (the model's), or "nchw" or "nhwc" as far as it goes.
  std::string assignLayouts = "auto";

  //===--- Output --------------------------------------------------------===//

  /// The artifact, or with compileTo the IR ("-" for stdout); empty: the
  /// model's path with .minic, stdout for IR.
  std::string output;
  /// The last phase to run; Emit writes an artifact, others print IR.
  Phase compileTo = Phase::Emit;

  //===--- Debugging -----------------------------------------------------===//

  /// Phases whose result is printed on stderr.
  std::vector<Phase> dumpIrAfter;
  /// Directory that receives IR and binary of every generated kernel.
  std::string dumpKernelsTo;
  /// Directory that receives every fusion as a model of its own.
  std::string dumpProblems;
  /// Directory that receives the whole compilation as JSON and as a page;
  /// empty for none.
  std::string trace;
  /// File that receives the IR before the phase that failed.
  std::string crashReproducer;
  Log log;
  /// Print the resolved options and stop.
  bool printOptions = false;
};

} // namespace minic

#endif // MINIC_COMPILER_OPTIONS_COMPILEOPTIONS_H
