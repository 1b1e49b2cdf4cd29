// SPDX-License-Identifier: Apache-2.0
//
// Changes an artifact's bytes as one who recomputes the checksums would.

#ifndef MINIC_TEST_UNIT_RUNTIME_TESTING_RESEAL_H
#define MINIC_TEST_UNIT_RUNTIME_TESTING_RESEAL_H

#include "runtime/format/ArtifactLayout.h"

#include <cstddef>
#include <vector>

namespace minic::testing {

inline format::FileHeader &headerOf(std::vector<std::byte> &bytes) {
  return *reinterpret_cast<format::FileHeader *>(bytes.data());
}
inline format::SectionEntry &sectionOf(std::vector<std::byte> &bytes,
                                       uint32_t index) {
  return reinterpret_cast<format::SectionEntry *>(
      bytes.data() + sizeof(format::FileHeader))[index];
}

/// Recomputes all checksums of sections that lie within `bytes`.
void reseal(std::vector<std::byte> &bytes);

} // namespace minic::testing

#endif // MINIC_TEST_UNIT_RUNTIME_TESTING_RESEAL_H
