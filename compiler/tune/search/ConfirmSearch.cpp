// SPDX-License-Identifier: Apache-2.0
//
// A number, a time, and a question.

#include "compiler/tune/search/ConfirmSearch.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

#include <algorithm>
#include <iostream>

namespace minic::tune {

/// Candidates that are searched without a question.
static constexpr int64_t mostUnasked = 1000;

double SearchSize::seconds() const {
  // A candidate's share of its search: of 269 for 256x1024x1024 in f32 on one
  // thread of a Zen 4, and of thousands for an H200 beside 16 cores
  // (docs/measurements/2026-11-29-h200.md, exhaustive searches).
  double build = (onGpu ? 0.24 : 0.02) / std::max(builders, 1);
  double measure = onGpu ? 0.01 : 0.12;
  // Both overlap on a GPU alone.
  return double(candidates) *
         (onGpu ? std::max(build, measure) : build + measure);
}

std::string describe(const SearchSize &size) {
  double minutes = std::max(1.0, size.seconds() / 60);
  return absl::StrFormat(
      "%d schedules of %d problem%s to build and measure, about %.0f minute%s",
      size.candidates, size.problems, size.problems == 1 ? "" : "s", minutes,
      minutes < 1.5 ? "" : "s");
}

absl::Status confirmSearch(const SearchSize &size, std::istream *terminal) {
  if (size.candidates <= mostUnasked) {
    return absl::OkStatus();
  }
  std::cerr << "minic: --search=exhaustive: " << describe(size);
  if (!terminal) {
    std::cerr << '\n';
    return absl::OkStatus();
  }
  std::cerr << "; go on? [y/N] " << std::flush;
  std::string answer;
  std::getline(*terminal, answer);
  return answer == "y" || answer == "yes"
             ? absl::OkStatus()
             : absl::CancelledError(
                   "--search=exhaustive was not confirmed; --tune-budget "
                   "bounds it, --search=guided measures less");
}

} // namespace minic::tune
