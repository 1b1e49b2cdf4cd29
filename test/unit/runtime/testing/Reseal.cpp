// SPDX-License-Identifier: Apache-2.0
//
// Checksums, computed apart from the writer's code.

#include "test/unit/runtime/testing/Reseal.h"

#include <xxhash.h>

#include <algorithm>

namespace minic::testing {

void reseal(std::vector<std::byte> &bytes) {
  format::FileHeader &header = headerOf(bytes);
  uint32_t room = (bytes.size() - sizeof(format::FileHeader)) /
                  sizeof(format::SectionEntry);
  uint32_t count = std::min(header.sectionCount, room);
  for (uint32_t i = 0; i < count; ++i) {
    format::SectionEntry &entry = sectionOf(bytes, i);
    if (entry.offset <= bytes.size() &&
        entry.bytes <= bytes.size() - entry.offset) {
      entry.checksum = XXH3_64bits(bytes.data() + entry.offset, entry.bytes);
    }
  }
  header.headerChecksum = 0;
  header.headerChecksum =
      XXH3_64bits(bytes.data(), sizeof(format::FileHeader) +
                                    count * sizeof(format::SectionEntry));
}

} // namespace minic::testing
