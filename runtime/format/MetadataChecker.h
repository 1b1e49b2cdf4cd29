// SPDX-License-Identifier: Apache-2.0
//
// Checks everything the metadata says against itself and the other sections.

#ifndef MINIC_RUNTIME_FORMAT_METADATACHECKER_H
#define MINIC_RUNTIME_FORMAT_METADATACHECKER_H

#include "runtime/format/plan_generated.h"

#include "absl/status/status.h"

#include <set>
#include <utility>
#include <vector>

namespace minic::format {

struct SectionBytes {
  uint64_t binaries;
  uint64_t constants;
};

/// `artifact` has passed the FlatBuffers verifier. After success every index is
/// in range, every size product fits int64, every address lies in its base, and
/// commands write only where their phase may: `prepare` to persistent memory,
/// `run` to the arena and outputs. DataLoss names the field otherwise.
absl::Status checkMetadata(const Artifact &artifact, SectionBytes sections);

/// Sizes in bytes of the bases of addresses, for one command list.
class AddressSpace {
public:
  AddressSpace(const Artifact &artifact, const Function &function,
               const Variant &variant, bool prepare);

  /// Checks that [address, address + bytes) lies in its base, which the phase
  /// may read (and, with `writes`, write). `what` names it in the message.
  absl::Status check(const Address &address, uint64_t bytes, bool writes,
                     const std::string &what) const;

  /// Whether it is of an output that is updated in place, or of its input.
  bool isInPlace(const Address &address) const;

private:
  std::vector<uint64_t> sizes_[5]; // by Base, then index
  std::set<std::pair<Base, uint32_t>> inPlace_;
  bool prepare_;
};

/// False for numbers at an odd multiple of 4, which FlatBuffers' verifier
/// accepts. Empty vectors may lie there.
inline bool isAligned(const flatbuffers::Vector<int64_t> &values) {
  return values.size() == 0 ||
         reinterpret_cast<uintptr_t>(values.data()) % alignof(int64_t) == 0;
}

/// Product of `dims` times `elementBytes`, or an error that names `what` where
/// one is negative or the product does not fit.
absl::Status checkedBytes(const flatbuffers::Vector<int64_t> &dims, DType dtype,
                          const std::string &what, uint64_t &bytes);

} // namespace minic::format

#endif // MINIC_RUNTIME_FORMAT_METADATACHECKER_H
