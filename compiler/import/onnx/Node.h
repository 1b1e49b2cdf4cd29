// SPDX-License-Identifier: Apache-2.0
//
// Node: one node of an ONNX graph as its handler sees it: operands, attributes,
// and where results go.

#ifndef MINIC_COMPILER_IMPORT_ONNX_NODE_H
#define MINIC_COMPILER_IMPORT_ONNX_NODE_H

#include "compiler/import/onnx/Emitter.h"

namespace minic {

/// What a function of the model was called with: attributes by name.
using AttributeMap = llvm::StringMap<const ::onnx::AttributeProto *>;

class Node {
public:
  Node(const ::onnx::NodeProto &proto, int64_t opset, Emitter &emitter,
       const OnnxFile &file, const AttributeMap &callerAttributes,
       llvm::ArrayRef<std::optional<Value>> operands)
      : e(emitter), proto(proto), opset_(opset), file(file),
        callerAttributes(callerAttributes), operands(operands),
        results(proto.output_size()) {}

  //===--- Operands ------------------------------------------------------===//

  /// The version of the op's domain that the model was written for.
  int64_t opset() const { return opset_; }
  unsigned operandCount() const { return unsigned(operands.size()); }
  /// Whether operand `i` is given.
  bool has(unsigned i) const { return i < operands.size() && operands[i]; }
  /// Operand `i`; a false value, and the node fails, where it is not given.
  Value operand(unsigned i);
  /// Operand `i`, or a false value where it is not given.
  Value optionalOperand(unsigned i) { return has(i) ? operand(i) : Value(); }
  /// Integers that have to be known, such as axes; nothing, and the node fails,
  /// where they are not.
  std::optional<Dims> knownInts(unsigned i);
  std::optional<double> knownNumber(unsigned i);

  //===--- Attributes ----------------------------------------------------===//

  bool hasAttribute(llvm::StringRef name) const { return find(name); }
  int64_t intOf(llvm::StringRef name, int64_t otherwise);
  double floatOf(llvm::StringRef name, double otherwise);
  std::string stringOf(llvm::StringRef name, llvm::StringRef otherwise);
  /// Empty where there is no such attribute.
  std::vector<std::string> stringsOf(llvm::StringRef name);
  std::optional<Dims> intsOf(llvm::StringRef name);
  std::optional<std::vector<double>> floatsOf(llvm::StringRef name);
  /// A tensor attribute; a false value, and the node fails, where it is not
  /// one that can be read.
  Value tensorOf(llvm::StringRef name);

  /// Operand `i` where it is given, else the attribute: axes moved from one to
  /// the other. Nothing where neither is there.
  std::optional<Dims> intsOf(unsigned i, llvm::StringRef name);
  /// `axis` from 0 to rank - 1; 0, and the node fails, where it is no axis.
  int64_t axisOf(int64_t axis, int64_t rank);
  /// The same for several, sorted; all of them distinct.
  Dims axesOf(llvm::ArrayRef<int64_t> axes, int64_t rank);

  //===--- Results -------------------------------------------------------===//

  unsigned resultCount() const { return unsigned(results.size()); }
  /// Whether somebody may use result `i`: it has a name.
  bool wants(unsigned i) const {
    return i < results.size() && !proto.output(int(i)).empty();
  }
  void set(unsigned i, const Value &value) {
    if (i < results.size()) {
      results[i] = value;
    }
  }
  /// False where the node has no such result, or it was not set.
  Value result(unsigned i) const {
    return i < results.size() ? results[i] : Value();
  }
  Value fail(const llvm::Twine &why) { return e.fail(why); }
  bool failed() const { return !e.failure().empty(); }

  /// Makes ops, or computes.
  Emitter &e;

private:
  const ::onnx::AttributeProto *find(llvm::StringRef name) const;

  const ::onnx::NodeProto &proto;
  int64_t opset_;
  const OnnxFile &file;
  const AttributeMap &callerAttributes;
  llvm::ArrayRef<std::optional<Value>> operands;
  std::vector<Value> results;
};

} // namespace minic

#endif // MINIC_COMPILER_IMPORT_ONNX_NODE_H
