// SPDX-License-Identifier: Apache-2.0
//
// Piece by piece, so that pages which were read can leave memory.

#include "compiler/import/MappedFile.h"

#include "llvm/Support/Process.h"

#include <sys/mman.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace minic {

void dropPages(const llvm::MemoryBuffer &file) {
  if (file.getBufferKind() != llvm::MemoryBuffer::MemoryBuffer_MMap) {
    return;
  }
  static const uintptr_t pageBytes = llvm::sys::Process::getPageSizeEstimate();
  auto begin = reinterpret_cast<uintptr_t>(file.getBufferStart());
  uintptr_t page = begin & ~(pageBytes - 1);
  // Where it fails, memory is all that is lost.
  (void)::madvise(reinterpret_cast<void *>(page),
                  begin - page + file.getBufferSize(), MADV_DONTNEED);
}

uint64_t hashFile(const llvm::MemoryBuffer &file, uint64_t seed) {
  constexpr size_t step = size_t(16) << 20;
  XXH3_state_t *state = XXH3_createState();
  XXH3_64bits_reset_withSeed(state, seed);
  llvm::StringRef bytes = file.getBuffer();
  for (size_t at = 0; at < bytes.size(); at += step) {
    llvm::StringRef part = bytes.substr(at, step);
    XXH3_64bits_update(state, part.data(), part.size());
    dropPages(file);
  }
  uint64_t hash = XXH3_64bits_digest(state);
  XXH3_freeState(state);
  return hash;
}

} // namespace minic
