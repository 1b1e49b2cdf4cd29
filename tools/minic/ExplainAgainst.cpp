// SPDX-License-Identifier: Apache-2.0
//
// Fusions are aligned by their longest common subsequence of labels; what lies
// between is fused in another way.

#include "tools/minic/ExplainAgainst.h"

#include "compiler/explain/Evidence.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace minic {

using Json = nlohmann::ordered_json;
using Fusions = std::vector<FusionEvidence>;

namespace {

/// Fusions [beginA, endA) of one are [beginB, endB) of the other; one each
/// where both have it.
struct Stretch {
  size_t beginA, endA, beginB, endB;
  bool isMatch;
};

struct Difference {
  std::string what, text, a, b;
  std::vector<size_t> fusions; // of A, or of B where A has none
  bool isMeasured = true;
  double deltaUs = 0;
};

} // namespace

static std::vector<Stretch> align(const Fusions &a, const Fusions &b) {
  // longest[i][j]: of a from i on and b from j on.
  std::vector<std::vector<uint32_t>> longest(
      a.size() + 1, std::vector<uint32_t>(b.size() + 1));
  for (size_t i = a.size(); i-- > 0;) {
    for (size_t j = b.size(); j-- > 0;) {
      longest[i][j] = a[i].label == b[j].label
                          ? longest[i + 1][j + 1] + 1
                          : std::max(longest[i + 1][j], longest[i][j + 1]);
    }
  }
  std::vector<Stretch> result;
  size_t i = 0, j = 0, gapA = 0, gapB = 0;
  auto endGap = [&] {
    if (gapA < i || gapB < j) {
      result.push_back({gapA, i, gapB, j, false});
    }
  };
  while (i < a.size() && j < b.size()) {
    if (a[i].label == b[j].label) {
      endGap();
      result.push_back({i, i + 1, j, j + 1, true});
      gapA = ++i, gapB = ++j;
    } else if (longest[i + 1][j] >= longest[i][j + 1]) {
      ++i;
    } else {
      ++j;
    }
  }
  i = a.size(), j = b.size();
  endGap();
  return result;
}

static std::string count(size_t number, const char *what) {
  static const char *const words[] = {"no", "one", "two", "three"};
  std::string text = number < 4 ? words[number] : std::to_string(number);
  return text + " " + what + (number == 1 ? "" : "s");
}

/// "NAME (12.00 us)" of each.
static std::string describe(const Fusions &fusions, size_t begin, size_t end,
                            bool withLabel) {
  std::string text;
  for (size_t i = begin; i < end; ++i) {
    const FusionEvidence &fusion = fusions[i];
    text += (text.empty() ? "" : "; ") +
            (withLabel ? fusion.label + " by " : std::string()) +
            (fusion.candidate.empty() ? fusion.choice : fusion.candidate);
    if (fusion.timeUs > 0) {
      text += llvm::formatv(" ({0:F2} us)", fusion.timeUs).str();
    }
  }
  return text;
}

static bool sumTimes(const Fusions &fusions, size_t begin, size_t end,
                     double &sum) {
  for (size_t i = begin; i < end; ++i) {
    sum += fusions[i].timeUs;
    if (fusions[i].timeUs <= 0) {
      return false;
    }
  }
  return true;
}

static std::optional<Difference>
difference(const Stretch &stretch, const Fusions &a, const Fusions &b) {
  auto [beginA, endA, beginB, endB, isMatch] = stretch;
  Difference result;
  double before = 0, after = 0;
  result.isMeasured =
      sumTimes(a, beginA, endA, before) && sumTimes(b, beginB, endB, after);
  result.deltaUs = result.isMeasured ? after - before : 0;
  result.a = describe(a, beginA, endA, !isMatch);
  result.b = describe(b, beginB, endB, !isMatch);
  if (isMatch) {
    const FusionEvidence &one = a[beginA], &other = b[beginB];
    result.what = one.label;
    result.fusions = {beginA};
    if (one.parts != other.parts) {
      result.text = "is " + count(other.parts, "kernel") + " in B, " +
                    count(one.parts, "kernel") + " in A";
    } else if (one.choice != other.choice) {
      result.text = "is implemented in another way in B";
    } else if (std::abs(result.deltaUs) > 0.01 * before) {
      result.text = "has the same implementation and another time";
    } else {
      return std::nullopt;
    }
    return result;
  }
  size_t inA = endA - beginA, inB = endB - beginB;
  for (size_t i = inA ? beginA : beginB; i < (inA ? endA : endB); ++i) {
    result.fusions.push_back(i);
    result.what +=
        (result.what.empty() ? "" : " and ") + (inA ? a : b)[i].label;
  }
  result.text = inA == 0 ? "is a fusion in B alone"
                : inB == 0
                    ? "is a fusion in A alone"
                    : llvm::formatv("{0} {1} in B", inA == 1 ? "is" : "are",
                                    count(inB, "fusion"))
                          .str();
  return result;
}

static Json toJson(const Difference &d) {
  return {{"fusions", d.fusions},
          {"fusion", d.what},
          {"text", d.text},
          {"a", d.a.empty() ? Json(nullptr) : Json(d.a)},
          {"b", d.b.empty() ? Json(nullptr) : Json(d.b)},
          {"delta_us", d.isMeasured ? Json(d.deltaUs) : Json(nullptr)}};
}

