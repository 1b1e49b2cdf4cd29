// SPDX-License-Identifier: Apache-2.0
//
// Finds each node's handler. It goes on after what it cannot import, so that
// users learn at once of all that their model needs.

#include "compiler/import/onnx/ImportNodes.h"

#include "compiler/import/onnx/ModuleNames.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace minic {

/// Functions and branches inside of each other.
static constexpr int maxDepth = 64;
/// Nodes of a model whose functions are written out: a few functions that call
/// each other twice must not take forever.
static constexpr int64_t maxNodes = 1 << 21;
/// Kinds of lacks that are printed.
static constexpr size_t maxLacks = 64;
/// Names that are printed of each kind of lack.
static constexpr size_t maxNames = 3;

/// ONNX's own domain has two names.
static StringRef domainOf(StringRef domain) {
  return domain == "ai.onnx" ? "" : domain;
}

void OpsetVersions::read(
    const google::protobuf::RepeatedPtrField<::onnx::OperatorSetIdProto>
        &imports) {
  for (const auto &entry : imports) {
    versions[domainOf(entry.domain())] = entry.version();
  }
}

int64_t OpsetVersions::of(StringRef domain) const {
  return versions.lookup(domain);
}

static std::string functionKey(StringRef domain, StringRef name,
                               StringRef overload) {
  return (domainOf(domain) + "\n" + name + "\n" + overload).str();
}

/// What users know a node by.
static std::string nameOf(const ::onnx::NodeProto &node) {
  if (!node.name().empty()) {
    return node.name();
  }
  for (const std::string &output : node.output()) {
    if (!output.empty()) {
      return output;
    }
  }
  return node.op_type();
}

static std::string opName(const ::onnx::NodeProto &node) {
  StringRef domain = domainOf(node.domain());
  return (domain.empty() ? "" : domain.str() + ".") + node.op_type();
}

NodeImporter::NodeImporter(const OnnxFile &file, Emitter &emitter,
                           MLIRContext &context,
                           std::vector<NamedTensor> *tensors)
    : file(file), emitter(emitter), context(context), tensors(tensors) {
  for (const auto &function : file.model().functions()) {
    functions[functionKey(function.domain(), function.name(),
                          function.overload())] = &function;
  }
}

void NodeImporter::lacks(const Proto &proto, StringRef why) {
  std::string op = opName(proto);
  ++lackingCount;
  auto it = llvm::find_if(lacking, [&](const Lack &lack) {
    return lack.op == op && lack.why == why;
  });
  if (it == lacking.end()) {
    if (lacking.size() == maxLacks) {
      return; // they are counted, and no line would hold them
    }
    lacking.push_back({op, why.str(), {}, 0});
    it = lacking.end() - 1;
  }
  ++it->count;
  if (it->nodes.size() < maxNames) {
    it->nodes.push_back("'" + nameOf(proto) + "'");
  }
}

std::string NodeImporter::problem() const {
  if (!error.empty() || lacking.empty()) {
    return error;
  }
  std::vector<std::string> lines;
  for (const Lack &lack : lacking) {
    lines.push_back(lack.op + " (" + std::to_string(lack.count) + ": " +
                    llvm::join(lack.nodes, ", ") +
                    (lack.count > int64_t(lack.nodes.size()) ? ", ..." : "") +
                    "): " + lack.why);
  }
  return "unsupported: " + std::to_string(lackingCount) +
         (lackingCount == 1 ? " node: " : " nodes: ") + llvm::join(lines, "; ");
}

void NodeImporter::define(const Proto &proto, ValueScope &scope, int i,
                          const Value &value) {
  if (!proto.output(i).empty() && !scope.define(proto.output(i), value) &&
      error.empty()) {
    error = "node '" + nameOf(proto) + "' makes '" + proto.output(i) +
            "', which is there already";
  }
  // Names inside of functions are not the model's, and may come several times.
  if (tensors && depth == 0 && !proto.output(i).empty()) {
    keepName(proto, i, value);
  }
}

void NodeImporter::keepName(const Proto &proto, int i, const Value &value) {
  if (!value || !elementType(value.dataType, &context) ||
      value.elements() == 0) {
    return;
  }
  emitter.beginNode(NameLoc::get(StringAttr::get(&context, nameOf(proto))));
  if (mlir::Value inGraph = emitter.graph(value)) {
    tensors->push_back({"main", proto.output(i), nameOf(proto), opName(proto),
                        modulesOf(proto), inGraph});
  }
}

void NodeImporter::import(const NodeList &nodes, ValueScope &scope,
                          const OpsetVersions &opsets,
                          const AttributeMap &attributes) {
  for (const Proto &proto : nodes) {
    if (++imported > maxNodes && error.empty()) {
      error = "more than " + std::to_string(maxNodes) + " nodes";
    }
    if (!error.empty()) {
      return;
    }
    importNode(proto, scope, opsets, attributes);
  }
}

