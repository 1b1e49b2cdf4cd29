// SPDX-License-Identifier: Apache-2.0
//
// Comparing an output with what the reference or a trusted run says of it.

#include "runtime/measure/ElementReader.h"
#include "runtime/measure/ExpectedOutputs.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <system_error>
#include <thread>
#include <vector>

namespace minic::runtime {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// How far rows not given may be from a trusted run; see the header.
constexpr double trustedToleranceFactor = 4;

/// Distance of one element, 0 where it is right by rule (NaN meets NaN).
double distance(double expected, double got, double tolerance,
                double overflow) {
  if (std::isinf(tolerance) || got == expected ||
      (std::isnan(expected) && std::isnan(got))) {
    return 0;
  }
  if (std::isnan(expected) || std::isnan(got)) {
    return infinity;
  }
  // Also an expected infinity: it is beyond every dtype's largest.
  if (std::isinf(got) && std::signbit(got) == std::signbit(expected) &&
      std::abs(expected) + tolerance >= overflow) {
    return 0;
  }
  return std::abs(got - expected);
}

/// "y[3, 17]"
std::string elementName(const ExpectedOutput &expected, int64_t element) {
  std::vector<int64_t> indices(expected.dims.size());
  for (size_t i = indices.size(); i-- > 0;) {
    indices[i] = element % expected.dims[i];
    element /= expected.dims[i];
  }
  return absl::StrCat(expected.name, "[", absl::StrJoin(indices, ", "), "]");
}

/// NaN has no sign that would mean anything.
std::string number(double value) {
  return std::isnan(value) ? "nan" : absl::StrFormat("%.9g", value);
}

/// Gathers elements into a Comparison.
class Gatherer {
public:
  explicit Gatherer(const ExpectedOutput &expected) : expected(expected) {}

  void add(int64_t element, double want, double got, double tolerance,
           double error, const char *wanted) {
    // A tolerance that is no number allows nothing.
    double ratio = error == 0      ? 0
                   : tolerance > 0 ? error / tolerance
                                   : infinity;
    if (ratio > result.worst) {
      result.worst = ratio;
      result.worstElement = {element, want, got, error, tolerance};
    }
    result.maxAbsoluteError = std::max(result.maxAbsoluteError, error);
    if (std::isfinite(want)) {
      largest = std::max(largest, std::abs(want));
    }
    if (ratio > 1 && mismatches++ == 0) {
      first = absl::StrFormat("output %s: %s %s ±%.3g, got %s",
                              elementName(expected, element), wanted,
                              number(want), tolerance, number(got));
    }
    ++elements;
  }

  /// Takes in an element that changes nothing but the largest values: a number
  /// that is no further from a number than the worst so far, by tolerances.
  /// False, and nothing is done, for any other.
  bool addUnremarkable(double want, double got, double tolerance) {
    double error = std::abs(got - want);
    double bound = std::min(result.worst, 1.0) * tolerance;
    if (!(error <= bound && bound < infinity)) {
      return false; // a NaN is neither
    }
    result.maxAbsoluteError = std::max(result.maxAbsoluteError, error);
    largest = std::max(largest, std::abs(want));
    ++elements;
    return true;
  }

  /// Takes in elements that are equal, `largest` of them at most.
  void addEqual(int64_t count, double largest) {
    elements += count;
    this->largest = std::max(this->largest, largest);
  }

  /// Takes in what was gathered of elements behind these.
  void append(const Gatherer &later) {
    if (later.result.worst > result.worst) {
      result.worst = later.result.worst;
      result.worstElement = later.result.worstElement;
    }
    result.maxAbsoluteError =
        std::max(result.maxAbsoluteError, later.result.maxAbsoluteError);
    largest = std::max(largest, later.largest);
    first = mismatches == 0 ? later.first : first;
    mismatches += later.mismatches;
    elements += later.elements;
  }

