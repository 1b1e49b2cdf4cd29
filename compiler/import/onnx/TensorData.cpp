// SPDX-License-Identifier: Apache-2.0
//
// Sizes are checked before bytes are touched: a model is untrusted input.

#include "compiler/import/onnx/TensorData.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

#include <algorithm>
#include <cstring>

namespace minic {

using llvm::StringRef;
using ::onnx::TensorProto;

int64_t elementBytes(int dataType) {
  switch (dataType) {
  case TensorProto::BOOL:
  case TensorProto::INT8:
  case TensorProto::UINT8:
    return 1;
  case TensorProto::FLOAT16:
  case TensorProto::BFLOAT16:
  case TensorProto::INT16:
  case TensorProto::UINT16:
    return 2;
  case TensorProto::FLOAT:
  case TensorProto::INT32:
  case TensorProto::UINT32:
    return 4;
  case TensorProto::DOUBLE:
  case TensorProto::INT64:
  case TensorProto::UINT64:
    return 8;
  default:
    return 0;
  }
}

std::string dataTypeName(int dataType) {
  if (!TensorProto::DataType_IsValid(dataType)) {
    return "dtype " + std::to_string(dataType);
  }
  switch (dataType) {
  case TensorProto::FLOAT:
    return "float32";
  case TensorProto::DOUBLE:
    return "float64";
  default:
    return StringRef(
               TensorProto::DataType_Name(TensorProto::DataType(dataType)))
        .lower();
  }
}

std::string doubleHint(int dataType) {
  return dataType == TensorProto::DOUBLE
             ? "; --cast-weights=f32 reads it as float32"
             : "";
}

//===----------------------------------------------------------------------===//
// External data
//===----------------------------------------------------------------------===//

void ExternalFiles::setModel(StringRef model) {
  folder = llvm::sys::path::parent_path(model).str();
  if (folder.empty()) {
    folder = ".";
  }
}

const llvm::MemoryBuffer *ExternalFiles::map(StringRef location,
                                             std::string &error) {
  auto known = files.find(location);
  if (known != files.end()) {
    return known->second.get();
  }
  auto parts = llvm::make_range(llvm::sys::path::begin(location),
                                llvm::sys::path::end(location));
  if (location.empty() || llvm::sys::path::is_absolute(location) ||
      location.contains('\0') || llvm::is_contained(parts, "..")) {
    error =
        ("expected external data in the folder of the model, got location '" +
         location + "'")
            .str();
    return nullptr;
  }
  llvm::SmallString<128> path(folder), real, realFolder;
  llvm::sys::path::append(path, location);
  // A link may lead out of the folder.
  if (std::error_code code = llvm::sys::fs::real_path(path, real)) {
    error =
        ("cannot open external data '" + path + "': " + code.message()).str();
    return nullptr;
  }
  if (llvm::sys::fs::real_path(folder, realFolder) ||
      !real.str().starts_with(
          (realFolder.str() == "/" ? "" : realFolder.str().str()) + "/")) {
    error = ("expected external data in the folder of the model, but '" + path +
             "' leads to '" + real + "'")
                .str();
    return nullptr;
  }
  if (!llvm::sys::fs::is_regular_file(real)) {
    error = ("external data '" + path + "' is not a file").str();
    return nullptr;
  }
  auto buffer = llvm::MemoryBuffer::getFile(real, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer) {
    error = ("cannot open external data '" + path +
             "': " + buffer.getError().message())
                .str();
    return nullptr;
  }
  return (files[location] = std::move(*buffer)).get();
}

/// The entry `key` as a number; `otherwise` where there is none, -1 where it is
/// no number.
static int64_t numberOf(const TensorProto &tensor, StringRef key,
                        int64_t otherwise) {
  for (const auto &entry : tensor.external_data()) {
    int64_t number = -1;
    if (entry.key() == key.str()) {
      return StringRef(entry.value()).getAsInteger(10, number) ? -1 : number;
    }
  }
  return otherwise;
}

static std::string readExternal(const TensorProto &tensor, int64_t bytes,
                                ExternalFiles &files, TensorData &data) {
  StringRef location;
  for (const auto &entry : tensor.external_data()) {
    if (entry.key() == "location") {
      location = entry.value();
    }
  }
  std::string error;
  const llvm::MemoryBuffer *file = files.map(location, error);
  if (!file) {
    return error;
  }
  int64_t offset = numberOf(tensor, "offset", 0);
  int64_t length = numberOf(tensor, "length", bytes);
  if (offset < 0 || length != bytes) {
    return llvm::formatv(
               "expected {0} bytes of external data at an offset, got "
               "length {1} at offset {2}",
               bytes, length, offset)
        .str();
  }
  int64_t size = file->getBufferSize();
  if (offset > size || bytes > size - offset) {
    return llvm::formatv("ends at byte {0} of external data '{1}', which has "
                         "only {2}: truncated?",
                         uint64_t(offset) + uint64_t(bytes), location, size)
        .str();
  }
  data.bytes = llvm::ArrayRef<char>(file->getBufferStart() + offset, bytes);
  return {};
}

//===----------------------------------------------------------------------===//
// Bytes in the message
//===----------------------------------------------------------------------===//

/// Each of `values` converted to T, as bytes.
template <typename T, typename Values>
static std::vector<char> convert(const Values &values) {
  std::vector<char> bytes(size_t(values.size()) * sizeof(T));
  char *place = bytes.data();
  for (auto value : values) {
    T element = static_cast<T>(value);
    std::memcpy(place, &element, sizeof(T));
    place += sizeof(T);
  }
  return bytes;
}

static std::vector<char> convertTyped(const TensorProto &tensor,
                                      int64_t elementBytes) {
  switch (tensor.data_type()) {
  case TensorProto::FLOAT:
    return convert<float>(tensor.float_data());
  case TensorProto::DOUBLE:
    return convert<double>(tensor.double_data());
  case TensorProto::INT64:
    return convert<int64_t>(tensor.int64_data());
  case TensorProto::UINT64:
    return convert<uint64_t>(tensor.uint64_data());
  case TensorProto::UINT32:
    return convert<uint32_t>(tensor.uint64_data());
  case TensorProto::INT32:
    return convert<int32_t>(tensor.int32_data());
  default:
    return elementBytes == 2 ? convert<uint16_t>(tensor.int32_data())
                             : convert<uint8_t>(tensor.int32_data());
  }
}

static std::string readInside(const TensorProto &tensor, int64_t bytes,
                              TensorData &data, const StringRef *detached) {
  if (detached || tensor.has_raw_data()) {
    StringRef raw = detached ? *detached : StringRef(tensor.raw_data());
    if (int64_t(raw.size()) != bytes) {
      return llvm::formatv(
                 "expected {0} bytes for its shape and dtype, got {1}", bytes,
                 raw.size())
          .str();
    }
    data.bytes = llvm::ArrayRef<char>(raw.data(), raw.size());
    return {};
  }
  auto owned = std::make_shared<std::vector<char>>(
      convertTyped(tensor, elementBytes(data.dataType)));
  if (int64_t(owned->size()) != bytes) {
    int64_t each = elementBytes(data.dataType);
    return llvm::formatv("expected {0} elements for its shape, got {1}",
                         bytes / each, int64_t(owned->size()) / each)
        .str();
  }
  data.bytes = *owned;
  data.owned = std::move(owned);
  return {};
}

std::string readTensor(const TensorProto &tensor, ExternalFiles *files,
                       TensorData &data, const StringRef *raw) {
  data = TensorData();
  data.dataType = tensor.data_type();
  data.dims.assign(tensor.dims().begin(), tensor.dims().end());
  if (tensor.has_segment()) {
    return "unsupported: stored in segments";
  }
  constexpr int64_t maxElements = int64_t(1) << 47;
  int64_t bytes = elementBytes(data.dataType), elements = 1;
  if (data.dims.size() > 64) {
    return "unsupported: " + std::to_string(data.dims.size()) + " dimensions";
  }
  for (int64_t dim : data.dims) {
    if (dim < 0) {
      return "expected a shape of non-negative integers, got " +
             std::to_string(dim);
    }
    // Without those of size 0: parts of a shape are multiplied, too.
    if (__builtin_mul_overflow(elements, std::max<int64_t>(dim, 1),
                               &elements) ||
        elements > maxElements) {
      return "unsupported: a shape of more than 2^47 elements";
    }
    bytes *= dim;
  }
  if (elementBytes(data.dataType) == 0) {
    return {}; // whoever uses it says so
  }
  if (tensor.data_location() == TensorProto::EXTERNAL) {
    return files ? readExternal(tensor, bytes, *files, data)
                 : "unsupported: external data of a tensor that is no "
                   "initializer of the graph";
  }
  return readInside(tensor, bytes, data, raw);
}

} // namespace minic
