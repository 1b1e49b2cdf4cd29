// SPDX-License-Identifier: Apache-2.0
//
// captureAhead: has every bucket capture its graph before the first run.

#ifndef MINIC_RUNTIME_PROGRAM_CAPTUREAHEAD_H
#define MINIC_RUNTIME_PROGRAM_CAPTUREAHEAD_H

#include "runtime/program/Context.h"
#include "runtime/program/Padding.h"
#include "runtime/program/SizeWords.h"

namespace minic::runtime {

/// Runs each of `contexts`, the buckets' of `entry`, whose next run would
/// capture a graph, once on zeros, and waits. The graphs are of tensors that
/// stay, where runs have those: the room of `padding` (null where nothing is
/// padded), or that of host tensors if `stagesHost`; later runs patch other
/// pointers of minic's own kernels, and CapturedGraph says what becomes of a
/// library's. Where there is no memory for the zeros, or the stream is being
/// captured, the first run captures, with a warning.
absl::Status captureAhead(const Entry &entry,
                          absl::Span<const std::unique_ptr<Context>> contexts,
                          const Padding *padding, SizeWords &sizeWords,
                          bool stagesHost);

} // namespace minic::runtime

#endif // MINIC_RUNTIME_PROGRAM_CAPTUREAHEAD_H
