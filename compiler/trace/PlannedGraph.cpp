// SPDX-License-Identifier: Apache-2.0
//
// Commands, and when which bytes of the arena hold what.

#include "compiler/trace/GraphJson.h"

#include "compiler/explain/Marks.h"
#include "dialects/plan/Commands.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace minic::trace {

static Json toJson(Operation *command) {
  Json json = {{"kind", command->getName().stripDialect().str()},
               {"name", nullptr},
               {"grid", nullptr}};
  auto label = command->getAttrOfType<StringAttr>("label");
  json["what"] = label ? label.getValue().str() : "";
  if (auto launch = dyn_cast<plan::LaunchOp>(command)) {
    json["name"] = launch.getEntry().str();
    json["grid"] = std::vector<int64_t>(launch.getGrid());
  }
  return json;
}

Json planGraph(plan::VariantOp variant, Json &fused) {
  Json nodes = Json::array(), buffers = Json::array();
  llvm::MapVector<Operation *, size_t> places;
  for (Operation *command : plan::getCommands(variant.getRun().front())) {
    int64_t id = nodes.size();
    Json node = {{"id", id}};
    node.update(toJson(command));
    std::vector<int64_t> fusions = marksIn(command->getLoc(), Mark::Fusion);
    for (int64_t fusion : fusions) {
      fused["nodes"][fusion]["commands"].push_back(id);
    }
    node["fusions"] = fusions;
    auto depends = command->getAttrOfType<DenseI32ArrayAttr>("depends");
    node["inputs"] = depends ? std::vector<int32_t>(depends.asArrayRef())
                             : std::vector<int32_t>();
    std::string what = node["what"];
    node["label"] = what.empty() ? node["kind"].get<std::string>() : what;
    node["signature"] =
        what +
        (node["name"].is_string() ? " " + node["name"].get<std::string>() : "");
    for (plan::CommandAccess access : plan::getAccesses(command)) {
      auto buffer =
          dyn_cast<plan::BufferOp>(plan::resolveAddress(access.address).base);
      if (!buffer) {
        continue;
      }
      auto [place, isNew] = places.insert({buffer, buffers.size()});
      if (isNew) {
        auto offset = buffer.getOffset();
        buffers.push_back(
            {{"offset", offset ? Json(int64_t(*offset)) : Json(nullptr)},
             {"bytes", int64_t(buffer.getBytes())},
             {"first", id},
             {"last", id}});
      }
      buffers[place->second]["last"] = id;
    }
    nodes.push_back(std::move(node));
  }
  Json graph = {{"nodes", std::move(nodes)}};
  foldRepeats(graph);
  auto live = variant->getAttrOfType<IntegerAttr>("plan.live_bytes");
  graph["arena_bytes"] = int64_t(variant.getArenaBytes().value_or(0));
  graph["live_bytes"] = live ? Json(live.getInt()) : Json(nullptr);
  graph["buffers"] = std::move(buffers);
  return graph;
}

} // namespace minic::trace
