// SPDX-License-Identifier: Apache-2.0
//
// Changes of an artifact as one who recomputes its checksums would make them:
// without that, the reader refuses every change at once.

#ifndef MINIC_TEST_FUZZ_READERS_MUTATEARTIFACT_H
#define MINIC_TEST_FUZZ_READERS_MUTATEARTIFACT_H

#include <cstddef>
#include <cstdint>
#include <random>

namespace minic::fuzz {

/// Changes `data`, which has room for `maxSize` bytes; returns the new size.
size_t mutateArtifact(uint8_t *data, size_t size, size_t maxSize,
                      std::mt19937 &random);

} // namespace minic::fuzz

#endif // MINIC_TEST_FUZZ_READERS_MUTATEARTIFACT_H
