// SPDX-License-Identifier: Apache-2.0
//
// Two evaluations for each size, compared row by row.

#include "compiler/driver/CheckPadding.h"

#include "compiler/driver/PaddedInputs.h"
#include "compiler/reference/Evaluator.h"
#include "dialects/graph/Dims.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <list>
#include <set>

using namespace mlir;

namespace minic {

namespace {

/// Roughly how long one evaluation may take in seconds, as for `minic
/// evaluate`: where all rows would take longer, some are compared.
constexpr double secondsForRows = 10;

/// What two evaluations in float64 may differ by, relative to the largest
/// magnitude of the output: 2^23 roundings, and a 64th of one of float32.
constexpr double mostDifference = 0x1p-30;

/// Magnitudes from here on are of masks, not of what an output is about.
constexpr double maskMagnitude = 1e30;

using Outputs = std::vector<runtime::ExpectedOutput>;

/// A size between buckets, and the bucket that a run of it takes.
struct Between {
  func::FuncOp bucket;
  int64_t size;
  MaskData masks;
};

/// What a size is checked by: the model made for it, and which rows of the
/// results of both are compared.
struct Case {
  Between between;
  ImportedModel model;
  func::FuncOp smaller;
  std::vector<reference::RowDemand> rows, bucketRows;
};

class PaddingCheck {
public:
  PaddingCheck(StringRef path, const ImportOptions &options,
               ImportedModel &model, const UnprovedPad &pad)
      : path(path), options(options), module(*model.module), pad(pad) {}

  /// Makes the model for each size. What evaluations will take by estimate is
  /// added to `seconds`.
  LogicalResult prepare(double &seconds);
  LogicalResult run(const Log &log);
  /// That checks would take longer than allowed.
  LogicalResult refuse(double seconds, double budget);

private:
  /// Deterministic, by ascending buckets.
  std::vector<Between> sizes();
  FailureOr<ImportedModel> import(const Between &between);
  LogicalResult prepare(const Between &between, double &seconds);
  LogicalResult check(const Case &each);
  /// The axis of each result that has the rows; sets `axes`.
  LogicalResult findAxes(const Between &between, func::FuncOp smaller);
  LogicalResult compare(const Between &between, const Outputs &expected,
                        const Outputs &padded);
  InFlightDiagnostic error() {
    return emitError(UnknownLoc::get(module.getContext())) << "--pad: ";
  }
  /// "T=127"
  std::string at(int64_t size) const {
    return pad.dim + "=" + std::to_string(size);
  }
  /// "B=1,T=127": all sizes.
  std::string describe(const Between &between) const;
  /// "attention_mask=0": what was declared.
  std::string describeFills();
  /// "T=128, 512"
  std::string describeSizes();

  StringRef path;
  const ImportOptions &options;
  ModuleOp module;
  const UnprovedPad &pad;
  std::optional<SmallVector<int64_t>> axes;
  std::vector<Case> cases;
  double worst = 0; // relative to what is allowed
};

} // namespace

static std::string toText(double value) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.6g", value);
  return text;
}

static std::map<std::string, int64_t> sizesOf(func::FuncOp bucket) {
  std::map<std::string, int64_t> sizes;
  auto attribute = bucket->getAttrOfType<DictionaryAttr>(graph::bucketAttrName);
  for (NamedAttribute size : attribute.getAs<DictionaryAttr>("sizes")) {
    sizes[size.getName().str()] = cast<IntegerAttr>(size.getValue()).getInt();
  }
  return sizes;
}

std::vector<Between> PaddingCheck::sizes() {
  SmallVector<func::FuncOp> buckets = bucketsOf(module, pad.entry);
  llvm::sort(buckets, [&](func::FuncOp a, func::FuncOp b) {
    return std::pair(bucketSize(a, pad.dim), sizesOf(a)) <
           std::pair(bucketSize(b, pad.dim), sizesOf(b));
  });
  std::vector<Between> result;
  for (func::FuncOp bucket : buckets) {
    // The next smaller one that differs in nothing else.
    int64_t size = bucketSize(bucket, pad.dim), below = 0;
    for (func::FuncOp other : buckets) {
      auto sizes = sizesOf(other);
      sizes[pad.dim] = size;
      if (int64_t its = bucketSize(other, pad.dim);
          its < size && sizes == sizesOf(bucket)) {
        below = std::max(below, its);
      }
    }
    if (size - 1 > below) {
      result.push_back({bucket, size - 1, MaskData::Ones});
    }
    int64_t half = below + (size - below) / 2;
    if (half > below && half < size - 1) {
      result.push_back({bucket, half, MaskData::Random});
    }
  }
  return result;
}

