// SPDX-License-Identifier: Apache-2.0
//
// Problems from the evidence, bytes and graphs from the plan.

#include "compiler/driver/BucketSummary.h"

#include "dialects/kernel/Kernel.h"
#include "dialects/plan/Plan.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Support/FormatVariadic.h"

#include <set>

using namespace mlir;

namespace minic {

static void countProblems(const FunctionEvidence &evidence,
                          const std::map<std::string, double> &seconds,
                          std::set<std::string> &known,
                          BucketSummary &summary) {
  std::set<std::string> own;
  for (const FusionEvidence &fusion : evidence.fusions) {
    std::string key = fusion.problem.empty() ? fusion.label : fusion.problem;
    if (!own.insert(key).second) {
      continue;
    }
    ++summary.problems;
    if (!known.insert(key).second) {
      ++summary.shared;
      continue;
    }
    // A choice of default mode has a time where its problem has a record.
    auto spent = seconds.find(key);
    int &count = spent != seconds.end()      ? summary.tuned
                 : fusion.origin == "pinned" ? summary.pinned
                 : fusion.timeUs > 0         ? summary.found
                                             : summary.estimated;
    ++count;
    summary.seconds += spent != seconds.end() ? spent->second : 0;
  }
}

static llvm::SetVector<StringRef> constantsOf(plan::FunctionOp function) {
  llvm::SetVector<StringRef> names;
  function.walk([&](Operation *op) {
    for (NamedAttribute attribute : op->getAttrs()) {
      if (auto symbol = dyn_cast<FlatSymbolRefAttr>(attribute.getValue())) {
        names.insert(symbol.getValue());
      }
    }
  });
  return names;
}

static std::string describeGraph(plan::VariantOp variant) {
  if (variant.getTarget() != "cuda") {
    return "";
  }
  plan::GraphVerdictAttr graph = variant.getGraphAttr();
  if (!graph || graph.getReplay() == plan::Replay::Never) {
    return "launched on the stream";
  }
  return graph.getReplay() == plan::Replay::Always
             ? "replayed as a graph"
             : "replayed as a graph where the stream is idle";
}

std::vector<BucketSummary>
summarizeBuckets(ModuleOp plan, const std::vector<FunctionEvidence> &evidence,
                 const std::map<std::string, double> &seconds) {
  llvm::StringMap<uint64_t> bytes;
  for (auto constant : plan.getOps<plan::ConstantOp>()) {
    bytes[constant.getSymName()] =
        uint64_t(kernel::getBytes(cast<RankedTensorType>(constant.getType())));
  }
  llvm::StringMap<int> readers;
  for (auto function : plan.getOps<plan::FunctionOp>()) {
    for (StringRef name : constantsOf(function)) {
      ++readers[name];
    }
  }
  std::vector<BucketSummary> summaries;
  std::set<std::string> known;
  for (auto function : plan.getOps<plan::FunctionOp>()) {
    auto own = llvm::find_if(evidence, [&](const FunctionEvidence &each) {
      return each.function == function.getSymName();
    });
    auto variants = function.getBody().getOps<plan::VariantOp>();
    if (!function.getBucketAttr() || own == evidence.end() ||
        variants.empty()) {
      continue;
    }
    BucketSummary &summary = summaries.emplace_back();
    summary.function = own->function;
    countProblems(*own, seconds, known, summary);
    plan::VariantOp first = *variants.begin();
    summary.graph = describeGraph(first);
    summary.arenaBytes = uint64_t(first.getArenaBytes().value_or(0));
    for (StringRef name : constantsOf(function)) {
      if (auto constant = bytes.find(name); constant != bytes.end()) {
        summary.constantBytes += constant->second;
        summary.ownConstantBytes += readers[name] == 1 ? constant->second : 0;
      }
    }
  }
  return summaries;
}

std::string describeProblems(const BucketSummary &summary) {
  std::string text = llvm::formatv("{0} problem{1}", summary.problems,
                                   summary.problems == 1 ? "" : "s");
  const char *separator = ": ";
  auto add = [&](int count, const std::string &what) {
    if (count > 0) {
      text += separator + std::to_string(count) + " " + what;
      separator = ", ";
    }
  };
  add(summary.tuned, llvm::formatv("tuned in {0:F1} s", summary.seconds));
  add(summary.found, "found in the database");
  add(summary.estimated, "by estimate");
  add(summary.pinned, "pinned");
  add(summary.shared, "shared with a bucket before");
  return text;
}

} // namespace minic