void NodeImporter::importNode(const Proto &proto, ValueScope &scope,
                              const OpsetVersions &opsets,
                              const AttributeMap &attributes) {
  SmallVector<std::optional<Value>> operands;
  bool isComplete = true;
  for (const std::string &name : proto.input()) {
    if (name.empty()) {
      operands.emplace_back();
      continue;
    }
    const Value *value = scope.find(name);
    if (!value) {
      error = "node '" + nameOf(proto) + "' reads '" + name +
              "', which no node before it makes";
      return;
    }
    operands.push_back(*value);
    isComplete = isComplete && *value;
  }
  auto defineNothing = [&] {
    for (int i = 0; i < proto.output_size(); ++i) {
      define(proto, scope, i, Value());
    }
  };
  auto function = functions.find(
      functionKey(proto.domain(), proto.op_type(), proto.overload()));
  if (function != functions.end()) {
    importFunction(proto, *function->second, operands, scope, attributes);
    return;
  }
  StringRef domain = domainOf(proto.domain());
  bool isIf = domain.empty() && proto.op_type() == "If";
  bool isKnown = false;
  int64_t opset = opsets.of(domain);
  const OpEntry *entry =
      isIf ? nullptr : findOp(domain, proto.op_type(), opset, isKnown);
  if (!isIf && !entry) {
    lacks(proto, isKnown ? "not as of opset " + std::to_string(opset)
                         : "minic has no such op");
    return defineNothing();
  }
  if (!isComplete) {
    return defineNothing(); // what it needs has been reported
  }
  emitter.beginNode(NameLoc::get(StringAttr::get(&context, nameOf(proto))));
  if (isIf) {
    importIf(proto, operands, scope, opsets, attributes);
    return;
  }
  Node node(proto, opset, emitter, file, attributes, operands);
  entry->handler(node);
  for (int i = 0; i < proto.output_size() && !node.failed(); ++i) {
    if (node.wants(unsigned(i)) && !node.result(unsigned(i))) {
      node.fail("its result " + Twine(i));
    }
  }
  if (node.failed()) {
    lacks(proto, emitter.failure());
    return defineNothing();
  }
  for (int i = 0; i < proto.output_size(); ++i) {
    define(proto, scope, i, node.result(unsigned(i)));
  }
}

void NodeImporter::importFunction(const Proto &proto,
                                  const ::onnx::FunctionProto &function,
                                  ArrayRef<std::optional<Value>> operands,
                                  ValueScope &scope,
                                  const AttributeMap &attributes) {
  if (depth >= maxDepth) {
    error = "functions of the model call each other more than " +
            std::to_string(maxDepth) + " deep";
    return;
  }
  AttributeMap called;
  for (const auto &attribute : function.attribute_proto()) {
    called[attribute.name()] = &attribute;
  }
  for (const auto &attribute : proto.attribute()) {
    const ::onnx::AttributeProto *given =
        attribute.ref_attr_name().empty()
            ? &attribute
            : attributes.lookup(attribute.ref_attr_name());
    if (given) {
      called[attribute.name()] = given;
    }
  }
  ValueScope inner;
  for (int i = 0; i < function.input_size(); ++i) {
    if (size_t(i) < operands.size() && operands[i]) {
      inner.define(function.input(i), *operands[i]);
    }
  }
  OpsetVersions opsets;
  opsets.read(function.opset_import());
  ++depth;
  import(function.node(), inner, opsets, called);
  --depth;
  for (int i = 0; i < proto.output_size() && error.empty(); ++i) {
    const Value *value =
        i < function.output_size() ? inner.find(function.output(i)) : nullptr;
    if (!value && !proto.output(i).empty()) {
      error = "nothing in function '" + function.name() + "' makes result " +
              std::to_string(i);
      return;
    }
    define(proto, scope, i, value ? *value : Value());
  }
}

void NodeImporter::importIf(const Proto &proto,
                            ArrayRef<std::optional<Value>> operands,
                            ValueScope &scope, const OpsetVersions &opsets,
                            const AttributeMap &attributes) {
  auto condition =
      operands.empty() || !operands[0] ? nullptr : emitter.known(*operands[0]);
  if (!condition || condition->elements() != 1 || depth >= maxDepth) {
    lacks(proto, "its condition is not known when the model is compiled");
    for (int i = 0; i < proto.output_size(); ++i) {
      define(proto, scope, i, Value());
    }
    return;
  }
  StringRef branch = condition->number(0) != 0 ? "then_branch" : "else_branch";
  for (const auto &attribute : proto.attribute()) {
    if (attribute.name() != branch.str() || !attribute.has_g()) {
      continue;
    }
    ValueScope inner(&scope);
    for (const auto &tensor : attribute.g().initializer()) {
      TensorData data;
      std::string why;
      std::optional<HostTensor> host;
      if (!file.read(tensor, data, why) || !(host = HostTensor::of(data))) {
        error = "initializer '" + tensor.name() + "' of a branch: " +
                (why.empty() ? dataTypeName(data.dataType) : why);
        return;
      }
      inner.define(tensor.name(), emitter.constant(std::move(*host)));
    }
    ++depth;
    import(attribute.g().node(), inner, opsets, attributes);
    --depth;
    for (int i = 0; i < proto.output_size() && error.empty(); ++i) {
      const Value *value = i < attribute.g().output_size()
                               ? inner.find(attribute.g().output(i).name())
                               : nullptr;
      if (!value) {
        error = "nothing in the branch of '" + nameOf(proto) +
                "' makes result " + std::to_string(i);
        return;
      }
      define(proto, scope, i, *value);
    }
    return;
  }
  error = "node '" + nameOf(proto) + "' has no " + branch.str();
}

} // namespace minic
