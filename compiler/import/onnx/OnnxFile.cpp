// SPDX-License-Identifier: Apache-2.0
//
// Parsing, and an index of the initializers.

#include "compiler/import/onnx/OnnxFile.h"

#include "compiler/import/MappedFile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <google/protobuf/stubs/logging.h>

namespace minic {

using llvm::StringRef;
using ::onnx::TensorProto;

/// safetensors' name of a dtype: weights are compared by it.
static std::string weightsName(int dataType) {
  switch (dataType) {
  case TensorProto::FLOAT:
    return "F32";
  case TensorProto::DOUBLE:
    return "F64";
  case TensorProto::FLOAT16:
    return "F16";
  case TensorProto::BFLOAT16:
    return "BF16";
  case TensorProto::BOOL:
    return "BOOL";
  case TensorProto::INT8:
    return "I8";
  case TensorProto::UINT8:
    return "U8";
  case TensorProto::INT32:
    return "I32";
  case TensorProto::INT64:
    return "I64";
  default:
    return dataTypeName(dataType);
  }
}

std::string OnnxFile::readInitializers() {
  external.setModel(filePath);
  for (int i = 0; i < proto.graph().initializer_size(); ++i) {
    const TensorProto &tensor = proto.graph().initializer(i);
    if (tensor.name().empty()) {
      return "an initializer has no name";
    }
    auto [it, isNew] = initializers.try_emplace(tensor.name());
    if (!isNew) {
      return "initializer '" + tensor.name() + "' appears twice";
    }
    TensorData &data = it->second;
    auto raw = detached.initializers.find(i);
    if (std::string error = readTensor(
            tensor, &external, data,
            raw == detached.initializers.end() ? nullptr : &raw->second);
        !error.empty()) {
      return "initializer '" + tensor.name() + "': " + error;
    }
    entries[tensor.name()] = {weightsName(data.dataType), data.dims,
                              data.bytes};
  }
  return {};
}

/// A smaller constant is written into the graph.
static constexpr size_t leastWeightBytes = 4096;

void OnnxFile::readConstants() {
  for (int i = 0; i < proto.graph().node_size(); ++i) {
    const auto &node = proto.graph().node(i);
    if (node.op_type() != "Constant" || node.attribute_size() != 1 ||
        node.output_size() != 1 || !node.attribute(0).has_t()) {
      continue;
    }
    const std::string &name = node.output(0);
    const TensorProto &tensor = node.attribute(0).t();
    TensorData data;
    // What is wrong with it is said of the node.
    if (!readTensor(tensor, nullptr, data).empty() || name.empty() ||
        data.bytes.size() < leastWeightBytes || entries.contains(name)) {
      continue;
    }
    entries[name] = {weightsName(data.dataType), data.dims, data.bytes};
    auto it = constants.try_emplace(name, std::move(data)).first;
    constantNames[&tensor] = it->first();
  }
}

/// Returns what is wrong with the file, or nothing.
std::string OnnxFile::parseContent() {
  StringRef bytes = content->getBuffer();
  if (bytes.size() > INT32_MAX) {
    return llvm::formatv("an ONNX file has at most 2 GB, got {0} bytes; "
                         "weights can be external data",
                         bytes.size());
  }
  std::string rest;
  if (!detachData(bytes, rest, detached)) {
    // What it does not know, the parser does, or refuses.
    detached = DetachedData();
    rest.clear();
  }
  StringRef parsed = rest.empty() ? bytes : StringRef(rest);
  if (!proto.ParseFromArray(parsed.data(), int(parsed.size()))) {
    return "not an ONNX model, or truncated";
  }
  if (!proto.has_graph()) {
    return "expected an ONNX model with a graph, got none";
  }
  std::string error = readInitializers();
  readConstants();
  return error;
}

std::shared_ptr<const OnnxFile>
OnnxFile::parse(std::unique_ptr<llvm::MemoryBuffer> content, StringRef path,
                std::string &error) {
  // Its log is not for users; what went wrong is said here.
  google::protobuf::SetLogHandler(nullptr);
  std::shared_ptr<OnnxFile> file(new OnnxFile());
  file->filePath = path.str();
  file->content = std::move(content);
  file->fileHash = hashFile(*file->content);
  error = file->parseContent();
  if (!error.empty()) {
    error = path.str() + ": " + error;
    return nullptr;
  }
  return file;
}

std::shared_ptr<const OnnxFile> OnnxFile::open(StringRef path,
                                               std::string &error) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer) {
    error =
        ("cannot open '" + path + "': " + buffer.getError().message()).str();
    return nullptr;
  }
  return parse(std::move(*buffer), path, error);
}

const TensorData *OnnxFile::initializer(StringRef name) const {
  auto it = initializers.find(name);
  return it == initializers.end() ? nullptr : &it->second;
}

const TensorData *OnnxFile::weightOf(const TensorProto &tensor,
                                     StringRef &name) const {
  name = constantNames.lookup(&tensor);
  return name.empty() ? nullptr : &constants.find(name)->second;
}

bool OnnxFile::read(const TensorProto &tensor, TensorData &data,
                    std::string &error) const {
  error = readTensor(tensor, nullptr, data);
  return error.empty();
}

void OnnxFile::dropPages() const {
  minic::dropPages(*content);
  for (const auto &file : external.all()) {
    minic::dropPages(*file.second);
  }
}

std::string OnnxFile::hash() const {
  std::vector<StringRef> locations(external.all().keys().begin(),
                                   external.all().keys().end());
  llvm::sort(locations);
  uint64_t hash = fileHash;
  for (StringRef location : locations) {
    hash = hashFile(*external.all().at(location), /*seed=*/hash);
  }
  return llvm::formatv("{0:x-16}", hash).str();
}

} // namespace minic
