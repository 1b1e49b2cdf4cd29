// SPDX-License-Identifier: Apache-2.0
//
// NpzFile: arrays that numpy.savez or savez_compressed wrote, in memory.

#ifndef MINIC_COMPILER_IMPORT_NPZFILE_H
#define MINIC_COMPILER_IMPORT_NPZFILE_H

#include "compiler/import/WeightSource.h"

#include <vector>

namespace minic {

/// Immutable, so safe to share between threads. NumPy has no bf16: two bytes
/// without a type ("|V2", ml_dtypes' bfloat16) and uint16 are read as bf16.
class NpzFile : public WeightSource {
public:
  /// Reads `path` whole and checks it. Null on failure, with `error` set to one
  /// line that names file and array, what was expected and what was found.
  static std::shared_ptr<const NpzFile> open(llvm::StringRef path,
                                             std::string &error);

  llvm::StringRef path() const override { return filePath; }
  std::string hash() const override;

private:
  NpzFile() = default;
  std::string readArchive();
  std::string addArray(llvm::StringRef entryName, std::vector<char> bytes);

  std::string filePath, fileHash;
  uint64_t fileBytes = 0;
  /// What entries point into: the bytes of each .npy.
  std::vector<std::vector<char>> arrays;
};

} // namespace minic

#endif // MINIC_COMPILER_IMPORT_NPZFILE_H
