// SPDX-License-Identifier: Apache-2.0

#include "AlignedMemory.h"

#include "Failure.h"

#include <algorithm>

namespace minic::python {

AlignedMemory allocateAligned(uint64_t bytes, uint64_t alignment) {
  // posix_memalign wants multiples of a pointer; lines are shared by nobody.
  constexpr uint64_t cacheLine = 64;
  void *memory = nullptr;
  if (posix_memalign(&memory, std::max(alignment, cacheLine),
                     std::max<uint64_t>(bytes, 1)) != 0) {
    throw Failure(MINIC_OUT_OF_MEMORY,
                  "not enough memory for " + std::to_string(bytes) + " bytes");
  }
  return AlignedMemory(memory);
}

} // namespace minic::python