  Comparison finish(int64_t allowedMismatches = 0) {
    if (result.maxAbsoluteError > 0) {
      result.maxRelativeError = result.maxAbsoluteError / largest;
    }
    if (mismatches <= allowedMismatches) {
      result.worst = std::min(result.worst, 1.0);
    } else {
      result.matches = false;
      result.detail = mismatches == 1
                          ? first
                          : absl::StrCat(first, " (", mismatches, " of ",
                                         elements, " elements compared)");
    }
    return result;
  }

private:
  const ExpectedOutput &expected;
  Comparison result;
  int64_t elements = 0, mismatches = 0;
  double largest = 0;
  std::string first;
};

/// Elements that are compared as one word of bits.
int64_t elementsOfWord(DType dtype) { return 8 / elementBytes(dtype); }

/// Whether the word that begins at `element` is the same in both.
bool areEqual(const void *a, const void *b, DType dtype, int64_t element) {
  auto word = [=](const void *data) {
    uint64_t bits;
    std::memcpy(&bits,
                static_cast<const std::byte *>(data) +
                    element * elementBytes(dtype),
                sizeof(bits));
    return bits;
  };
  return word(a) == word(b);
}

/// Largest finite magnitude of elements [begin, end). Bits of 16-bit floats are
/// ordered as their magnitudes are.
double largestOf(const void *data, DType dtype, int64_t begin, int64_t end) {
  if (dtype == DType::bf16 || dtype == DType::f16) {
    const auto *bits = static_cast<const uint16_t *>(data);
    const uint16_t infinite = dtype == DType::bf16 ? 0x7f80 : 0x7c00;
    uint16_t largest = 0;
    for (int64_t i = begin; i < end; ++i) {
      uint16_t magnitude = bits[i] & 0x7fff;
      largest =
          std::max<uint16_t>(largest, magnitude < infinite ? magnitude : 0);
    }
    return readElement(&largest, dtype, 0);
  }
  double largest = 0;
  for (int64_t i = begin; i < end; ++i) {
    double value = std::abs(readElement(data, dtype, i));
    largest = std::isfinite(value) ? std::max(largest, value) : largest;
  }
  return largest;
}

/// Largest finite tolerance of the given rows.
double largestTolerance(const ExpectedOutput &expected) {
  double largest = 0;
  for (double tolerance : expected.tolerances) {
    if (std::isfinite(tolerance)) {
      largest = std::max(largest, tolerance);
    }
  }
  return largest;
}

/// How many of `elements` may take the other branch: the rate among the given
/// elements, plus 3 of them (the 95 % bound on a rate of which none was seen).
int64_t likelyAlternatives(const ExpectedOutput &expected, int64_t elements) {
  if (expected.alternatives.empty()) {
    return 0;
  }
  int64_t seen = 3;
  for (double alternative : expected.alternatives) {
    seen += !std::isnan(alternative);
  }
  double rate =
      std::min(1.0, double(seen) / double(expected.alternatives.size()));
  return int64_t(std::ceil(rate * double(elements)));
}

} // namespace

Comparison compare(const ExpectedOutput &expected, const void *data) {
  Gatherer gatherer(expected);
  int64_t row = rowElements(expected.dims);
  double overflow = overflowThreshold(expected.dtype);
  int64_t given = 0, column = 0;
  for (size_t i = 0; i < expected.values.size(); ++i, ++column) {
    if (column == row) {
      ++given, column = 0;
    }
    int64_t element =
        (expected.rows.empty() ? given : expected.rows[given]) * row + column;
    double got = readElement(data, expected.dtype, element);
    double want = expected.values[i], tolerance = expected.tolerances[i];
    if (gatherer.addUnremarkable(want, got, tolerance)) {
      continue;
    }
    double error = distance(want, got, tolerance, overflow);
    if (!(error <= tolerance) && !expected.alternatives.empty() &&
        !std::isnan(expected.alternatives[i])) {
      error = std::min(
          error, distance(expected.alternatives[i], got, tolerance, overflow));
    }
    gatherer.add(element, want, got, tolerance, error, "expected");
  }
  return gatherer.finish();
}

