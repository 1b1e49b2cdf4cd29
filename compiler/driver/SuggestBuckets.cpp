// SPDX-License-Identifier: Apache-2.0
//
// Samples where the time is in doubt, then the best buckets of what is known;
// a bucket that is proposed is sampled, too.

#include "compiler/driver/SuggestBuckets.h"

#include "compiler/driver/LocalCpu.h"
#include "compiler/driver/LocalGpu.h"
#include "compiler/driver/MeasuredProfile.h"
#include "compiler/driver/TargetPlugins.h"
#include "compiler/driver/TimedSizes.h"
#include "compiler/pipeline/Diagnostics.h"
#include "compiler/sizes/ChooseBuckets.h"
#include "compiler/tune/process/Interrupt.h"
#include "compiler/tune/process/ScratchDirectory.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"

#include <chrono>

using namespace mlir;

namespace minic {

using sizes::BucketSet;
using sizes::SizeDistribution;
using sizes::SizeSamples;

namespace {

/// Sizes of one search: builders work side by side, and what is found decides
/// where to look next.
constexpr size_t sizesAtOnce = 4;

class Suggestion {
public:
  Suggestion(StringRef path, const CompileOptions &options,
             MLIRContext &context)
      : path(path), options(options), context(context),
        machine(tune::ToolPaths::ofThisProgram()),
        shipped(options, machine.tools().shipped, context) {}

  LogicalResult run(std::string &text);

private:
  LogicalResult checkOptions();
  LogicalResult readDistribution();
  LogicalResult sample(std::vector<size_t> indices);
  LogicalResult sampleAll();
  /// The best sets; all buckets of the one that is proposed were sampled.
  LogicalResult choose();
  bool isOutOfTime() const;
  /// Of `sets`. One size alone takes no other: runs are padded among several.
  size_t proposal() const {
    return std::max(sizes::findKnee(sets),
                    std::min<size_t>(1, sets.size() - 1));
  }
  InFlightDiagnostic error() const {
    return emitError(UnknownLoc::get(&context)) << "--suggest-buckets: ";
  }
  int64_t size(size_t index) const { return runs->sizes()[index]; }

  /// "128,512"
  std::string sizesText(const BucketSet &set) const;
  std::string describeSamples() const;
  std::string describeSets() const;
  std::string describeProposal() const;

