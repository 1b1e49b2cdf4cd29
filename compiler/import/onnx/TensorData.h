// SPDX-License-Identifier: Apache-2.0
//
// TensorData: the elements of a TensorProto as dense bytes, wherever the
// message keeps them: raw, in one of the typed fields, or in a file of its own.

#ifndef MINIC_COMPILER_IMPORT_ONNX_TENSORDATA_H
#define MINIC_COMPILER_IMPORT_ONNX_TENSORDATA_H

#include "third_party/onnx/onnx.pb.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>
#include <string>
#include <vector>

namespace minic {

/// Files of external data, each mapped once.
class ExternalFiles {
public:
  /// `model` is the path of the model, whose folder all files must be in.
  void setModel(llvm::StringRef model);
  /// Maps the file that `location`, a path relative to the folder, names. Null
  /// on failure, with `error` set.
  const llvm::MemoryBuffer *map(llvm::StringRef location, std::string &error);
  const llvm::StringMap<std::unique_ptr<llvm::MemoryBuffer>> &all() const {
    return files;
  }

private:
  std::string folder;
  llvm::StringMap<std::unique_ptr<llvm::MemoryBuffer>> files;
};

struct TensorData {
  /// ::onnx::TensorProto::DataType
  int dataType = 0;
  std::vector<int64_t> dims;
  /// Row-major, bool as one byte per element; in the message, in a mapping, or
  /// in `owned`. Empty for dtypes that are not made of whole bytes.
  llvm::ArrayRef<char> bytes;
  std::shared_ptr<const std::vector<char>> owned;
};

/// Bytes of one element; 0 for strings and what is packed in bits.
int64_t elementBytes(int dataType);
/// As ONNX calls it: "float16"; "dtype 77" for one that it does not have.
std::string dataTypeName(int dataType);

/// How to have float64 read, where that is what minic lacks; else empty.
std::string doubleHint(int dataType);

/// Reads `tensor`, with external data by `files`, or refuses them where that is
/// null, and with `raw` instead of its raw_data where that is not null. Returns
/// what is wrong with it, or nothing.
std::string readTensor(const ::onnx::TensorProto &tensor, ExternalFiles *files,
                       TensorData &data, const llvm::StringRef *raw = nullptr);

} // namespace minic

#endif // MINIC_COMPILER_IMPORT_ONNX_TENSORDATA_H