static Json compare(const FunctionEvidence &a, const FunctionEvidence &b) {
  // Layers differ alike: they are one difference.
  std::map<std::tuple<std::string, std::string, bool>, Difference> merged;
  for (const Stretch &stretch : align(a.fusions, b.fusions)) {
    std::optional<Difference> found = difference(stretch, a.fusions, b.fusions);
    if (!found) {
      continue;
    }
    auto [entry, isNew] = merged.try_emplace(
        {found->what, found->text + "\n" + found->a + "\n" + found->b,
         found->isMeasured},
        *found);
    if (!isNew) {
      llvm::append_range(entry->second.fusions, found->fusions);
      entry->second.deltaUs += found->deltaUs;
    }
  }
  std::vector<Difference> differences;
  double known = 0;
  size_t unknown = 0;
  for (auto &[key, each] : merged) {
    known += each.deltaUs;
    unknown += each.isMeasured ? 0 : 1;
    differences.push_back(std::move(each));
  }
  llvm::stable_sort(differences, [](const Difference &x, const Difference &y) {
    return std::tuple(!x.isMeasured, -std::abs(x.deltaUs), x.fusions) <
           std::tuple(!y.isMeasured, -std::abs(y.deltaUs), y.fusions);
  });
  std::string summary =
      differences.empty() ? "A and B are the same"
      : unknown == differences.size()
          ? "what differs was not measured; --mode=max-autotune measures"
          : llvm::formatv("B is {0:F2} us {1}, by the sum of its fusions alone",
                          std::abs(known), known > 0 ? "slower" : "faster")
                .str();
  if (unknown > 0 && unknown < differences.size()) {
    summary += "; " + count(unknown, "difference") + " not measured";
  }
  Json json = {{"summary", summary},
               {"whole_model", {{"a", a.verdict}, {"b", b.verdict}}},
               {"differences", Json::array()}};
  for (const Difference &each : differences) {
    json["differences"].push_back(toJson(each));
  }
  return json;
}

static const format::Function *find(const format::Artifact &artifact,
                                    const std::string &name) {
  for (const format::Function *function : *artifact.functions()) {
    if (function->name()->str() == name) {
      return function;
    }
  }
  return nullptr;
}

static std::optional<FunctionEvidence>
evidenceOf(const format::Variant &variant) {
  return variant.evidence() ? parseEvidence(variant.evidence()->str())
                            : std::nullopt;
}

absl::StatusOr<Json> compareArtifacts(const format::Artifact &a,
                                      const std::string &pathA,
                                      const format::Artifact &b,
                                      const std::string &pathB) {
  Json json = {{"format", "minic-against"},
               {"version", 1},
               {"a", {{"path", pathA}, {"compiler", a.compiler()->str()}}},
               {"b", {{"path", pathB}, {"compiler", b.compiler()->str()}}},
               {"comparisons", Json::array()}};
  for (const format::Function *function : *a.functions()) {
    const format::Function *other = find(b, function->name()->str());
    if (!other) {
      continue;
    }
    size_t variants =
        std::min(function->variants()->size(), other->variants()->size());
    for (size_t i = 0; i < variants; ++i) {
      const format::Variant &variant = *function->variants()->Get(i);
      auto one = evidenceOf(variant);
      auto two = evidenceOf(*other->variants()->Get(i));
      if (!one || !two) {
        return absl::NotFoundError(
            "no evidence in '" + (one ? pathB : pathA) +
            "', expected an artifact that says why it was compiled so");
      }
      Json item = {{"function", function->name()->str()},
                   {"target", variant.target()->str()}};
      item.update(compare(*one, *two));
      json["comparisons"].push_back(std::move(item));
    }
  }
  if (json["comparisons"].empty()) {
    return absl::NotFoundError("no function of '" + pathA + "' is in '" +
                               pathB + "'");
  }
  return json;
}

std::string againstText(const Json &comparison) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "A: " << comparison["a"]["path"].get<std::string>()
     << "\nB: " << comparison["b"]["path"].get<std::string>() << '\n';
  for (const Json &function : comparison["comparisons"]) {
    os << "function " << function["function"].get<std::string>() << ", "
       << function["target"].get<std::string>() << ": "
       << function["summary"].get<std::string>() << '\n';
    for (const Json &each : function["differences"]) {
      std::vector<size_t> fusions = each["fusions"];
      os << (each["delta_us"].is_null()
                 ? "  not measured"
                 : llvm::formatv("  {0}{1:F2} us",
                                 each["delta_us"].get<double>() < 0 ? "-" : "+",
                                 std::abs(each["delta_us"].get<double>()))
                       .str())
         << ": fusion" << (fusions.size() == 1 ? " " : "s ");
      llvm::interleaveComma(fusions, os);
      os << ' ' << each["fusion"].get<std::string>() << ' '
         << each["text"].get<std::string>() << '\n';
      for (const char *side : {"a", "b"}) {
        if (each[side].is_string()) {
          os << "     in " << (*side == 'a' ? 'A' : 'B') << ": "
             << each[side].get<std::string>() << '\n';
        }
      }
    }
  }
  return text;
}

} // namespace minic
