// SPDX-License-Identifier: Apache-2.0
//
// Operands and attributes, with what is wrong about them.

#include "compiler/import/onnx/Node.h"

namespace minic {

using llvm::StringRef;
using llvm::Twine;
using ::onnx::AttributeProto;

Value Node::operand(unsigned i) {
  return has(i) ? *operands[i]
                : fail("expected operand " + Twine(i) + ", got none");
}

std::optional<Dims> Node::knownInts(unsigned i) {
  Value value = operand(i);
  if (!value) {
    return std::nullopt;
  }
  auto tensor = e.known(value);
  if (!tensor || tensor->isFloat()) {
    fail("operand " + Twine(i) + " must be " +
         (value.isFloat() ? "integers" : "known when the model is compiled"));
    return std::nullopt;
  }
  return Dims(tensor->ints.begin(), tensor->ints.end());
}

std::optional<double> Node::knownNumber(unsigned i) {
  Value value = operand(i);
  if (!value) {
    return std::nullopt;
  }
  auto tensor = e.known(value);
  if (!tensor || tensor->elements() != 1) {
    fail("operand " + Twine(i) +
         (tensor ? " must be one number"
                 : " must be known when the model is "
                   "compiled"));
    return std::nullopt;
  }
  return tensor->number(0);
}

const AttributeProto *Node::find(StringRef name) const {
  for (const AttributeProto &attribute : proto.attribute()) {
    if (attribute.name() == name.str()) {
      return attribute.ref_attr_name().empty()
                 ? &attribute
                 : callerAttributes.lookup(attribute.ref_attr_name());
    }
  }
  return nullptr;
}

int64_t Node::intOf(StringRef name, int64_t otherwise) {
  const AttributeProto *attribute = find(name);
  return attribute ? attribute->i() : otherwise;
}

double Node::floatOf(StringRef name, double otherwise) {
  const AttributeProto *attribute = find(name);
  return attribute ? double(attribute->f()) : otherwise;
}

std::string Node::stringOf(StringRef name, StringRef otherwise) {
  const AttributeProto *attribute = find(name);
  return attribute ? attribute->s() : otherwise.str();
}

std::vector<std::string> Node::stringsOf(StringRef name) {
  const AttributeProto *attribute = find(name);
  return attribute ? std::vector<std::string>(attribute->strings().begin(),
                                              attribute->strings().end())
                   : std::vector<std::string>();
}

std::optional<Dims> Node::intsOf(StringRef name) {
  const AttributeProto *attribute = find(name);
  if (!attribute) {
    return std::nullopt;
  }
  return Dims(attribute->ints().begin(), attribute->ints().end());
}

std::optional<std::vector<double>> Node::floatsOf(StringRef name) {
  const AttributeProto *attribute = find(name);
  if (!attribute) {
    return std::nullopt;
  }
  return std::vector<double>(attribute->floats().begin(),
                             attribute->floats().end());
}

Value Node::tensorOf(StringRef name) {
  const AttributeProto *attribute = find(name);
  if (!attribute || !attribute->has_t()) {
    return fail("expected a tensor as attribute '" + name + "'");
  }
  Value value;
  if ((value.weight = file.weightOf(attribute->t(), value.name))) {
    value.dataType = e.dtypeOf(value.weight->dataType);
    value.dims.assign(value.weight->dims.begin(), value.weight->dims.end());
    return value;
  }
  TensorData data;
  std::string error;
  if (!file.read(attribute->t(), data, error)) {
    return fail("attribute '" + name + "': " + error);
  }
  std::optional<HostTensor> tensor = HostTensor::of(data);
  if (tensor && e.dtypeOf(tensor->dataType) != tensor->dataType) {
    tensor = castHost(*tensor, e.dtypeOf(tensor->dataType));
  }
  return tensor ? e.constant(std::move(*tensor))
                : fail("minic has no dtype " + dataTypeName(data.dataType));
}

std::optional<Dims> Node::intsOf(unsigned i, StringRef name) {
  return has(i) ? knownInts(i) : intsOf(name);
}

int64_t Node::axisOf(int64_t axis, int64_t rank) {
  if (axis < -rank || axis >= rank) {
    fail("axis " + Twine(axis) + " is outside of rank " + Twine(rank));
    return 0;
  }
  return axis < 0 ? axis + rank : axis;
}

Dims Node::axesOf(llvm::ArrayRef<int64_t> axes, int64_t rank) {
  Dims result;
  for (int64_t axis : axes) {
    result.push_back(axisOf(axis, rank));
  }
  llvm::sort(result);
  if (!failed() && llvm::adjacent_find(result) != result.end()) {
    fail("axis " + Twine(*llvm::adjacent_find(result)) + " is given twice");
  }
  return failed() ? Dims() : result;
}

} // namespace minic