  StringRef path;
  CompileOptions options;
  MLIRContext &context;
  tune::Machine machine;
  tune::ShippedDb shipped;
  std::optional<SizeDistribution> runs;
  std::unique_ptr<TimedSizes> timed;
  std::string device;
  SizeSamples samples;
  bool budgetEnded = false;  // before a size was timed
  std::vector<double> times; // by size
  std::vector<BucketSet> sets;
  std::chrono::steady_clock::time_point started =
      std::chrono::steady_clock::now();
};

} // namespace

LogicalResult Suggestion::checkOptions() {
  const std::string &dim = options.suggestBuckets.dim;
  if (options.dims.count(dim)) {
    return error() << "--dim gives the sizes of '" << dim << "' already";
  }
  for (const auto &set : options.buckets) {
    if (set.count(dim)) {
      return error() << "--buckets gives the sizes of '" << dim << "' already";
    }
  }
  for (auto [name, value] : {std::pair("output", options.output),
                             std::pair("tune-report", options.tuneReport),
                             std::pair("candidate", options.candidate),
                             std::pair("pin", options.pin)}) {
    if (!value.empty()) {
      return error() << "sizes are proposed and nothing else, got --" << name
                     << "=" << value;
    }
  }
  if (options.compileTo != Phase::Emit) {
    return error() << "sizes are proposed and nothing else, got --compile-to="
                   << toString(options.compileTo);
  }
  return success();
}

LogicalResult Suggestion::readDistribution() {
  const SizeRange &range = options.suggestBuckets;
  if (options.runSizes.empty()) {
    runs = SizeDistribution::uniform(range.from, range.to);
    return success();
  }
  auto file = llvm::MemoryBuffer::getFile(options.runSizes);
  if (!file) {
    return emitError(UnknownLoc::get(&context))
           << "--sizes: cannot open '" << options.runSizes
           << "': " << file.getError().message();
  }
  absl::StatusOr<SizeDistribution> read = SizeDistribution::parse(
      (*file)->getBuffer().str(), options.runSizes, range.from, range.to);
  if (!read.ok()) {
    return emitError(UnknownLoc::get(&context))
           << "--sizes: " << std::string(read.status().message());
  }
  runs = *std::move(read);
  return success();
}

bool Suggestion::isOutOfTime() const {
  std::chrono::duration<double> passed =
      std::chrono::steady_clock::now() - started;
  return budgetEnded || (options.tuneBudgetSeconds > 0 &&
                         passed.count() > options.tuneBudgetSeconds);
}

LogicalResult Suggestion::sample(std::vector<size_t> indices) {
  llvm::sort(indices);
  SmallVector<int64_t> asked;
  for (size_t index : indices) {
    asked.push_back(size(index));
  }
  auto found = timed->time(asked);
  if (failed(found)) {
    return failure();
  }
  for (size_t index : indices) {
    auto sample = found->find(size(index));
    if (sample == found->end()) {
      budgetEnded = true;
      continue;
    }
    samples[index] = std::move(sample->second);
    options.log.line(
        LogTopic::Autotuning,
        llvm::formatv("{0}={1}: {2:F2} us, {3:F4} us a row, size {4} of at "
                      "most {5}",
                      options.suggestBuckets.dim, size(index),
                      samples[index].us, samples[index].us / size(index),
                      samples.size(), mostSampledSizes));
  }
  return success();
}

LogicalResult Suggestion::sampleAll() {
  std::vector<size_t> next = sizes::firstSizes(*runs, mostSampledSizes);
  // The ends first: what a budget leaves out lies between samples.
  std::rotate(next.begin(), next.end() - 1, next.end());
  for (size_t i = 0; i < next.size() && !isOutOfTime(); i += sizesAtOnce) {
    size_t end = std::min(i + sizesAtOnce, next.size());
    if (failed(sample({next.begin() + i, next.begin() + end}))) {
      return failure();
    }
  }
  if (!samples.count(0) || !samples.count(runs->sizes().size() - 1)) {
    return error() << "--tune-budget ended before " << size(0) << " and "
                   << runs->sizes().back() << " were timed";
  }
  // What is left is for buckets that are proposed.
  while (samples.size() + mostSuggestedBuckets < mostSampledSizes &&
         !isOutOfTime()) {
    next = sizes::nextSizes(*runs, samples, sizesAtOnce);
    if (next.empty()) {
      break;
    }
    if (failed(sample(next))) {
      return failure();
    }
  }
  return success();
}

LogicalResult Suggestion::choose() {
  for (;;) {
    times = sizes::interpolate(*runs, samples);
    std::vector<size_t> candidates = sizes::candidateBuckets(*runs, samples);
    bool isFull = samples.size() >= mostSampledSizes || isOutOfTime();
    if (isFull) {
      candidates.clear();
      for (const auto &[index, sample] : samples) {
        candidates.push_back(index);
      }
    }
    sets = sizes::chooseBuckets(*runs, candidates, times, mostSuggestedBuckets);
    std::vector<size_t> unknown;
    for (size_t index : sets[proposal()].buckets) {
      if (!samples.count(index)) {
        unknown.push_back(index);
      }
    }
    if (unknown.empty()) {
      return success();
    }
    unknown.resize(std::min(unknown.size(), mostSampledSizes - samples.size()));
    if (failed(sample(unknown))) {
      return failure();
    }
  }
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

std::string Suggestion::describeSamples() const {
  const SizeRange &range = options.suggestBuckets;
  std::string text = llvm::formatv(
      "{0} from {1} to {2}, {3}\n", range.dim, range.from, range.to,
      options.runSizes.empty() ? std::string("each size as often")
                               : "as often as in " + options.runSizes);
  text += llvm::formatv(
      "{0} size{1} {2} {3}: {4} different problem{5}, at least {6:F0} % of a "
      "size's time{7}\n",
      samples.size(), samples.size() == 1 ? "" : "s",
      timed->areMeasured() ? "measured on" : "estimated for", device,
      timed->problems(), timed->problems() == 1 ? "" : "s",
      100 * timed->leastShare(),
      timed->areMeasured()
          ? " by estimates"
          : "; nothing was measured (--mode=max-autotune does)");
  if (isOutOfTime()) {
    text += "--tune-budget ended the search for more sizes\n";
  }
  text += llvm::formatv("{0,10} {1,12} {2,12}\n", range.dim, "us", "us a row");
  const std::string *winner = nullptr;
  for (const auto &[index, sample] : samples) {
    bool isOther = winner && *winner != sample.winner;
    text += llvm::formatv("{0,10} {1,12:F2} {2,12:F4}{3}\n", size(index),
                          sample.us, sample.us / size(index),
                          isOther ? "  another winner" : "");
    winner = &sample.winner;
  }
  return text;
}

std::string Suggestion::sizesText(const BucketSet &set) const {
  return llvm::join(llvm::map_range(set.buckets,
                                    [&](size_t index) {
                                      return std::to_string(size(index));
                                    }),
                    ",");
}

std::string Suggestion::describeSets() const {
  double ideal = sizes::idealUs(*runs, times);
  std::string text = llvm::formatv(
      "a run takes {0:F2} us on average where each size has a plan\n"
      "{1,10} {2,12} {3,8} {4,8}  sizes\n",
      ideal, "buckets", "us a run", "ideal", "padding");
  for (const BucketSet &set : sets) {
    bool isSampled = llvm::all_of(
        set.buckets, [&](size_t index) { return samples.count(index) != 0; });
    text += llvm::formatv("{0,10} {1,12:F2} {2,7:F2}x {3,6:F0} %  {4}{5}\n",
                          set.buckets.size(), set.expectedUs,
                          ideal > 0 ? set.expectedUs / ideal : 1,
                          100 * set.padding, sizesText(set),
                          isSampled ? "" : "  some between samples");
  }
  return text;
}

std::string Suggestion::describeProposal() const {
  size_t knee = proposal();
  const BucketSet &set = sets[knee];
  const std::string &dim = options.suggestBuckets.dim;
  std::string text = llvm::formatv(
      "proposed: {0} bucket{1}; {2}\n", set.buckets.size(),
      set.buckets.size() == 1 ? "" : "s",
      knee + 1 < sets.size()
          ? llvm::formatv("no more of them makes runs {0:F0} % faster",
                          100 * sizes::leastGain)
                .str()
          : std::string("more were not tried"));
  int64_t from = runs->sizes().front();
  double before = 0;
  for (size_t index : set.buckets) {
    double share = runs->shareUpTo(index) - before, rows = 0;
    for (size_t i = runs->indexAtMost(from); i <= index; ++i) {
      rows += runs->share(i) * double(size(i));
    }
    text += llvm::formatv(
        "  {0}={1} takes {2}{1}: {3:F0} % of runs, {4:F2} us, {5:F0} % "
        "padding\n",
        dim, size(index),
        from == size(index) ? "" : std::to_string(from) + " to ", 100 * share,
        samples.at(index).us,
        share > 0 ? 100 * (1 - rows / (share * size(index))) : 0);
    before = runs->shareUpTo(index);
    from = index + 1 < runs->sizes().size() ? size(index + 1) : size(index);
  }
  text += llvm::formatv("--dim={0}={1}", dim, sizesText(set));
  return text + (set.buckets.size() > 1 ? " --pad=" + dim + "\n" : "\n");
}

LogicalResult Suggestion::run(std::string &text) {
  if (failed(checkOptions()) || failed(readDistribution()) ||
      failed(shipped.checkNamed())) {
    return failure();
  }
  FailureOr<std::vector<VariantTarget>> targets = resolveTargets(
      options, context,
      [&](int index, std::string &error) {
        return probeGpu(machine, index, error);
      },
      [&](DeviceProfile &profile) { findRecordsOf(profile, options, shipped); },
      [&](DeviceProfile &profile) { describeLocalCpu(machine, profile); });
  if (failed(targets)) {
    return failure();
  }
  FailureOr<Plugins> plugins =
      addPlugins(*targets, options, machine.tools().minic, context);
  if (failed(plugins)) {
    return failure();
  }
  tune::ScratchDirectory::removeOrphans();
  // No whole model is compared: all of a budget is for searches.
  options.wholeModelCheck = false;
  const DeviceProfile &profile = targets->front().target->profile();
  device = profile.isGpu() ? profile.name
                           : llvm::formatv("{0}, threads {1}", profile.name,
                                           profile.threads)
                                 .str();
  timed = std::make_unique<TimedSizes>(path, options, targets->front(), context,
                                       machine, shipped);
  if (failed(sampleAll()) || failed(choose())) {
    return failure();
  }
  text = describeSamples() + describeSets() + describeProposal();
  return success();
}

BucketSuggestion suggestBuckets(StringRef path, const CompileOptions &options,
                                MLIRContext &context) {
  BucketSuggestion result;
  DiagnosticCollector diagnostics(&context);
  if (failed(Suggestion(path, options, context).run(result.text))) {
    result.code = diagnostics.exitCode(ExitCode::BadInput);
    result.error = diagnostics.firstError();
    if (interrupted()) {
      result.code = ExitCode::Interrupted;
      result.error = "interrupted";
    }
  }
  return result;
}

} // namespace minic
