// SPDX-License-Identifier: Apache-2.0
//
// Counts to running shares.

#include "compiler/sizes/SizeDistribution.h"

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

#include <algorithm>
#include <map>

namespace minic::sizes {

SizeDistribution SizeDistribution::uniform(int64_t from, int64_t to) {
  SizeDistribution result;
  double count = double(to - from + 1);
  for (int64_t size = from; size <= to; ++size) {
    result.sizes_.push_back(size);
    result.shares_.push_back(double(size - from + 1) / count);
  }
  return result;
}

absl::StatusOr<SizeDistribution>
SizeDistribution::parse(const std::string &text, const std::string &name,
                        int64_t from, int64_t to) {
  std::map<int64_t, double> counts = {{to, 0}};
  double all = 0;
  int64_t number = 0;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    ++number;
    line = absl::StripAsciiWhitespace(line.substr(0, line.find('#')));
    if (line.empty()) {
      continue;
    }
    std::vector<absl::string_view> words =
        absl::StrSplit(line, absl::ByAnyChar(" \t,"), absl::SkipEmpty());
    int64_t size = 0, count = 1;
    if (words.size() > 2 || !absl::SimpleAtoi(words[0], &size) ||
        (words.size() == 2 &&
         (!absl::SimpleAtoi(words[1], &count) || count < 0))) {
      return absl::InvalidArgumentError(
          absl::StrCat(name, ":", number,
                       ": expected SIZE or SIZE COUNT, got '", line, "'"));
    }
    if (size < from || size > to) {
      return absl::InvalidArgumentError(
          absl::StrCat(name, ":", number, ": expected a size from ", from,
                       " to ", to, ", got ", size));
    }
    counts[size] += double(count);
    all += double(count);
  }
  if (all == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, ": expected sizes, a line for each, got none"));
  }
  SizeDistribution result;
  double sum = 0;
  for (auto [size, count] : counts) {
    if (count == 0 && size != to) {
      continue;
    }
    sum += count;
    result.sizes_.push_back(size);
    result.shares_.push_back(sum / all);
  }
  return result;
}

size_t SizeDistribution::indexAtMost(int64_t size) const {
  auto above = std::upper_bound(sizes_.begin(), sizes_.end(), size);
  return above == sizes_.begin() ? 0 : size_t(above - sizes_.begin() - 1);
}

double SizeDistribution::meanSize() const {
  double mean = 0;
  for (size_t i = 0; i < sizes_.size(); ++i) {
    mean += share(i) * double(sizes_[i]);
  }
  return mean;
}

} // namespace minic::sizes