std::string PaddingCheck::describe(const Between &between) const {
  std::map<std::string, int64_t> sizes = sizesOf(between.bucket);
  sizes[pad.dim] = between.size;
  return graph::describeSizes(sizes);
}

FailureOr<ImportedModel> PaddingCheck::import(const Between &between) {
  // What varies in other functions alone goes on to do so: names stay.
  ImportOptions smaller = options;
  smaller.dims.padded.clear();
  smaller.dims.buckets.clear();
  for (const graph::DimSizes &set : options.dims.buckets) {
    for (const auto &[name, size] : set) {
      smaller.dims.sizes[name] = {size};
    }
  }
  for (const auto &[name, size] : sizesOf(between.bucket)) {
    smaller.dims.sizes[name] = {size};
  }
  smaller.dims.sizes[pad.dim] = {between.size};
  // Warnings were given when the buckets were imported.
  std::string reason;
  FailureOr<ImportedModel> model = [&] {
    ScopedDiagnosticHandler handler(
        module.getContext(), [&](Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() == DiagnosticSeverity::Error &&
              reason.empty()) {
            reason = diagnostic.str();
          }
          return success();
        });
    return importModel(path, *module.getContext(), smaller);
  }();
  if (failed(model)) {
    return error() << "to be checked the model is made for " << at(between.size)
                   << ", and cannot be: " << reason;
  }
  return model;
}

LogicalResult PaddingCheck::findAxes(const Between &between,
                                     func::FuncOp smaller) {
  func::FuncOp bucket = between.bucket;
  int64_t size = bucketSize(bucket, pad.dim);
  SmallVector<int64_t> found;
  for (unsigned i = 0; i < bucket.getNumResults(); ++i) {
    auto large = cast<RankedTensorType>(bucket.getResultTypes()[i]);
    auto small = cast<RankedTensorType>(smaller.getResultTypes()[i]);
    int64_t &own = found.emplace_back(-1);
    for (int64_t axis = 0; axis < large.getRank(); ++axis) {
      if (small.getRank() == large.getRank() &&
          small.getDimSize(axis) == large.getDimSize(axis)) {
        continue;
      }
      bool isRow = small.getRank() == large.getRank() && own < 0 &&
                   large.getDimSize(axis) == size &&
                   small.getDimSize(axis) == between.size;
      if (!isRow) {
        return emitError(UnknownLoc::get(module.getContext()))
               << "unsupported: --pad: output '" << resultName(bucket, i)
               << "' is " << large << " for " << at(size) << " and " << small
               << " for " << at(between.size)
               << ", expected one dimension of that size";
      }
      own = axis;
    }
  }
  if (axes && *axes != found) {
    return error() << "outputs have rows of '" << pad.dim
                   << "' along other axes for " << at(between.size)
                   << " than for other sizes";
  }
  axes = found;
  return success();
}

std::string PaddingCheck::describeFills() {
  std::string text;
  func::FuncOp first = bucketsOf(module, pad.entry).front();
  for (unsigned i = 0; i < first.getNumArguments(); ++i) {
    Attribute fill = first.getArgAttr(i, graph::fillAttrName);
    if (auto number = dyn_cast_or_null<IntegerAttr>(fill)) {
      bool isBit = number.getType().isInteger(1);
      int64_t value = isBit ? number.getValue().getZExtValue()
                            : number.getValue().getSExtValue();
      text += (text.empty() ? "" : ",") + argumentName(first, i) + "=" +
              std::to_string(value);
    } else if (auto number = dyn_cast_or_null<FloatAttr>(fill)) {
      text += (text.empty() ? "" : ",") + argumentName(first, i) + "=" +
              toText(number.getValueAsDouble());
    }
  }
  return text;
}

std::string PaddingCheck::describeSizes() {
  std::set<int64_t> sizes;
  for (func::FuncOp bucket : bucketsOf(module, pad.entry)) {
    sizes.insert(bucketSize(bucket, pad.dim));
  }
  return pad.dim + "=" +
         llvm::join(
             llvm::map_range(sizes,
                             [](int64_t each) { return std::to_string(each); }),
             ", ");
}

