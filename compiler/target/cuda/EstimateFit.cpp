// SPDX-License-Identifier: Apache-2.0
//
// A kind without its numbers is what a line is fitted to; a kind without a line
// of its own has that of the kind with a word less.

#include "compiler/target/cuda/EstimateFit.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>

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

double fitEstimate(const DeviceProfile &profile, StringRef source,
                   const Implementation &implementation) {
  double estimate = implementation.estimateUs;
  if (profile.smVersion != 90) {
    return estimate;
  }
  StringRef kind = implementation.kind;
  SmallVector<StringRef> words;
  (kind.empty() ? source : kind).split(words, ' ');
  llvm::erase_if(words, [](StringRef word) {
    return word.empty() || llvm::isDigit(word.front());
  });
  const Fit *fit = findFit(words);
  constexpr double leastUs = 0.4; // lines would cross 0
  if (!fit || estimate <= 0) {
    return estimate;
  }
  double at = std::clamp(estimate, fit->leastUs, fit->mostUs);
  double value = std::max(leastUs, fit->offsetUs + fit->factor * at);
  return estimate < at ? value * estimate / at : value + estimate - at;
}

} // namespace minic::cuda
