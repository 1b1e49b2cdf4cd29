// SPDX-License-Identifier: Apache-2.0
//
// Files of weights, which may be larger than memory: only what is read of a
// mapping is there, and only until it is dropped.

#ifndef MINIC_COMPILER_IMPORT_MAPPEDFILE_H
#define MINIC_COMPILER_IMPORT_MAPPEDFILE_H

#include "llvm/Support/MemoryBuffer.h"

#include <cstdint>

namespace minic {

/// Where `file` is a mapping, its pages leave this process' memory until they
/// are read again. (MemoryBuffer::dontNeedIfMmap does nothing with glibc, whose
/// posix_madvise ignores the advice.)
void dropPages(const llvm::MemoryBuffer &file);

/// XXH3 (64 bit) of all bytes; of a mapping at most 16 MiB are in memory
/// meanwhile, and nothing afterwards.
uint64_t hashFile(const llvm::MemoryBuffer &file, uint64_t seed = 0);

} // namespace minic

#endif // MINIC_COMPILER_IMPORT_MAPPEDFILE_H
