// SPDX-License-Identifier: Apache-2.0
//
// Values are numbered: operands first, then results of ops in their order.

#include "compiler/target/PluginProblem.h"

#include "dialects/graph/Graph.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/STLExtras.h"

#include <nlohmann/json.hpp>

using namespace mlir;

namespace minic {

/// Fields stand in the order of docs/plugins.md.
using Json = nlohmann::ordered_json;

/// MINIC_PLUGIN_VERSION; more fields may come in the same one.
static constexpr int version = 1;

/// MLIR's text; the word alone of what is one of several.
static std::string printed(Attribute attribute) {
  std::string text;
  llvm::raw_string_ostream(text) << attribute;
  StringRef word = text;
  if (word.consume_front("#graph<") && word.consume_back(">")) {
    return word.split(' ').second.str();
  }
  return text;
}

static Json tensor(Type type) {
  auto ranked = cast<RankedTensorType>(type);
  std::string dtype;
  llvm::raw_string_ostream(dtype) << ranked.getElementType();
  return {{"dtype", dtype}, {"dims", Json(ranked.getShape().vec())}};
}

static Json tensors(TypeRange types) {
  Json list = Json::array();
  for (Type type : types) {
    list.push_back(tensor(type));
  }
  return list;
}

/// Numbers, words and lists of them; MLIR's text of anything else.
static Json toJson(Attribute attribute) {
  if (isa<UnitAttr>(attribute)) {
    return true;
  }
  if (auto flag = dyn_cast<BoolAttr>(attribute)) {
    return flag.getValue();
  }
  if (auto integer = dyn_cast<IntegerAttr>(attribute)) {
    return integer.getValue().getSExtValue();
  }
  if (auto number = dyn_cast<FloatAttr>(attribute);
      number && number.getValue().isFinite()) {
    return number.getValueAsDouble();
  }
  if (auto text = dyn_cast<StringAttr>(attribute)) {
    return text.getValue().str();
  }
  if (auto list = dyn_cast<DenseI64ArrayAttr>(attribute)) {
    return list.asArrayRef().vec();
  }
  if (auto list = dyn_cast<DenseI32ArrayAttr>(attribute)) {
    return list.asArrayRef().vec();
  }
  if (auto elements = dyn_cast<DenseElementsAttr>(attribute);
      elements && elements.isSplat()) {
    return toJson(elements.getSplatValue<Attribute>());
  }
  if (auto list = dyn_cast<ArrayAttr>(attribute)) {
    Json values = Json::array();
    for (Attribute each : list) {
      values.push_back(toJson(each));
    }
    return values;
  }
  return printed(attribute);
}

static Json describeTarget(const DeviceProfile &profile) {
  Json target = {{"name", profile.target}, {"arch", profile.cpu}};
  if (profile.isGpu()) {
    target["sm_count"] = profile.smCount;
    target["shared_bytes_per_block"] = profile.sharedBytesPerBlock;
    target["l2_bytes"] = profile.l2Bytes;
    target["allows_tf32"] = profile.allowTf32;
    return target;
  }
  Json features = Json::array();
  for (StringRef feature : profile.features) {
    features.push_back(feature.ltrim('+').str());
  }
  target["features"] = std::move(features);
  target["threads"] = profile.threads;
  target["l1_bytes"] = profile.l1Bytes;
  target["l2_bytes"] = profile.l2Bytes;
  target["l3_bytes"] = profile.l3Bytes;
  return target;
}

std::string describePluginProblem(kernel::FusionOp fusion,
                                  const DeviceProfile &profile) {
  llvm::DenseMap<Value, int> numbers;
  auto number = [&](ValueRange values) {
    for (Value value : values) {
      numbers.try_emplace(value, int(numbers.size()));
    }
  };
  auto numbersOf = [&](ValueRange values) {
    Json list = Json::array();
    for (Value value : values) {
      list.push_back(numbers.lookup(value));
    }
    return list;
  };
  number(fusion.getBody().front().getArguments());
  Json ops = Json::array();
  for (Operation *op : fusion.getBodyOps()) {
    Json attributes = Json::object();
    for (NamedAttribute attribute : op->getAttrs()) {
      // What has a dialect's name in front is about the model.
      if (!attribute.getName().getValue().contains('.')) {
        attributes[attribute.getName().str()] = toJson(attribute.getValue());
      }
    }
    ops.push_back({{"op", op->getName().stripDialect().str()},
                   {"operands", numbersOf(op->getOperands())},
                   {"attributes", std::move(attributes)},
                   {"results", tensors(op->getResultTypes())},
                   {"is_anchor", graph::isAnchor(op)}});
    number(op->getResults());
  }
  Json problem = {
      {"version", version},
      {"target", describeTarget(profile)},
      {"operands", tensors(fusion.getBody().front().getArgumentTypes())},
      {"ops", std::move(ops)},
      {"results", tensors(fusion.getResultTypes())},
      {"yields", numbersOf(fusion.getYield().getValues())}};
  return problem.dump(-1, ' ', false, Json::error_handler_t::replace);
}

} // namespace minic
