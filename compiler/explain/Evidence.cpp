// SPDX-License-Identifier: Apache-2.0
//
// IR to evidence, evidence to JSON and back.

#include "compiler/explain/Evidence.h"

#include "compiler/explain/Marks.h"
#include "compiler/pipeline/DescribeFusion.h"
#include "dialects/graph/Dims.h"
#include "dialects/kernel/MainAnchor.h"
#include "dialects/kernel/Provenance.h"
#include "dialects/plan/Commands.h"
#include "dialects/plan/Plan.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/TypeUtilities.h"

#include <nlohmann/json.hpp>

using namespace mlir;

namespace minic {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(
    FusionEvidence, label, choice, origin, candidate, problem, reason, timeUs,
    dtype, flops, bytes, rooflineUs, peakGflops, parts, errorOverTolerance,
    maxAbsoluteError, runnerUp, runnerUpRatio, lost, commands)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(FunctionEvidence, function,
                                                device, threads, peakGflops,
                                                memoryGBs, cacheBytes, verdict,
                                                graph, pointers, padding,
                                                layouts, hints, versions,
                                                fusions)

/// Of the left operand of the contraction or convolution: "bf16".
static std::string productDtype(kernel::FusionOp fusion) {
  Operation *anchor = kernel::getMainAnchor(fusion);
  std::string text;
  if (anchor) {
    llvm::raw_string_ostream(text)
        << getElementTypeOrSelf(anchor->getOperand(0).getType());
  }
  return text;
}

static FusionEvidence collect(kernel::FusionOp fusion,
                              const DeviceProfile &profile) {
  FusionEvidence evidence;
  if (profile.isGpu()) {
    evidence.peakGflops = peakGflopsOnGpu(fusion, profile);
  }
  evidence.dtype = productDtype(fusion);
  if (!profile.isGpu() && evidence.dtype == "bf16" &&
      profile.has("avx512bf16")) {
    // Two products a lane of f32.
    evidence.peakGflops = 2 * profile.peakGflops * profile.threads;
  }
  evidence.expectedUs = kernel::expectedUs(fusion);
  evidence.label = describeFusion(fusion);
  evidence.flops = countFusionFlops(fusion);
  evidence.bytes = countFusionBytes(fusion);
  if (kernel::ChoiceAttr choice = fusion.getChoiceAttr()) {
    evidence.choice = describeChoice(choice);
    evidence.parts = choice.getParts().size();
  }
  auto provenance = fusion->getAttrOfType<DictionaryAttr>("provenance");
  if (!provenance) {
    return evidence;
  }
  for (auto [name, field] : {std::pair("origin", &evidence.origin),
                             std::pair("candidate", &evidence.candidate),
                             std::pair("problem", &evidence.problem),
                             std::pair("reason", &evidence.reason),
                             std::pair("runner_up", &evidence.runnerUp)}) {
    if (auto text = provenance.getAs<StringAttr>(name)) {
      *field = text.getValue().str();
    }
  }
  if (auto lost = provenance.getAs<StringAttr>("lost")) {
    evidence.lost = lost.getValue().str();
  }
  for (auto [name, field] :
       {std::pair("time_us", &evidence.timeUs),
        std::pair("error_over_tolerance", &evidence.errorOverTolerance),
        std::pair("max_absolute_error", &evidence.maxAbsoluteError),
        std::pair("runner_up_ratio", &evidence.runnerUpRatio)}) {
    if (auto number = provenance.getAs<FloatAttr>(name)) {
      *field = number.getValueAsDouble();
    }
  }
  return evidence;
}

/// Of FusionEvidence.
static double rooflineUs(const FunctionEvidence &function,
                         const FusionEvidence &fusion) {
  if (function.peakGflops <= 0 || function.memoryGBs <= 0) {
    return 0;
  }
  // 1 GFLOP/s is 1000 operations per microsecond.
  double peakGflops = fusion.peakGflops > 0
                          ? fusion.peakGflops
                          : function.peakGflops * function.threads;
  double compute = fusion.flops / (peakGflops * 1e3);
  // What fits the last-level cache need not come from memory.
  double memory = fusion.bytes > function.cacheBytes
                      ? fusion.bytes / (function.memoryGBs * 1e3)
                      : 0;
  return std::max(compute, memory);
}

/// Why runs of smaller sizes may be padded to those of a bucket.
static std::string describePadding(func::FuncOp function) {
  auto bucket = function->getAttrOfType<DictionaryAttr>(graph::bucketAttrName);
  auto pads = bucket ? bucket.getAs<DictionaryAttr>("pads") : DictionaryAttr();
  auto checks =
      bucket ? bucket.getAs<DictionaryAttr>("checks") : DictionaryAttr();
  std::string text;
  for (NamedAttribute pad :
       pads ? pads.getValue() : ArrayRef<NamedAttribute>()) {
    auto check =
        checks ? checks.getAs<StringAttr>(pad.getName()) : StringAttr();
    text += (text.empty() ? "" : "\n") + pad.getName().str() + ": " +
            (check ? check.str()
                   : "proved: each of its rows in an output depends on that "
                     "row of inputs alone");
  }
  return text;
}

std::vector<FunctionEvidence> collectEvidence(ModuleOp module,
                                              const DeviceProfile &profile) {
  std::vector<FunctionEvidence> result;
  for (auto function : module.getOps<func::FuncOp>()) {
    FunctionEvidence &evidence = result.emplace_back();
    evidence.function = function.getName().str();
    evidence.device = profile.name;
    evidence.threads = profile.threads;
    evidence.peakGflops = profile.peakGflops;
    evidence.memoryGBs = profile.memoryGBs;
    evidence.cacheBytes = std::max(profile.l2Bytes, profile.l3Bytes);
    evidence.padding = describePadding(function);
    function.walk([&](kernel::FusionOp fusion) {
      addMark(fusion, Mark::Fusion, int64_t(evidence.fusions.size()));
      FusionEvidence &entry =
          evidence.fusions.emplace_back(collect(fusion, profile));
      entry.rooflineUs = rooflineUs(evidence, entry);
    });
  }
  return result;
}

/// Sets `commands` of the fusions.
static void findCommands(plan::VariantOp variant,
                         std::vector<FusionEvidence> &fusions) {
  for (FusionEvidence &fusion : fusions) {
    fusion.commands.clear();
  }
  for (auto [i, command] :
       llvm::enumerate(plan::getCommands(variant.getRun().front()))) {
    for (int64_t fusion : marksIn(command->getLoc(), Mark::Fusion)) {
      if (fusion < int64_t(fusions.size())) {
        fusions[fusion].commands.push_back(int64_t(i));
      }
    }
  }
}

void attachEvidence(ModuleOp plan, std::vector<FunctionEvidence> &evidence) {
  for (FunctionEvidence &entry : evidence) {
    auto function = plan.lookupSymbol<plan::FunctionOp>(entry.function);
    if (!function) {
      continue;
    }
    for (auto variant : function.getBody().getOps<plan::VariantOp>()) {
      findCommands(variant, entry.fusions);
      variant.setEvidence(nlohmann::json(entry).dump(
          -1, ' ', false, nlohmann::json::error_handler_t::replace));
    }
  }
}

/// True where every field has the type that the conversion expects, which it
/// would otherwise report by an exception.
static bool isWellFormed(const nlohmann::json &value,
                         const nlohmann::json &model) {
  if (!value.is_object()) {
    return false;
  }
  for (const auto &[name, field] : model.items()) {
    if (!value.contains(name)) {
      continue;
    }
    const nlohmann::json &got = value[name];
    bool agrees = field.is_number()   ? got.is_number()
                  : field.is_string() ? got.is_string()
                                      : got.is_array();
    if (!agrees) {
      return false;
    }
  }
  return true;
}

std::optional<FunctionEvidence> parseEvidence(const std::string &json) {
  nlohmann::json value = nlohmann::json::parse(json, nullptr, false);
  if (!isWellFormed(value, FunctionEvidence())) {
    return std::nullopt;
  }
  for (const nlohmann::json &fusion :
       value.value("fusions", nlohmann::json::array())) {
    if (!isWellFormed(fusion, FusionEvidence())) {
      return std::nullopt;
    }
    for (const nlohmann::json &command :
         fusion.value("commands", nlohmann::json::array())) {
      if (!command.is_number_integer()) {
        return std::nullopt;
      }
    }
  }
  return value.get<FunctionEvidence>();
}

} // namespace minic
