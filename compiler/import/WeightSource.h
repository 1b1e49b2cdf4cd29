// SPDX-License-Identifier: Apache-2.0
//
// WeightSource: named tensors of a file, whatever its format: what constants
// without a value get their bytes from.

#ifndef MINIC_COMPILER_IMPORT_WEIGHTSOURCE_H
#define MINIC_COMPILER_IMPORT_WEIGHTSOURCE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"

#include <memory>
#include <string>
#include <vector>

namespace minic {

/// Immutable, so safe to share between threads. Its files must not be changed
/// while it lives.
class WeightSource {
public:
  struct Entry {
    /// As safetensors names it: "F32", "BF16", ...
    std::string dtype;
    std::vector<int64_t> dims;
    /// Dense row-major bytes that live as long as the source; aligned to
    /// nothing.
    llvm::ArrayRef<char> data;
  };

  virtual ~WeightSource() = default;
  /// Null where there is none of this name.
  const Entry *find(llvm::StringRef name) const;
  /// The names in the file, sorted.
  std::vector<llvm::StringRef> names() const;
  virtual llvm::StringRef path() const = 0;
  /// Bytes that were read may leave memory until they are read again.
  virtual void dropPages() const {}
  /// XXH3 (64 bit) of all bytes, as 16 hexadecimal digits.
  virtual std::string hash() const = 0;

protected:
  llvm::StringMap<Entry> entries;
};

/// Opens and checks `path`: a safetensors file, an .npz archive, or an ONNX
/// model with its external data. Null on failure, with `error` set to one line.
std::shared_ptr<const WeightSource> openWeights(llvm::StringRef path,
                                                std::string &error);

} // namespace minic

#endif // MINIC_COMPILER_IMPORT_WEIGHTSOURCE_H
