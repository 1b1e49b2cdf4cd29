// SPDX-License-Identifier: Apache-2.0
//
// Evidence is the JSON of compiler/explain/Evidence.h.

#include "tools/minic-bench/PeakShare.h"

#include "absl/strings/str_format.h"

#include "nlohmann/json.hpp"

namespace minic::tools {

using runtime::PeakDtype;

static double numberOf(const nlohmann::json &object, const char *name) {
  auto it = object.find(name);
  return it != object.end() && it->is_number() ? it->get<double>() : 0;
}

static PeakDtype dtypeOf(const nlohmann::json &fusion) {
  auto it = fusion.find("dtype");
  for (PeakDtype dtype : {PeakDtype::bf16, PeakDtype::f16}) {
    if (it != fusion.end() && it->is_string() &&
        it->get<std::string>() == runtime::toString(dtype)) {
      return dtype;
    }
  }
  return PeakDtype::f32;
}

Arithmetic readArithmetic(const std::string &evidence) {
  Arithmetic arithmetic;
  nlohmann::json json = nlohmann::json::parse(evidence, nullptr, false);
  if (!json.is_object() || !json.contains("fusions") ||
      !json["fusions"].is_array()) {
    return arithmetic;
  }
  if (json.contains("device") && json["device"].is_string()) {
    arithmetic.device = json["device"].get<std::string>();
  }
  double all = 0;
  bool hasPeaks = true;
  std::map<PeakDtype, double> flopsOf;
  for (const nlohmann::json &fusion : json["fusions"]) {
    if (!fusion.is_object()) {
      return Arithmetic();
    }
    if (auto it = fusion.find("choice");
        it != fusion.end() && it->is_string()) {
      arithmetic.choices.push_back(it->get<std::string>());
    }
    double flops = numberOf(fusion, "flops");
    double peakGflops = numberOf(fusion, "peakGflops");
    flopsOf[dtypeOf(fusion)] += flops;
    all += flops;
    hasPeaks = hasPeaks && peakGflops > 0;
    arithmetic.idealUs += hasPeaks ? flops / (peakGflops * 1e3) : 0;
  }
  if (!hasPeaks || all <= 0) {
    arithmetic.idealUs = 0;
  }
  if (all > 0) {
    arithmetic.parts.clear();
    for (auto [dtype, flops] : flopsOf) {
      arithmetic.parts[dtype] = flops / all;
    }
  }
  return arithmetic;
}

double idealUs(const Arithmetic &arithmetic, double flops,
               const std::map<PeakDtype, double> &peakGflops) {
  double microseconds = 0;
  for (auto [dtype, part] : arithmetic.parts) {
    microseconds += part * flops / (peakGflops.at(dtype) * 1e3);
  }
  return microseconds;
}

std::string shareText(double share) {
  return share <= 0  ? "-"
         : share > 1 ? "unknown"
                     : absl::StrFormat("%.1f%%", 100 * share);
}

} // namespace minic::tools
