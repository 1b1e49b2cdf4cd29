// SPDX-License-Identifier: Apache-2.0
//
// Opsets, inputs with their dimensions, nodes, outputs.

#include "compiler/import/onnx/OnnxImporter.h"

#include "compiler/import/RecognizeFile.h"
#include "compiler/import/onnx/ImportNodes.h"
#include "compiler/import/onnx/OnnxFile.h"
#include "dialects/graph/NearestName.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <set>

using namespace mlir;

namespace minic {

using ::onnx::GraphProto;
using ::onnx::ModelProto;
using ::onnx::TypeProto;
using ::onnx::ValueInfoProto;

namespace {

class GraphImport {
public:
  GraphImport(const OnnxFile &file, const ImportOptions &options,
              const graph::DimSizes &sizes, MLIRContext &context)
      : file(file), graph(file.model().graph()), options(options), sizes(sizes),
        context(context), builder(&context),
        emitter(builder, /*readsDoubles=*/!options.castWeights.empty()) {}

  FailureOr<OwningOpRef<ModuleOp>> run();
  /// Where that is asked for.
  std::vector<NamedTensor> tensors;

private:
  InFlightDiagnostic error() {
    return emitError(UnknownLoc::get(&context)) << file.path() << ": ";
  }
  LogicalResult readOpsets();
  LogicalResult readInputs();
  /// The elements of an input that becomes a constant, where they are few
  /// enough to be of use while the model is read; null for any other input.
  FailureOr<std::shared_ptr<const HostTensor>>
  knownInput(const ValueInfoProto &input, RankedTensorType type);
  LogicalResult checkDims();
  FailureOr<Dims> dimsOf(const ValueInfoProto &input);
  /// graph.dims of an input; null where it names none.
  ArrayAttr namedDims(const ValueInfoProto &input, const Dims &dims);
  LogicalResult returnOutputs();

