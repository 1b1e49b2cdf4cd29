// SPDX-License-Identifier: Apache-2.0
//
// Parsing, and an index of the initializers.

#include "compiler/import/onnx/OnnxFile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <google/protobuf/stubs/logging.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace minic {

using llvm::StringRef;
using ::onnx::TensorProto;

/// safetensors' name of a dtype: weights are compared by it.
static std::string weightsName(int dataType) {
  switch (dataType) {
  case TensorProto::FLOAT:
    return "F32";
  case TensorProto::FLOAT16:
    return "F16";
  case TensorProto::BFLOAT16:
    return "BF16";
  case TensorProto::BOOL:
    return "BOOL";
  case TensorProto::INT8:
    return "I8";
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
  for (const TensorProto &tensor : proto.graph().initializer()) {
    if (tensor.name().empty()) {
      return "an initializer has no name";
    }
    auto [it, isNew] = initializers.try_emplace(tensor.name());
    if (!isNew) {
      return "initializer '" + tensor.name() + "' appears twice";
    }
    TensorData &data = it->second;
    if (std::string error = readTensor(tensor, &external, data);
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
  for (const auto &node : proto.graph().node()) {
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

std::shared_ptr<const OnnxFile> OnnxFile::parse(StringRef bytes, StringRef path,
                                                std::string &error) {
  // Its log is not for users; what went wrong is said here.
  google::protobuf::SetLogHandler(nullptr);
  std::shared_ptr<OnnxFile> file(new OnnxFile());
  file->filePath = path.str();
  file->fileHash = XXH3_64bits(bytes.data(), bytes.size());
  if (bytes.size() > INT32_MAX) {
    error = llvm::formatv("{0}: an ONNX file has at most 2 GB, got {1} bytes; "
                          "weights can be external data",
                          path, bytes.size());
    return nullptr;
  }
  if (!file->proto.ParseFromArray(bytes.data(), int(bytes.size()))) {
    error = path.str() + ": not an ONNX model, or truncated";
    return nullptr;
  }
  if (!file->proto.has_graph()) {
    error = path.str() + ": expected an ONNX model with a graph, got none";
    return nullptr;
  }
  error = file->readInitializers();
  file->readConstants();
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
  return parse((*buffer)->getBuffer(), path, error);
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

const WeightSource::Entry *OnnxFile::find(StringRef name) const {
  auto it = entries.find(name);
  return it == entries.end() ? nullptr : &it->second;
}

std::vector<StringRef> OnnxFile::names() const {
  std::vector<StringRef> names(entries.keys().begin(), entries.keys().end());
  llvm::sort(names);
  return names;
}

std::string OnnxFile::hash() const {
  std::vector<StringRef> locations(external.all().keys().begin(),
                                   external.all().keys().end());
  llvm::sort(locations);
  uint64_t hash = fileHash;
  for (StringRef location : locations) {
    const llvm::MemoryBuffer &file = *external.all().at(location);
    hash =
        XXH3_64bits_withSeed(file.getBufferStart(), file.getBufferSize(), hash);
  }
  return llvm::formatv("{0:x-16}", hash).str();
}

} // namespace minic
