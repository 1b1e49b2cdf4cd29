// SPDX-License-Identifier: Apache-2.0
//
// OnnxFile: a parsed ONNX model whose initializers were checked against the
// bytes that they claim, in the file or in external data beside it.

#ifndef MINIC_COMPILER_IMPORT_ONNX_ONNXFILE_H
#define MINIC_COMPILER_IMPORT_ONNX_ONNXFILE_H

#include "compiler/import/WeightSource.h"
#include "compiler/import/onnx/DetachData.h"
#include "compiler/import/onnx/TensorData.h"
#include "third_party/onnx/onnx.pb.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MemoryBuffer.h"

namespace minic {

/// Its weights are the initializers of the main graph and, under the names of
/// their results, its larger Constant nodes. External data are mapped, and so
/// are larger bytes inside of the model.
class OnnxFile : public WeightSource {
public:
  /// Null on failure, with `error` set to one line.
  static std::shared_ptr<const OnnxFile> open(llvm::StringRef path,
                                              std::string &error);
  /// The same of a file's content; external data are beside `path`.
  static std::shared_ptr<const OnnxFile>
  parse(std::unique_ptr<llvm::MemoryBuffer> content, llvm::StringRef path,
        std::string &error);

  const ::onnx::ModelProto &model() const { return proto; }
  /// Null where there is none of this name.
  const TensorData *initializer(llvm::StringRef name) const;
  /// The weight whose bytes are `tensor`'s, with its name; null where it is
  /// none.
  const TensorData *weightOf(const ::onnx::TensorProto &tensor,
                             llvm::StringRef &name) const;
  /// A tensor inside of the model, such as an attribute's. On failure `error`
  /// is set to one line.
  bool read(const ::onnx::TensorProto &tensor, TensorData &data,
            std::string &error) const;

  llvm::StringRef path() const override { return filePath; }
  void dropPages() const override;
  std::string hash() const override;

private:
  OnnxFile() = default;
  std::string parseContent();
  std::string readInitializers();
  void readConstants();

  std::string filePath;
  uint64_t fileHash = 0;
  std::unique_ptr<llvm::MemoryBuffer> content;
  /// Without its larger raw_data, which are where `detached` says.
  ::onnx::ModelProto proto;
  DetachedData detached;
  ExternalFiles external;
  llvm::StringMap<TensorData> initializers;
  /// Of Constant nodes; names of `constants`.
  llvm::DenseMap<const ::onnx::TensorProto *, llvm::StringRef> constantNames;
  llvm::StringMap<TensorData> constants;
};

} // namespace minic

#endif // MINIC_COMPILER_IMPORT_ONNX_ONNXFILE_H
