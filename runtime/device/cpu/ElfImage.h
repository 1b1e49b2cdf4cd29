// SPDX-License-Identifier: Apache-2.0
//
// ElfImage: loads the generated kernels' shared object from memory.

#ifndef MINIC_RUNTIME_DEVICE_CPU_ELFIMAGE_H
#define MINIC_RUNTIME_DEVICE_CPU_ELFIMAGE_H

#include "absl/status/statusor.h"
#include "absl/types/span.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

namespace minic::runtime {

/// An x86-64 shared object that needs nothing: no other library, no imported
/// symbol, no constructor, no thread-local, no relocation but RELATIVE. So
/// loading is copying its segments and protecting them, in about a third of
/// dlopen's time, with no file and no name that could be confused with another.
/// Anything else is refused. Symbols are found through DT_GNU_HASH.
/// Immutable, thread-safe, move-only.
class ElfImage {
public:
  /// DataLoss for a malformed or refused object, naming the field;
  /// FailedPrecondition where the system forbids executable memory. `bytes` is
  /// not used afterwards.
  static absl::StatusOr<ElfImage> load(absl::Span<const std::byte> bytes);

  ElfImage(ElfImage &&other) noexcept;
  ElfImage &operator=(ElfImage &&) = delete;
  ~ElfImage();

  /// The address of a function; null if there is none of that name.
  void *find(std::string_view symbol) const;

private:
  ElfImage() = default;

  std::byte *memory_ = nullptr;
  uint64_t bytes_ = 0;
  /// Names lie in memory_.
  std::unordered_map<std::string_view, void *> functions_;
};

} // namespace minic::runtime

#endif // MINIC_RUNTIME_DEVICE_CPU_ELFIMAGE_H
