// SPDX-License-Identifier: Apache-2.0
//
// Compare and select: where operands are closer than their errors, either
// answer is right.

#include "compiler/reference/CarriedError.h"
#include "compiler/reference/PointwiseMeanings.h"

namespace minic::reference {

static bool holds(graph::ComparePredicate predicate, double a, double b) {
  using P = graph::ComparePredicate;
  switch (predicate) {
  case P::Eq:
    return a == b;
  case P::Ne:
    return a != b;
  case P::Lt:
    return a < b;
  case P::Le:
    return a <= b;
  case P::Gt:
    return a > b;
  case P::Ge:
    return a >= b;
  }
  llvm_unreachable("all predicates are handled");
}

ScalarMeaning compareMeaning(graph::ComparePredicate predicate) {
  return [=](const Bounded *operands) -> Meaning {
    auto [x, ex] = operands[0];
    auto [y, ey] = operands[1];
    double value = holds(predicate, x, y);
    if (ex == 0 && ey == 0) {
      return {value, 0, 0};
    }
    // Certain where the intervals are apart. NaN has no error.
    bool apart = std::isnan(x) || std::isnan(y) || std::abs(x - y) > ex + ey;
    return {value, apart && ex + ey != kAnything ? 0.0 : 1.0, 0};
  };
}

ScalarMeaning selfCompareMeaning(graph::ComparePredicate predicate) {
  double nan = std::nan("");
  bool dependsOnNan = holds(predicate, 0, 0) != holds(predicate, nan, nan);
  return [=](const Bounded *operands) -> Meaning {
    auto [x, error] = operands[0];
    bool mayBeNan = error == kAnything;
    return {double(holds(predicate, x, x)),
            dependsOnNan && mayBeNan ? 1.0 : 0.0, 0};
  };
}

Meaning isNanMeaning(const Bounded *operands) {
  return {double(std::isnan(operands[0].value)),
          operands[0].error == kAnything ? 1.0 : 0.0, 0};
}

Meaning selectMeaning(const Bounded *operands) {
  const Bounded &chosen = operands[operands[0].value != 0 ? 1 : 2];
  const Bounded &other = operands[operands[0].value != 0 ? 2 : 1];
  if (operands[0].error == 0) {
    return {chosen.value, chosen.error, 0};
  }
  if (chosen.error == kAnything || other.error == kAnything) {
    return kUnknown;
  }
  // Either branch, and whatever lies between them.
  Meaning meaning = carry(chosen.value, {other.value});
  meaning.carried = std::max(chosen.error, meaning.carried + other.error);
  return meaning;
}

} // namespace minic::reference
