// SPDX-License-Identifier: Apache-2.0
//
// Parsing and printing of engine names.

#include "runtime/device/cuda/cudnn/EngineText.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

#include <algorithm>

namespace minic::runtime {

/// A number in plain digits; absl's own takes blanks and signs as well.
static bool parseNumber(absl::string_view text, int64_t &value) {
  return !text.empty() &&
         text.find_first_not_of("0123456789") == absl::string_view::npos &&
         absl::SimpleAtoi(text, &value);
}

/// Of a knob: some are -1.
static bool parseValue(absl::string_view text, int64_t &value) {
  bool isNegative = absl::ConsumePrefix(&text, "-");
  bool isGood = parseNumber(text, value);
  value = isNegative ? -value : value;
  return isGood;
}

absl::StatusOr<EngineChoice> parseEngine(absl::string_view text) {
  EngineChoice choice;
  bool isFirst = true;
  for (absl::string_view part : absl::StrSplit(text, '_')) {
    bool isGood;
    if (isFirst) {
      isGood =
          absl::ConsumePrefix(&part, "eng") && parseNumber(part, choice.engine);
      isFirst = false;
    } else {
      std::pair<absl::string_view, absl::string_view> sides =
          absl::StrSplit(part, absl::MaxSplits('=', 1));
      int64_t type = 0, value = 0;
      isGood = absl::ConsumePrefix(&sides.first, "k") &&
               parseNumber(sides.first, type) &&
               parseValue(sides.second, value);
      if (isGood) {
        choice.knobs.emplace_back(type, value);
      }
    }
    if (!isGood) {
      return absl::InvalidArgumentError(absl::StrCat(
          "no cuDNN engine: \"", text, "\"; expected \"eng38_k2=5_k13=1\""));
    }
  }
  return choice;
}

std::string toString(const EngineChoice &choice) {
  std::string text = absl::StrCat("eng", choice.engine);
  for (auto [type, value] : choice.knobs) {
    absl::StrAppend(&text, "_k", type, "=", value);
  }
  return text;
}

// "{engine as JSON}\nWarning: STATUS; Reason: words at: condition\nWarning:
// ...", engines apart by a blank line.
std::string refusals(absl::string_view lastError) {
  constexpr size_t most = 300;
  std::vector<absl::string_view> reasons;
  for (absl::string_view engine : absl::StrSplit(lastError, "\n\n")) {
    std::pair<absl::string_view, absl::string_view> sides =
        absl::StrSplit(engine, absl::MaxSplits("Reason: ", 1));
    absl::string_view line = sides.second.substr(0, sides.second.find('\n'));
    absl::string_view reason = line.substr(0, line.rfind(" at: "));
    if (!reason.empty() &&
        std::find(reasons.begin(), reasons.end(), reason) == reasons.end()) {
      reasons.push_back(reason);
    }
  }
  return absl::StrJoin(reasons, "; ").substr(0, most);
}

} // namespace minic::runtime
