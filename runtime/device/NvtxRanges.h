// SPDX-License-Identifier: Apache-2.0
//
// NvtxRanges: commands as ranges of NVTX, in the domain "minic".

#ifndef MINIC_RUNTIME_DEVICE_NVTXRANGES_H
#define MINIC_RUNTIME_DEVICE_NVTXRANGES_H

#include "runtime/base/CommandRanges.h"
#include "runtime/format/ArtifactReader.h"

#include "absl/status/statusor.h"

#include <memory>
#include <string>

namespace minic::runtime {

/// What a range is called: the ops and shapes of a kernel that minic generated,
/// "linear_relu_64x512_512x512_f32"; else the kernel or the library's op.
std::string rangeName(const format::Command &command);

/// Names are registered once. Nothing is linked: NVTX's header opens the
/// library of the profiler that runs the process, and without one a range costs
/// a test. Unimplemented where minic was built without the header.
absl::StatusOr<std::unique_ptr<const CommandRanges>>
createNvtxRanges(const format::Variant &variant);

} // namespace minic::runtime

#endif // MINIC_RUNTIME_DEVICE_NVTXRANGES_H