/// The largest magnitude of what `output` is about.
static double scaleOf(const runtime::ExpectedOutput &output) {
  double largest = 0;
  for (double value : output.values) {
    double magnitude = std::abs(value);
    if (magnitude < maskMagnitude) { // no NaN, no infinity
      largest = std::max(largest, magnitude);
    }
  }
  return largest;
}

static bool isFloat(runtime::DType dtype) {
  return dtype == runtime::DType::f32 || dtype == runtime::DType::bf16 ||
         dtype == runtime::DType::f16;
}

/// How far apart; infinite where one is no number.
static double distance(double a, double b) {
  if (a == b || (std::isnan(a) && std::isnan(b))) {
    return 0;
  }
  double difference = std::abs(a - b);
  return std::isnan(difference) ? HUGE_VAL : difference;
}

LogicalResult PaddingCheck::compare(const Between &between,
                                    const Outputs &expected,
                                    const Outputs &padded) {
  int64_t size = bucketSize(between.bucket, pad.dim);
  bool isAnyFinite = false;
  for (auto [output, larger] : llvm::zip_equal(expected, padded)) {
    double scale = scaleOf(output);
    int64_t length = runtime::rowElements(output.dims);
    int64_t largerLength = runtime::rowElements(larger.dims);
    double farthest = 0, farthestShare = 0, ours = 0, theirs = 0;
    for (size_t i = 0; i < output.values.size(); ++i) {
      double right = output.values[i];
      double got = larger.values[i / length * largerLength + i % length];
      isAnyFinite |= std::isfinite(right);
      double apart = distance(right, got);
      double allowed = isFloat(output.dtype)
                           ? mostDifference * std::max(scale, std::abs(right))
                           : 0;
      double share = apart == 0 ? 0 : allowed > 0 ? apart / allowed : HUGE_VAL;
      if (share > farthestShare) {
        farthest = apart;
        farthestShare = share;
        ours = right;
        theirs = got;
      }
    }
    worst = std::max(worst, farthestShare);
    if (farthestShare > 1) {
      return error() << describeFills()
                     << " does not mask what is behind the rows: output '"
                     << output.name << "' at " << at(between.size)
                     << ", padded to " << size << ", is off by up to "
                     << toText(farthest) << " (" << toText(theirs)
                     << ", expected " << toText(ours)
                     << "); without --pad=" << pad.dim << " runs have "
                     << describeSizes();
    }
  }
  if (!isAnyFinite) {
    return error() << "nothing is finite at " << at(between.size)
                   << ", so that what is behind the rows cannot be checked";
  }
  return success();
}

/// The same rows of the results of a larger function.
static std::vector<reference::RowDemand>
rowsIn(func::FuncOp larger, func::FuncOp smaller,
       ArrayRef<reference::RowDemand> rows) {
  std::vector<reference::RowDemand> result;
  for (auto [i, demand] : llvm::enumerate(rows)) {
    auto to = cast<RankedTensorType>(larger.getResultTypes()[i]).getShape();
    auto from = cast<RankedTensorType>(smaller.getResultTypes()[i]).getShape();
    reference::RowDemand &own = result.emplace_back();
    own.all = false;
    if (demand.all) {
      int64_t count =
          runtime::rowCount(absl::MakeConstSpan(from.data(), from.size()));
      for (int64_t row = 0; row < count; ++row) {
        own.rows.push_back(rowIn(to, from, row));
      }
    } else {
      for (int64_t row : demand.rows) {
        own.rows.push_back(rowIn(to, from, row));
      }
    }
  }
  return result;
}

static FailureOr<Outputs> evaluate(func::FuncOp function,
                                   ArrayRef<FunctionInput> inputs,
                                   std::vector<reference::RowDemand> rows) {
  reference::Inputs arguments;
  for (const FunctionInput &input : inputs) {
    arguments.arguments.push_back(input.data.data());
  }
  reference::EvaluationOptions evaluation;
  evaluation.isExact = true;
  evaluation.rows = std::move(rows);
  for (unsigned i = 0; i < function.getNumResults(); ++i) {
    evaluation.outputNames.push_back(resultName(function, i));
  }
  return reference::evaluate(function.getBody().front(), arguments, evaluation);
}

