// SPDX-License-Identifier: Apache-2.0
//
// SafetensorsFile: a memory-mapped `.safetensors` file whose header was checked
// against its size, so that every entry can be read without further checks.

#ifndef MINIC_COMPILER_IMPORT_SAFETENSORSFILE_H
#define MINIC_COMPILER_IMPORT_SAFETENSORSFILE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>
#include <string>
#include <vector>

namespace minic {

/// Immutable, so safe to share between threads. The file must not be changed
/// while it is mapped.
class SafetensorsFile {
public:
  struct Entry {
    /// The format's own name: "F32", "BF16", ...
    std::string dtype;
    std::vector<int64_t> dims;
    /// Dense row-major bytes, inside the mapping; aligned to nothing.
    llvm::ArrayRef<char> data;
  };

  /// Maps and checks `path`. Null on failure, with `error` set to one line that
  /// names file and tensor, what was expected and what was found.
  static std::shared_ptr<const SafetensorsFile> open(llvm::StringRef path,
                                                     std::string &error);

  /// Null where there is none of this name.
  const Entry *find(llvm::StringRef name) const;
  /// The names in the file, sorted.
  std::vector<llvm::StringRef> names() const;
  llvm::StringRef path() const { return filePath; }
  /// XXH3 (64 bit) of the whole file, as 16 hexadecimal digits.
  std::string hash() const;

private:
  SafetensorsFile() = default;
  std::string readHeader();
  std::string readEntries(llvm::StringRef header, llvm::ArrayRef<char> data);

  std::string filePath;
  std::unique_ptr<llvm::MemoryBuffer> buffer;
  llvm::StringMap<Entry> entries;
};

} // namespace minic

#endif // MINIC_COMPILER_IMPORT_SAFETENSORSFILE_H