namespace {

/// Of compareWithTrusted(): what all its rows have in common.
struct TrustedRun {
  const ExpectedOutput &expected;
  const void *trusted, *data;
  double overflow = overflowThreshold(expected.dtype);
  double tolerance = trustedToleranceFactor * largestTolerance(expected);

  /// Gathers those of rows [begin, end) that are not given.
  void compareRows(int64_t begin, int64_t end, Gatherer &gatherer) const {
    auto nextGiven =
        std::lower_bound(expected.rows.begin(), expected.rows.end(), begin);
    for (int64_t r = begin; r < end; ++r) {
      if (nextGiven != expected.rows.end() && *nextGiven == r) {
        ++nextGiven;
      } else {
        compareRow(r, gatherer);
      }
    }
  }

  void compareRow(int64_t r, Gatherer &gatherer) const {
    // Most elements are the same number, rounded alike.
    int64_t row = rowElements(expected.dims), end = (r + 1) * row;
    int64_t width = elementsOfWord(expected.dtype), same = 0;
    for (int64_t element = r * row; element < end; ++element) {
      if (element + width <= end &&
          areEqual(trusted, data, expected.dtype, element)) {
        same += width, element += width - 1;
        continue;
      }
      double want = readElement(trusted, expected.dtype, element);
      double got = readElement(data, expected.dtype, element);
      if (gatherer.addUnremarkable(want, got, tolerance)) {
        continue;
      }
      // A finite value where the trusted run overflowed is within tolerance of
      // the threshold, or wrong.
      double error = distance(want, got, tolerance, overflow);
      if (std::isinf(want) && std::isfinite(got) &&
          std::abs(got) + tolerance >= overflow &&
          std::signbit(want) == std::signbit(got)) {
        error = 0;
      }
      gatherer.add(element, want, got, tolerance, error, "trusted run has");
    }
    gatherer.addEqual(same, largestOf(trusted, expected.dtype, r * row, end));
  }
};

/// Threads that have at least so many elements each, and so many at most.
constexpr int64_t elementsOfThread = int64_t(1) << 19, mostThreads = 8;

int64_t threadsFor(int64_t rows, int64_t row) {
  int64_t cores = std::max(1U, std::thread::hardware_concurrency());
  return std::clamp<int64_t>(
      rows * row / elementsOfThread, 1,
      std::min({cores, mostThreads, std::max<int64_t>(rows, 1)}));
}

} // namespace

Comparison compareWithTrusted(const ExpectedOutput &expected,
                              const void *trusted, const void *data) {
  if (expected.rows.empty()) {
    return Gatherer(expected).finish();
  }
  int64_t rows = rowCount(expected.dims), row = rowElements(expected.dims);
  int64_t parts = threadsFor(rows, row);
  TrustedRun run{expected, trusted, data};
  std::vector<Gatherer> gatherers(parts, Gatherer(expected));
  auto comparePart = [&](int64_t part) {
    run.compareRows(part * rows / parts, (part + 1) * rows / parts,
                    gatherers[part]);
  };
  std::vector<std::thread> threads;
  for (int64_t part = 1; part < parts; ++part) {
    try {
      threads.emplace_back(comparePart, part);
    } catch (const std::system_error &) { // no thread is to be had
      comparePart(part);
    }
  }
  comparePart(0);
  for (std::thread &thread : threads) {
    thread.join();
  }
  for (int64_t part = 1; part < parts; ++part) {
    gatherers[0].append(gatherers[part]);
  }
  int64_t others = (rows - int64_t(expected.rows.size())) * row;
  return gatherers[0].finish(likelyAlternatives(expected, others));
}

} // namespace minic::runtime
