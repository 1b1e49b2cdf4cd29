// SPDX-License-Identifier: Apache-2.0
//
// Fusions with what was chosen for them and why.

#include "compiler/trace/GraphJson.h"

#include "compiler/explain/Marks.h"
#include "compiler/explain/WhyApart.h"
#include "compiler/pipeline/DescribeFusion.h"
#include "compiler/pipeline/EstimateSelector.h"

#include <map>
#include <set>

using namespace mlir;

namespace minic::trace {

/// How many candidates of a fusion are listed by estimate.
static constexpr size_t mostOffers = 12;

static Json orNull(double value, bool isKnown) {
  return isKnown ? Json(value) : Json(nullptr);
}

static Json orNull(const std::string &text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

static Json toJson(const FunctionEvidence &function,
                   const FusionEvidence &fusion) {
  Json json = {
      {"implementation", fusion.choice},
      {"parts", fusion.parts},
      {"candidate", orNull(fusion.candidate)},
      {"problem", orNull(fusion.problem)},
      {"chosen_by", fusion.origin},
      {"reason", fusion.reason},
      {"flops", fusion.flops},
      {"bytes", fusion.bytes},
      {"time_us", orNull(fusion.timeUs, fusion.timeUs > 0)},
      {"roofline_us", orNull(fusion.rooflineUs, fusion.rooflineUs > 0)},
      {"peak_gflops", fusion.peakGflops > 0
                          ? fusion.peakGflops
                          : function.peakGflops * function.threads},
      {"verified", nullptr},
      {"runner_up", nullptr},
      {"lost", orNull(fusion.lost)}};
  if (fusion.maxAbsoluteError >= 0) {
    json["verified"] = {{"max_absolute_error", fusion.maxAbsoluteError},
                        {"error_over_tolerance", fusion.errorOverTolerance}};
  }
  if (!fusion.runnerUp.empty()) {
    json["runner_up"] = {{"candidate", fusion.runnerUp},
                         {"time_ratio", fusion.runnerUpRatio}};
  }
  return json;
}

/// Fusions behind `value`, through views and moves that are no fusions.
static void findProducers(Value value,
                          const llvm::DenseMap<Operation *, int64_t> &ids,
                          std::set<int64_t> &inputs) {
  SmallVector<Value> open = {value};
  llvm::DenseSet<Operation *> seen;
  while (!open.empty()) {
    Operation *producer = open.pop_back_val().getDefiningOp();
    if (!producer || !seen.insert(producer).second) {
      continue;
    }
    if (auto found = ids.find(producer); found != ids.end()) {
      inputs.insert(found->second);
    } else {
      llvm::append_range(open, producer->getOperands());
    }
  }
}

Json fuseGraph(func::FuncOp function, const FunctionEvidence &evidence,
               const FuseSwitches &switches) {
  Json nodes = Json::array();
  llvm::DenseMap<Operation *, int64_t> ids;
  function.walk([&](kernel::FusionOp fusion) {
    int64_t id = nodes.size();
    ids[fusion] = id;
    std::set<int64_t> ops, inputs;
    for (Operation *op : fusion.getBodyOps()) {
      for (int64_t number : marksIn(op->getLoc(), Mark::Captured)) {
        ops.insert(number);
      }
    }
    Json apart = Json::array();
    for (Value input : fusion.getInputs()) {
      findProducers(input, ids, inputs);
      if (auto producer = input.getDefiningOp<kernel::FusionOp>()) {
        apart.push_back({{"fusion", ids[producer]},
                         {"reason", whyApart(fusion, producer, switches)}});
      }
    }
    std::string label = describeFusion(fusion);
    size_t shapes = label.find('(');
    Json node = {
        {"id", id},
        {"label",
         label.substr(0, shapes) + "\n" +
             (shapes == std::string::npos ? "" : label.substr(shapes))},
        {"fusion", label},
        {"ops", ops},
        {"inputs", inputs},
        {"apart", apart}};
    node.update(toJson(evidence, evidence.fusions[id]));
    node["commands"] = Json::array();
    node["signature"] = label + " " + evidence.fusions[id].choice;
    nodes.push_back(std::move(node));
  });
  Json graph = {{"nodes", std::move(nodes)}};
  foldRepeats(graph);
  return graph;
}

Json offersOf(func::FuncOp function, const Target &target,
              const CompileOptions &options, Json &fused) {
  Json offers = Json::array();
  std::map<std::string, size_t> known;
  size_t id = 0;
  function.walk([&](kernel::FusionOp fusion) {
    Json &node = fused["nodes"][id++];
    auto [entry, isNew] =
        known.try_emplace(node["fusion"].get<std::string>(), offers.size());
    node["offer"] = entry->second;
    if (!isNew) {
      return;
    }
    std::vector<std::string> why;
    std::vector<Candidate> candidates = enumerateAllowed(
        fusion, target, options,
        options.propagateNan ? NanPolicy::Reject : NanPolicy::Mark, why);
    Json rows = Json::array();
    for (const Candidate &candidate :
         ArrayRef(candidates).take_front(mostOffers)) {
      rows.push_back({{"candidate", candidate.name},
                      {"label", toString(candidate.label).str()},
                      {"estimate_us", candidate.estimateUs},
                      {"launches", candidate.launches}});
    }
    offers.push_back({{"candidates", candidates.size()},
                      {"rows", std::move(rows)},
                      {"refused", why}});
  });
  return offers;
}

} // namespace minic::trace
