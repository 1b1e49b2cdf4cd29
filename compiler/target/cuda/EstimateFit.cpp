// SPDX-License-Identifier: Apache-2.0
//
// A kind without its numbers is what a line is fitted to; a kind without a line
// of its own has that of the kind with a word less. A correction is a factor
// whose logarithm is a sum over features.

#include "compiler/target/cuda/EstimateFit.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <cmath>
#include <optional>

using namespace mlir;

namespace minic::cuda {

namespace {

struct Fit {
  llvm::StringLiteral kind;
  double offsetUs, factor;
  double leastUs; // below it, in proportion to the estimate
  double mostUs;  // beyond it, parallel to the estimate
};

/// Of an H200 and an H100.
const Fit hopperFits[] = {
#include "compiler/target/cuda/EstimateFits.inc"
};

/// Of the features of one group; no feature's name: the constant.
struct Correction {
  llvm::StringLiteral group, feature;
  double coefficient;
  double least, most; // the feature's values in records; beyond them, these
};

const Correction corrections[] = {
#include "compiler/target/cuda/EstimateCorrections.inc"
};

/// How far the logarithm of a correction goes. fit_corrections.py reads it
/// here.
constexpr double leastCorrection = -0.5, mostCorrection = 0.9;

} // namespace

/// Of the kind of these words, or of as many of the first as have one.
static const Fit *findFit(SmallVector<StringRef> words) {
  for (; !words.empty(); words.pop_back()) {
    std::string kind = llvm::join(words, " ");
    const auto *found = llvm::find_if(
        hopperFits, [&](const Fit &fit) { return fit.kind == kind; });
    if (found != std::end(hopperFits)) {
      return found;
    }
  }
  return nullptr;
}

static double valueOf(const EstimateFeatures &features, StringRef name) {
  auto found = llvm::find_if(
      features, [&](const auto &feature) { return feature.first == name; });
  return found == features.end() ? 0 : found->second;
}

/// None where `group` has no records of products as large or as small.
static std::optional<double> findCorrection(StringRef group,
                                            const EstimateFeatures &features) {
  double sum = 0;
  bool any = false;
  for (const Correction &each : corrections) {
    if (each.group != group) {
      continue;
    }
    any = true;
    double value = each.feature.empty() ? 1 : valueOf(features, each.feature);
    bool isSize =
        each.feature == "m" || each.feature == "n" || each.feature == "k";
    constexpr double rounding = 1e-3;
    if (isSize &&
        (value < each.least - rounding || value > each.most + rounding)) {
      return std::nullopt;
    }
    sum += each.coefficient * std::clamp(value, each.least, each.most);
  }
  return any ? std::make_optional(
                   std::exp(std::clamp(sum, leastCorrection, mostCorrection)))
             : std::nullopt;
}

/// By the line of the kind.
static double fitLine(StringRef source, const Implementation &implementation) {
  double estimate = implementation.estimateUs;
  StringRef kind = implementation.kind;
  SmallVector<StringRef> words;
  (kind.empty() ? source : kind).split(words, ' ');
  llvm::erase_if(words, [](StringRef word) {
    return word.empty() || llvm::isDigit(word.front());
  });
  const Fit *fit = findFit(words);
  constexpr double leastUs = 0.4; // lines would cross 0
  if (!fit) {
    return estimate;
  }
  double at = std::clamp(estimate, fit->leastUs, fit->mostUs);
  double value = std::max(leastUs, fit->offsetUs + fit->factor * at);
  return estimate < at ? value * estimate / at : value + estimate - at;
}

double fitEstimate(const DeviceProfile &profile, StringRef source,
                   const ProductSizes *sizes,
                   const Implementation &implementation) {
  double estimate = implementation.estimateUs;
  if (profile.smVersion != 90 || estimate <= 0) {
    return estimate;
  }
  if (sizes) {
    DictionaryAttr schedule = implementation.impl.getSchedule();
    std::string group = groupOf(source, *sizes, schedule);
    if (auto factor = findCorrection(
            group, getEstimateFeatures(source, *sizes, schedule, estimate,
                                       profile.smCount))) {
      return estimate * *factor;
    }
  }
  return fitLine(source, implementation);
}

} // namespace minic::cuda
