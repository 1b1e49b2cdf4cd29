// SPDX-License-Identifier: Apache-2.0
//
// Constants, known elements, and ops that are verified as soon as they are
// made, so that what is wrong is said of the node that it is wrong in.

#include "compiler/import/onnx/Emitter.h"

#include "dialects/graph/ShapeText.h"

using namespace mlir;

namespace minic {

/// Floats and bytes more than these are left to the graph: it reads weights
/// where they are mapped, and its folding knows how large results may become.
static constexpr int64_t maxKnownNumbers = 4096;

/// All values that are computed here live as long as the import: a few nodes
/// must not fill the memory. 8 bytes each.
static constexpr int64_t maxHostElements = int64_t(1) << 25;

void Emitter::beginNode(Location at) {
  location = at;
  reason.clear();
}

Value Emitter::fail(const Twine &why) {
  if (reason.empty()) {
    std::string text = why.str();
    StringRef words = text;
    // "'graph.linear' op expects ..." names an op that users did not write.
    if (words.consume_front("'graph.")) {
      words = words.split("op ").second;
    }
    reason = words.empty() ? "it cannot be expressed in graph ops"
                           : words.split('\n').first.str();
  }
  return {};
}

Value Emitter::constant(HostTensor tensor) {
  Value value;
  value.dataType = tensor.dataType;
  value.dims = tensor.dims;
  value.host = std::make_shared<const HostTensor>(std::move(tensor));
  hostElements += value.elements();
  return value;
}

Value Emitter::ints(ArrayRef<int64_t> values) {
  return constant(HostTensor::ofInts(values));
}

Value Emitter::splat(int dataType, ArrayRef<int64_t> dims, double value) {
  if (!isPossible(dims)) {
    return fail("a tensor of " + graph::shapeText(dims));
  }
  if (!hasRoom(dims)) {
    return expand(constant(HostTensor::splat(dataType, {}, value)), dims);
  }
  return constant(HostTensor::splat(dataType, dims, value));
}

Value Emitter::scalar(double value, const Value &x) {
  return x ? constant(HostTensor::splat(x.dataType, {}, value)) : Value();
}

std::shared_ptr<const HostTensor> Emitter::known(const Value &x) {
  if (!x.weight || x.host) {
    return x.host;
  }
  if (!fitsHost(x.dims)) {
    return nullptr;
  }
  auto &tensor = loaded[x.weight];
  if (!tensor) {
    if (std::optional<HostTensor> read = HostTensor::of(*x.weight)) {
      tensor = std::make_shared<const HostTensor>(
          read->dataType == x.dataType ? std::move(*read)
                                       : castHost(*read, x.dataType));
    }
  }
  return tensor;
}

bool Emitter::hasRoom(ArrayRef<int64_t> dims) const {
  return fitsHost(dims) && elementsOf(dims) <= maxHostElements - hostElements;
}

/// Whether weights have such a dtype, and not only shapes, indices and masks.
/// What graph lacks is no weight.
static bool isOfWeights(int dataType) {
  return (isFloatType(dataType) && dataType != ::onnx::TensorProto::DOUBLE) ||
         dataType == ::onnx::TensorProto::INT8 ||
         dataType == ::onnx::TensorProto::UINT8;
}

bool Emitter::onHost(ArrayRef<const Value *> operands) {
  return llvm::all_of(operands, [&](const Value *operand) {
    return (!isOfWeights(operand->dataType) ||
            operand->elements() <= maxKnownNumbers) &&
           known(*operand);
  });
}

mlir::Value Emitter::graph(const Value &x) {
  if (!x || !reason.empty()) {
    return {};
  }
  if (x.graph) {
    return x.graph;
  }
  Type element = elementType(x.dataType, builder.getContext());
  if (!element) {
    fail("minic has no dtype " + dataTypeName(x.dataType) +
         doubleHint(x.dataType));
    return {};
  }
  if (x.elements() == 0) {
    fail("a tensor without elements");
    return {};
  }
  auto type = RankedTensorType::get(x.dims, element);
  if (x.weight) {
    mlir::Value &value = weights[x.weight];
    if (!value) {
      value = graph::ConstantOp::create(
          builder, *location, type,
          FlatSymbolRefAttr::get(builder.getContext(), x.name), ElementsAttr());
    }
    return value;
  }
  mlir::Value &value = constants[x.host.get()];
  if (!value) {
    value = graph::ConstantOp::create(builder, *location,
                                      x.host->attribute(builder.getContext()));
    kept.push_back(x.host);
  }
  return value;
}

Value Emitter::wrap(mlir::Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  Value result;
  result.dataType = dataTypeOf(type.getElementType());
  result.dims.assign(type.getShape().begin(), type.getShape().end());
  result.graph = value;
  return result;
}

SmallVector<Value, 2> Emitter::create(OperationState &state) {
  CaptureErrors errors(builder.getContext());
  Operation *op = builder.create(state);
  if (failed(mlir::verify(op, /*verifyRecursively=*/false))) {
    op->erase();
    fail(errors.text);
    return {};
  }
  SmallVector<Value, 2> results;
  for (mlir::Value result : op->getResults()) {
    results.push_back(wrap(result));
  }
  return results;
}

} // namespace minic
