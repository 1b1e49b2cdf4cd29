// SPDX-License-Identifier: Apache-2.0
//
// Fields by their number.

#include "runtime/measure/KernelCounts.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"

#include <vector>

namespace minic::runtime {

static std::optional<absl::string_view> fieldAt(absl::string_view text,
                                                size_t index) {
  std::vector<absl::string_view> fields =
      absl::StrSplit(text, absl::ByAnyChar(" \n"), absl::SkipEmpty());
  return index < fields.size() ? std::optional(fields[index]) : std::nullopt;
}

static std::optional<int64_t>
parseCount(std::optional<absl::string_view> field) {
  int64_t count = 0;
  bool isCount = field && absl::SimpleAtoi(*field, &count) && count >= 0;
  return isCount ? std::optional(count) : std::nullopt;
}

std::optional<int64_t> parseRunnable(absl::string_view loadavg) {
  std::optional<absl::string_view> field = fieldAt(loadavg, 3);
  return field ? parseCount(field->substr(0, field->find('/'))) : std::nullopt;
}

std::optional<double> parseRunDelayUs(absl::string_view schedstat) {
  std::optional<int64_t> nanoseconds = parseCount(fieldAt(schedstat, 1));
  return nanoseconds ? std::optional(double(*nanoseconds) * 1e-3)
                     : std::nullopt;
}

std::optional<double> parseStolenUs(absl::string_view stat,
                                    double ticksPerSecond) {
  absl::string_view line = stat.substr(0, stat.find('\n'));
  if (fieldAt(line, 0) != "cpu" || ticksPerSecond <= 0) {
    return std::nullopt;
  }
  std::optional<int64_t> ticks = parseCount(fieldAt(line, 8));
  return ticks ? std::optional(double(*ticks) * 1e6 / ticksPerSecond)
               : std::nullopt;
}

} // namespace minic::runtime