LogicalResult PaddingCheck::prepare(const Between &between, double &seconds) {
  FailureOr<ImportedModel> model = import(between);
  if (failed(model)) {
    return failure();
  }
  func::FuncOp bucket = between.bucket;
  auto smaller = model->module->lookupSymbol<func::FuncOp>(pad.entry);
  if (!smaller) {
    return emitError(UnknownLoc::get(module.getContext()))
           << "unsupported: --pad: the model makes no @" << pad.entry << " for "
           << at(between.size) << ", so that what is behind its rows cannot be "
           << "checked";
  }
  if (failed(findAxes(between, smaller))) {
    return failure();
  }
  Block &body = smaller.getBody().front();
  reference::RowBudget budget;
  budget.seconds = secondsForRows;
  budget.isExact = true;
  std::vector<reference::RowDemand> rows = reference::chooseRows(body, budget);
  std::vector<reference::RowDemand> same = rowsIn(bucket, smaller, rows);
  seconds += reference::estimateSeconds(body, rows, /*isExact=*/true) +
             reference::estimateSeconds(bucket.getBody().front(), same,
                                        /*isExact=*/true);
  cases.push_back(
      {between, std::move(*model), smaller, std::move(rows), std::move(same)});
  return success();
}

LogicalResult PaddingCheck::check(const Case &each) {
  func::FuncOp bucket = each.between.bucket;
  auto inputs = makeInputs(each.smaller, bucket, pad.dim, each.between.masks,
                           /*seed=*/uint64_t(each.between.size));
  if (failed(inputs)) {
    return failure();
  }
  auto padded = padInputs(*inputs, bucket);
  if (failed(padded)) {
    return failure();
  }
  FailureOr<Outputs> expected = evaluate(each.smaller, *inputs, each.rows);
  if (failed(expected)) {
    return failure();
  }
  FailureOr<Outputs> got = evaluate(bucket, *padded, each.bucketRows);
  if (failed(got)) {
    return failure();
  }
  return compare(each.between, *expected, *got);
}

LogicalResult PaddingCheck::prepare(double &seconds) {
  std::vector<Between> between = sizes();
  if (between.empty()) {
    return error() << "no size of '" << pad.dim << "' lies between "
                   << describeSizes();
  }
  for (const Between &each : between) {
    if (failed(prepare(each, seconds))) {
      return failure();
    }
  }
  return success();
}

LogicalResult PaddingCheck::refuse(double seconds, double budget) {
  int64_t needed = std::llround(std::ceil(seconds));
  return error() << "to check that " << describeFills()
                 << " masks what is behind the rows takes " << needed
                 << " s of one core by estimate, expected at most "
                 << toText(budget) << " s; allow it by --pad-budget=" << needed
                 << "s; without --pad=" << pad.dim << " runs have "
                 << describeSizes();
}

LogicalResult PaddingCheck::run(const Log &log) {
  std::vector<std::string> checked;
  for (const Case &each : cases) {
    if (failed(check(each))) {
      return failure();
    }
    checked.push_back(describe(each.between));
  }
  log.line(LogTopic::Phases, "--pad: @" + pad.entry + ": " + describeFills() +
                                 " masks what is behind the rows, checked at " +
                                 llvm::join(checked, ", ") + ": at most " +
                                 toText(worst) + " of what rounding explains");
  return setPads(module, pad.entry, pad.dim, *axes,
                 describeFills() +
                     " masks what is behind its rows, checked in float64 at " +
                     llvm::join(checked, ", "));
}

LogicalResult checkPadding(StringRef path, const ImportOptions &options,
                           ImportedModel &model, double budget,
                           const Log &log) {
  std::list<PaddingCheck> checks;
  double seconds = 0;
  for (const UnprovedPad &pad : model.unprovedPads) {
    checks.emplace_back(path, options, model, pad);
    if (failed(checks.back().prepare(seconds))) {
      return failure();
    }
  }
  if (budget > 0 && seconds > budget) {
    return checks.front().refuse(seconds, budget);
  }
  for (PaddingCheck &check : checks) {
    if (failed(check.run(log))) {
      return failure();
    }
  }
  return success();
}

} // namespace minic
