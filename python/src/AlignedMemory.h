// SPDX-License-Identifier: Apache-2.0
//
// AlignedMemory: host memory as programs want it.

#ifndef MINIC_PYTHON_ALIGNEDMEMORY_H
#define MINIC_PYTHON_ALIGNEDMEMORY_H

#include <cstdint>
#include <cstdlib>
#include <memory>

namespace minic::python {

struct Free {
  void operator()(void *memory) const { std::free(memory); }
};
using AlignedMemory = std::unique_ptr<void, Free>;

/// At least one byte. Throws a Failure where there is not enough memory.
AlignedMemory allocateAligned(uint64_t bytes, uint64_t alignment);

} // namespace minic::python

#endif // MINIC_PYTHON_ALIGNEDMEMORY_H
