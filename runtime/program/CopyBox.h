// SPDX-License-Identifier: Apache-2.0
//
// CopyBox: what two dense tensors of different sizes have in common.

#ifndef MINIC_RUNTIME_PROGRAM_COPYBOX_H
#define MINIC_RUNTIME_PROGRAM_COPYBOX_H

#include "runtime/device/Device.h"

#include "absl/types/span.h"

#include <cstddef>
#include <cstdint>

namespace minic::runtime {

/// Copies the elements at indices that both shapes have, from one dense
/// row-major tensor to another of the same rank, and nothing else. Host memory;
/// the tensors do not overlap.
void copyBox(std::byte *to, absl::Span<const int64_t> toDims,
             const std::byte *from, absl::Span<const int64_t> fromDims,
             size_t elementBytes);

/// The same of one GPU's memory, enqueued on the stream of `execution`.
absl::Status enqueueCopyBox(Execution &execution, void *to,
                            absl::Span<const int64_t> toDims, const void *from,
                            absl::Span<const int64_t> fromDims,
                            size_t elementBytes);

} // namespace minic::runtime

#endif // MINIC_RUNTIME_PROGRAM_COPYBOX_H
