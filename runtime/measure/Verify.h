// SPDX-License-Identifier: Apache-2.0
//
// Verify: checks that a function computes all of its results right and writes
// nothing else.

#ifndef MINIC_RUNTIME_MEASURE_VERIFY_H
#define MINIC_RUNTIME_MEASURE_VERIFY_H

#include "runtime/base/AlignedBuffer.h"
#include "runtime/device/Device.h"
#include "runtime/measure/ExpectedOutputs.h"
#include "runtime/measure/Protocol.h"
#include "runtime/measure/VerifyCache.h"
#include "runtime/program/Program.h"

#include <functional>

namespace minic::runtime {

/// The function to verify: a Program, or in a test a function that is wrong.
struct VerifySubject {
  std::vector<TensorSpec> inputs, outputs;
  uint64_t arenaBytes = 0;
  /// The first bytes of the arena, which `prepare` zeroes.
  uint64_t zeroedBytes = 0;
  /// What inputs, outputs and arena are in; null: the host's.
  const DeviceMemory *memory = nullptr;
  using Run = std::function<absl::Status(absl::Span<const Tensor> inputs,
                                         absl::Span<const Tensor> outputs)>;
  /// Makes ready to run with an arena of `arenaBytes`, which outlives the Run.
  std::function<absl::StatusOr<Run>(void *arena)> prepare;
};
/// Only one thread verifies a Program at a time; nobody times it meanwhile.
VerifySubject subjectOf(std::shared_ptr<const Program> program);

/// Outputs of a run, in the function's order, dense.
using OutputValues = std::vector<AlignedBuffer>;

/// One run on fillRandom inputs keyed by their names and `seed`.
absl::StatusOr<OutputValues> computeOutputs(const VerifySubject &subject,
                                            uint64_t seed, VerifyCache &cache);

/// Runs twice on fillRandom inputs keyed by their names and `seed`. Before each
/// run outputs, arena and guard zones around everything are filled with a
/// poison: first 0xff bytes (NaN), then 0xa5 bytes. Wrong, in this order, is:
/// a write to an input or a guard zone; counters in the arena that are not left
/// zero; an element that holds the poison of
/// both runs; an i1 that is neither 0 nor 1; an element out of tolerance in
/// either run. Expected outputs are matched by name and must have the
/// function's dims and dtypes (else InvalidArgument); where they give only some
/// rows and `trusted` is not null, the others are compared with it (see
/// compareWithTrusted). A run that answers an error is status `error`. Errors
/// of this function itself: the expected outputs do not fit, or no memory.
absl::StatusOr<VerifyReply> verify(const VerifySubject &subject, uint64_t seed,
                                   const std::vector<ExpectedOutput> &expected,
                                   const OutputValues *trusted,
                                   VerifyCache &cache);

} // namespace minic::runtime

#endif // MINIC_RUNTIME_MEASURE_VERIFY_H
