// SPDX-License-Identifier: Apache-2.0
//
// The model as it was imported.

#include "compiler/trace/GraphJson.h"

#include "compiler/explain/Marks.h"
#include "compiler/import/NamedTensors.h"
#include "compiler/trace/RepeatedBlock.h"
#include "dialects/graph/Graph.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <set>

using namespace mlir;

namespace minic::trace {

static std::string textOf(Type type) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (auto tensor = dyn_cast<RankedTensorType>(type)) {
    llvm::interleave(tensor.getShape(), os, "x");
    os << (tensor.getRank() ? " " : "") << tensor.getElementType();
  } else {
    os << type;
  }
  return text;
}

Json linesOf(const std::string &text) {
  Json lines = Json::array();
  for (size_t at = 0; at < text.size();) {
    size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

void foldRepeats(Json &graph) {
  std::vector<std::string> signatures;
  for (Json &node : graph["nodes"]) {
    signatures.push_back(node["signature"]);
    node.erase("signature");
  }
  graph["repeats"] = Json::array();
  for (const RepeatedBlock &block : findRepeatedBlocks(signatures)) {
    graph["repeats"].push_back({{"begin", block.begin},
                                {"period", block.period},
                                {"count", block.count}});
  }
}

Json captureGraph(func::FuncOp function) {
  Json nodes = Json::array();
  llvm::DenseMap<Operation *, int64_t> ids;
  for (Operation &op : function.getBody().front()) {
    if (isa<graph::ConstantOp>(op) || op.hasTrait<OpTrait::IsTerminator>()) {
      continue;
    }
    int64_t id = nodes.size();
    ids[&op] = id;
    std::set<int64_t> inputs;
    Json operands = Json::array();
    for (Value operand : op.getOperands()) {
      Operation *producer = operand.getDefiningOp();
      if (auto found = ids.find(producer); producer && found != ids.end()) {
        inputs.insert(found->second);
      }
      std::string type = textOf(operand.getType());
      if (auto constant = operand.getDefiningOp<graph::ConstantOp>()) {
        auto name = constant.getSourceAttr();
        type += name ? " " + name.getValue().str() : " constant";
      }
      operands.push_back(type);
    }
    std::string name = op.getName().stripDialect().str(), types;
    for (Type type : op.getResultTypes()) {
      types += (types.empty() ? "" : ", ") + textOf(type);
    }
    std::vector<std::string> places = namesIn(op.getLoc());
    nodes.push_back(
        {{"id", id},
         {"label", name + "\n" + types},
         {"op", name},
         {"result", types},
         {"operands", operands},
         {"place", places.empty() ? Json(nullptr) : Json(places.front())},
         {"inputs", inputs},
         {"signature", name + " " + types}});
    addMark(&op, Mark::Captured, id);
  }
  Json graph = {{"nodes", std::move(nodes)}};
  foldRepeats(graph);
  return graph;
}

void linkCaptured(Json &captured, const Json &fused) {
  Json &nodes = captured["nodes"];
  std::vector<std::set<int64_t>> fusions(nodes.size());
  for (const Json &fusion : fused["nodes"]) {
    for (int64_t op : fusion["ops"]) {
      fusions[op].insert(fusion["id"].get<int64_t>());
    }
  }
  std::vector<bool> byUsers(nodes.size());
  std::vector<std::set<int64_t>> ofUsers(nodes.size());
  for (size_t i = nodes.size(); i-- > 0;) {
    if (fusions[i].empty()) {
      byUsers[i] = !ofUsers[i].empty();
      fusions[i] = ofUsers[i];
    }
    for (int64_t input : nodes[i]["inputs"]) {
      ofUsers[input].insert(fusions[i].begin(), fusions[i].end());
    }
    nodes[i]["fusions"].push_back(fusions[i]);
    nodes[i]["by_users"].push_back(bool(byUsers[i]));
  }
}

} // namespace minic::trace
