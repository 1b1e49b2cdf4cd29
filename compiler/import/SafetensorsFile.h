// SPDX-License-Identifier: Apache-2.0
//
// SafetensorsFile: a memory-mapped `.safetensors` file whose header was checked
// against its size, so that every entry can be read without further checks.

#ifndef MINIC_COMPILER_IMPORT_SAFETENSORSFILE_H
#define MINIC_COMPILER_IMPORT_SAFETENSORSFILE_H

#include "compiler/import/WeightSource.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>
#include <string>
#include <vector>

namespace minic {

/// Immutable, so safe to share between threads. The file must not be changed
/// while it is mapped.
class SafetensorsFile : public WeightSource {
public:
  /// Maps and checks `path`. Null on failure, with `error` set to one line that
  /// names file and tensor, what was expected and what was found.
  static std::shared_ptr<const SafetensorsFile> open(llvm::StringRef path,
                                                     std::string &error);

  llvm::StringRef path() const override { return filePath; }
  void dropPages() const override;
  std::string hash() const override;

private:
  SafetensorsFile() = default;
  std::string readHeader();
  std::string readEntries(llvm::StringRef header, llvm::ArrayRef<char> data);

  std::string filePath;
  std::unique_ptr<llvm::MemoryBuffer> buffer;
};

} // namespace minic

#endif // MINIC_COMPILER_IMPORT_SAFETENSORSFILE_H
