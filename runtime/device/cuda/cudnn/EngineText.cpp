// SPDX-License-Identifier: Apache-2.0
//
// Parsing and printing of engine names.

#include "runtime/device/cuda/cudnn/EngineText.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

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

} // namespace minic::runtime
