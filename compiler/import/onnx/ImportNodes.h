// SPDX-License-Identifier: Apache-2.0
//
// ImportNodes: the nodes of a graph, of the branch of an If that is taken, and
// of functions that the model brings, in order.

#ifndef MINIC_COMPILER_IMPORT_ONNX_IMPORTNODES_H
#define MINIC_COMPILER_IMPORT_ONNX_IMPORTNODES_H

#include "compiler/import/NamedTensors.h"
#include "compiler/import/onnx/OpTable.h"

namespace minic {

using NodeList = google::protobuf::RepeatedPtrField<::onnx::NodeProto>;

/// The opset of each domain; ONNX's own is "".
class OpsetVersions {
public:
  void read(const google::protobuf::RepeatedPtrField<::onnx::OperatorSetIdProto>
                &imports);
  /// 0 for a domain that is not imported.
  int64_t of(llvm::StringRef domain) const;

private:
  llvm::StringMap<int64_t> versions;
};

/// What names mean in a graph; those of graphs around it are seen too.
class ValueScope {
public:
  explicit ValueScope(const ValueScope *outer = nullptr) : outer(outer) {}
  /// False where the graph has the name already.
  bool define(llvm::StringRef name, const Value &value) {
    return values.try_emplace(name, value).second;
  }
  /// Null where nothing has the name.
  const Value *find(llvm::StringRef name) const {
    auto it = values.find(name);
    return it != values.end() ? &it->second
           : outer            ? outer->find(name)
                              : nullptr;
  }

private:
  llvm::StringMap<Value> values;
  const ValueScope *outer;
};

class NodeImporter {
public:
  /// What nodes make is added to `tensors` unless that is null.
  NodeImporter(const OnnxFile &file, Emitter &emitter,
               mlir::MLIRContext &context, std::vector<NamedTensor> *tensors);

  /// Defines in `scope` what the nodes make. What they cannot be made of is
  /// false there, and kept for problem().
  void import(const NodeList &nodes, ValueScope &scope,
              const OpsetVersions &opsets, const AttributeMap &attributes);

  /// What is wrong with the model, else all that minic lacks, in one line;
  /// empty where it is complete.
  std::string problem() const;

private:
  using Proto = ::onnx::NodeProto;
  void importNode(const Proto &proto, ValueScope &scope,
                  const OpsetVersions &opsets, const AttributeMap &attributes);
  void importFunction(const Proto &proto, const ::onnx::FunctionProto &function,
                      llvm::ArrayRef<std::optional<Value>> operands,
                      ValueScope &scope, const AttributeMap &attributes);
  void importIf(const Proto &proto,
                llvm::ArrayRef<std::optional<Value>> operands,
                ValueScope &scope, const OpsetVersions &opsets,
                const AttributeMap &attributes);
  void define(const Proto &proto, ValueScope &scope, int i, const Value &value);
  void keepName(const Proto &proto, int i, const Value &value);
  void lacks(const Proto &proto, llvm::StringRef why);

  /// Nodes of one op that minic lacks for one reason.
  struct Lack {
    std::string op, why;
    std::vector<std::string> nodes;
    int64_t count = 0;
  };

  const OnnxFile &file;
  Emitter &emitter;
  mlir::MLIRContext &context;
  std::vector<NamedTensor> *tensors;
  llvm::StringMap<const ::onnx::FunctionProto *> functions;
  std::vector<Lack> lacking;
  int64_t lackingCount = 0;
  std::string error;
  int depth = 0;
  int64_t imported = 0;
};

} // namespace minic

#endif // MINIC_COMPILER_IMPORT_ONNX_IMPORTNODES_H