  const OnnxFile &file;
  const GraphProto &graph;
  const ImportOptions &options;
  const graph::DimSizes &sizes;
  MLIRContext &context;
  OpBuilder builder;
  Emitter emitter;
  OpsetVersions opsets;
  ValueScope scope;
  func::FuncOp function;
  /// Names of dimensions in the order in which inputs have them.
  std::vector<std::string> dimNames, unboundDims;
  /// The same as dimNames, to look them up.
  std::set<std::string> knownDimNames;
};

} // namespace

LogicalResult GraphImport::readOpsets() {
  const ModelProto &model = file.model();
  if (model.ir_version() > newestIrVersion) {
    return error() << "unsupported: IR version " << model.ir_version()
                   << ", minic reads up to " << newestIrVersion;
  }
  opsets.read(model.opset_import());
  int64_t opset = opsets.of("");
  if (opset == 0 && model.opset_import().empty()) {
    return error() << "expected an opset_import, got none";
  }
  if (opset != 0 && (opset < oldestOpset || opset > newestOpset)) {
    return error() << "unsupported: opset " << opset << ", minic reads "
                   << oldestOpset << " to " << newestOpset;
  }
  if (!graph.sparse_initializer().empty()) {
    return error() << "unsupported: sparse initializers";
  }
  return success();
}

FailureOr<Dims> GraphImport::dimsOf(const ValueInfoProto &input) {
  Dims dims;
  for (const auto &dim : input.type().tensor_type().shape().dim()) {
    if (dim.has_dim_value()) {
      if (dim.dim_value() < 0) {
        return error() << "input '" << input.name() << "' has the dimension "
                       << dim.dim_value();
      }
      dims.push_back(dim.dim_value());
      continue;
    }
    if (dim.dim_param().empty()) {
      return error() << "unsupported: dimension " << dims.size()
                     << " of input '" << input.name()
                     << "' has neither a size nor a name";
    }
    auto bound = sizes.find(dim.dim_param());
    if (knownDimNames.insert(dim.dim_param()).second) {
      dimNames.push_back(dim.dim_param());
      if (bound == sizes.end()) {
        unboundDims.push_back(dim.dim_param());
      }
    }
    dims.push_back(bound == sizes.end() ? 1 : bound->second);
  }
  return dims;
}

ArrayAttr GraphImport::namedDims(const ValueInfoProto &input,
                                 const Dims &dims) {
  SmallVector<Attribute> entries;
  bool isNamed = false;
  const auto &declared = input.type().tensor_type().shape().dim();
  for (auto [dim, size] : llvm::zip_equal(declared, dims)) {
    isNamed |= !dim.has_dim_value();
    entries.push_back(dim.has_dim_value()
                          ? Attribute(builder.getI64IntegerAttr(size))
                          : builder.getStringAttr(dim.dim_param()));
  }
  return isNamed ? builder.getArrayAttr(entries) : ArrayAttr();
}

LogicalResult GraphImport::checkDims() {
  for (const auto &[name, size] : sizes) {
    if (!llvm::is_contained(dimNames, name)) {
      std::vector<StringRef> names(dimNames.begin(), dimNames.end());
      InFlightDiagnostic diagnostic = error();
      diagnostic << "--dim: no dimension of an input is called '" << name
                 << "'";
      if (!names.empty()) {
        diagnostic << "; there is " << llvm::join(names, ", ");
      }
      return diagnostic;
    }
  }
  if (!unboundDims.empty()) {
    std::vector<std::string> flags;
    for (const std::string &name : unboundDims) {
      flags.push_back("--dim=" + name + "=SIZE");
    }
    return error() << "inputs have dimensions without a size; add "
                   << llvm::join(flags, " ");
  }
  return success();
}

FailureOr<std::shared_ptr<const HostTensor>>
GraphImport::knownInput(const ValueInfoProto &input, RankedTensorType type) {
  auto given = options.constantInputs.find(input.name());
  if (given == options.constantInputs.end() || !fitsHost(type.getShape())) {
    return std::shared_ptr<const HostTensor>();
  }
  FailureOr<runtime::NpyArray> array =
      readConstantInput(input.name(), given->second, type);
  if (failed(array)) {
    return failure();
  }
  TensorData data;
  data.dataType = emitter.dtypeOf(input.type().tensor_type().elem_type());
  data.dims = array->dims;
  data.bytes =
      ArrayRef<char>(reinterpret_cast<char *>(array->data.data()),
                     elementsOf(data.dims) * elementBytes(data.dataType));
  return std::make_shared<const HostTensor>(*HostTensor::of(data));
}

LogicalResult GraphImport::readInputs() {
  SmallVector<Type> types;
  SmallVector<Location> locations;
  std::vector<const ValueInfoProto *> inputs;
  for (const ValueInfoProto &input : graph.input()) {
    // Up to IR 3 initializers are inputs as well: defaults, which stay.
    if (file.initializer(input.name())) {
      continue;
    }
    if (!input.type().has_tensor_type()) {
      return error() << "unsupported: input '" << input.name()
                     << "' is no tensor";
    }
    const TypeProto::Tensor &type = input.type().tensor_type();
    if (!type.has_shape()) {
      return error() << "unsupported: input '" << input.name()
                     << "' has no shape";
    }
    Type element = elementType(emitter.dtypeOf(type.elem_type()), &context);
    if (!element) {
      return error() << "unsupported: input '" << input.name() << "' is "
                     << dataTypeName(type.elem_type())
                     << ", minic has float32, bfloat16, float16, bool, int8, "
                        "uint8, int32 and int64"
                     << doubleHint(type.elem_type());
    }
    FailureOr<Dims> dims = dimsOf(input);
    if (failed(dims)) {
      return failure();
    }
    if (!isPossible(*dims)) {
      return error() << "unsupported: input '" << input.name()
                     << "' has more than 2^47 elements or 64 dimensions";
    }
    types.push_back(RankedTensorType::get(*dims, element));
    locations.push_back(NameLoc::get(StringAttr::get(&context, input.name())));
    inputs.push_back(&input);
  }
  if (failed(checkDims())) {
    return failure();
  }
  function = func::FuncOp::create(builder, UnknownLoc::get(&context), "main",
                                  FunctionType::get(&context, types, {}));
  Block *body = builder.createBlock(&function.getBody(), {}, types, locations);
  for (auto [i, input] : llvm::enumerate(inputs)) {
    auto type = cast<RankedTensorType>(types[i]);
    Value value;
    value.dataType = emitter.dtypeOf(input->type().tensor_type().elem_type());
    value.dims.assign(type.getShape().begin(), type.getShape().end());
    value.graph = body->getArgument(i);
    FailureOr<std::shared_ptr<const HostTensor>> host =
        knownInput(*input, type);
    if (failed(host)) {
      return failure();
    }
    value.host = *host;
    function.setArgAttr(i, "graph.name",
                        StringAttr::get(&context, input->name()));
    if (ArrayAttr dims = namedDims(*input, value.dims)) {
      function.setArgAttr(i, graph::dimsAttrName, dims);
    }
    if (!scope.define(input->name(), value)) {
      return error() << "input '" << input->name() << "' appears twice";
    }
  }
  return success();
}

LogicalResult GraphImport::returnOutputs() {
  SmallVector<mlir::Value> values;
  SmallVector<Type> types;
  Location location = UnknownLoc::get(&context);
  for (const ValueInfoProto &output : graph.output()) {
    const Value *value = scope.find(output.name());
    if (!value) {
      return error() << "nothing makes output '" << output.name() << "'";
    }
    int declared = emitter.dtypeOf(output.type().tensor_type().elem_type());
    if (output.type().has_tensor_type() && declared != value->dataType) {
      return error() << "output '" << output.name() << "' is declared as "
                     << dataTypeName(declared) << " and is "
                     << dataTypeName(value->dataType);
    }
    emitter.beginNode(location);
    values.push_back(emitter.graph(*value));
    if (!values.back()) {
      return error() << "unsupported: output '" << output.name()
                     << "': " << emitter.failure();
    }
    types.push_back(values.back().getType());
  }
  func::ReturnOp::create(builder, location, values);
  function.setFunctionType(FunctionType::get(
      &context, function.getFunctionType().getInputs(), types));
  for (auto [i, output] : llvm::enumerate(graph.output())) {
    function.setResultAttr(i, "graph.name",
                           StringAttr::get(&context, output.name()));
  }
  return success();
}

FailureOr<OwningOpRef<ModuleOp>> GraphImport::run() {
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
  builder.setInsertionPointToEnd(module->getBody());
  if (failed(readOpsets()) || failed(readInputs())) {
    return failure();
  }
  for (const auto &tensor : graph.initializer()) {
    Value value;
    value.weight = file.initializer(tensor.name());
    value.name = tensor.name();
    value.dataType = emitter.dtypeOf(value.weight->dataType);
    value.dims.assign(value.weight->dims.begin(), value.weight->dims.end());
    scope.define(tensor.name(), value);
  }
  NodeImporter nodes(file, emitter, context,
                     options.namesTensors ? &tensors : nullptr);
  nodes.import(graph.node(), scope, opsets, AttributeMap());
  if (std::string problem = nodes.problem(); !problem.empty()) {
    // Which of several buckets' sizes do not fit the model, no shape says.
    return error() << problem
                   << (sizes.empty() ? ""
                                     : ", with " + graph::describeSizes(sizes));
  }
  if (failed(returnOutputs())) {
    return failure();
  }
  return module;
}

/// Domain, name, opsets, limits.
static void listOp(const OpEntry &op, llvm::raw_ostream &os) {
  int64_t since =
      op.domain.empty() ? std::max(op.since, oldestOpset) : op.since;
  std::string opsets = std::to_string(since);
  if (op.until != since) {
    opsets += "-" + std::to_string(op.until);
  }
  std::string line = llvm::formatv("  {0,-14} {1,-33} {2,-6} {3}",
                                   op.domain.empty() ? "ai.onnx" : op.domain,
                                   op.name, opsets, op.limits);
  os << StringRef(line).rtrim() << '\n';
}

namespace {

class OnnxImporter : public Importer {
public:
  bool accepts(StringRef path, StringRef bytes) const override {
    return looksLikeOnnx(path, bytes);
  }
  FailureOr<Result> import(std::unique_ptr<llvm::MemoryBuffer> buffer,
                           const ImportOptions &options,
                           const graph::DimSizes &sizes,
                           MLIRContext &context) const override {
    std::string error;
    std::string path = buffer->getBufferIdentifier().str();
    auto file = OnnxFile::parse(std::move(buffer), path, error);
    if (!file) {
      return emitError(UnknownLoc::get(&context)) << error;
    }
    GraphImport graph(*file, options, sizes, context);
    FailureOr<OwningOpRef<ModuleOp>> module = graph.run();
    if (failed(module)) {
      return failure();
    }
    Result result;
    result.module = std::move(*module);
    result.weights = std::move(file);
    result.tensors = std::move(graph.tensors);
    return result;
  }
  void listOps(llvm::raw_ostream &os, MLIRContext &) const override {
    os << "ONNX (.onnx), opsets " << oldestOpset << " to " << newestOpset
       << ", docs/onnx.md\n";
    for (const OpKind &kind : opKinds()) {
      os << kind.name << '\n';
      for (const OpEntry &op : kind.ops) {
        listOp(op, os);
      }
    }
  }
};

} // namespace

const Importer &onnxImporter() {
  static const OnnxImporter importer;
  return importer;
}

} // namespace minic
