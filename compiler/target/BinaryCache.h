// SPDX-License-Identifier: Apache-2.0
//
// BinaryCache: earlier outputs of an assembler, found by its inputs.

#ifndef MINIC_COMPILER_TARGET_BINARYCACHE_H
#define MINIC_COMPILER_TARGET_BINARYCACHE_H

#include <optional>
#include <string>

namespace minic {

struct AssembledBinary {
  std::string bytes;
  std::string log; // what the assembler said of it
};

/// A key names all that the bytes depend on, so that a compilation gives the
/// same bytes with and without a cache. One thread at a time.
class BinaryCache {
public:
  virtual ~BinaryCache() = default;
  /// Nothing if the entry is missing or damaged.
  virtual std::optional<AssembledBinary> find(const std::string &key) = 0;
  /// May drop the entry; the kernel is then assembled again.
  virtual void put(const std::string &key, const AssembledBinary &binary) = 0;
};

} // namespace minic

#endif // MINIC_COMPILER_TARGET_BINARYCACHE_H
