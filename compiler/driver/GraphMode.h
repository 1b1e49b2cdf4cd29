// SPDX-License-Identifier: Apache-2.0
//
// GraphMode: whether variants on a GPU replay a captured graph, where nothing
// was measured of it.

#ifndef MINIC_COMPILER_DRIVER_GRAPHMODE_H
#define MINIC_COMPILER_DRIVER_GRAPHMODE_H

#include "compiler/explain/Evidence.h"
#include "compiler/options/CompileOptions.h"
#include "dialects/plan/Plan.h"

#include "mlir/IR/BuiltinOps.h"

namespace minic {

/// With --cuda-graphs=auto, runs of so many commands are replayed where nothing
/// was measured. On an H200 a replay took 0.3 to 0.6 us less for each command
/// of a model (ResNet-50 174 us for 190, BERT-base 257 for 292, ViT-B 306 for
/// 340), and two commands back to back took 1.3 us more.
inline constexpr int64_t fewestReplayed = 8;

/// A run of one launch that takes at most so many microseconds on the device is
/// replayed, too. On an H200 a launch occupies the host for 2.9 us or more and
/// a replay for 2.0, but one replay begins 1.3 us after the end of the other:
/// 640 columns of 64 with 8 rows (1.3 us) took 2.1 us replayed and 2.9
/// launched, 1024 of 1024 with 32 rows (2.5 us) 3.7 and 3.8. Tuned plans that
/// are replayed beside plans of default mode that were launched: 2.5 and 4.2
/// (31x768x320, 1.3 us on the device), 3.2 and 3.9 (1219x128x320, 1.8 us), 2.9
/// and 4.3 (23x128x1536, 2.2 us expected); see
/// docs/measurements/2026-11-29-h200.md.
inline constexpr double mostReplayedUs = 2.3;

/// So is one of several launches that take less than so many microseconds each
/// on the device, because the host takes longer to launch them: two kernels for
/// 64x513x129, 256x513x129, 150x381x639 and 491x2042x185 in 16 bits, expected
/// to take 3.9 to 4.9 us together, took 3.6 to 5.4 us replayed on an H200 and
/// 5.3 to 7.4 launched. Two linears of 256x1024x1024 in bf16 (5.6 us expected)
/// took 8.2 us replayed, and a tuned plan 6.6 launched.
inline constexpr double mostOfLaunchUs = 2.5;

/// The same of a launch beyond one for each fusion, which moves data or makes
/// an operand and is expected to take longer than it does: gelu and a linear of
/// 256x1024x1024 (6.1 us expected, 4.0 to 4.2 on the device) took 7.9 us
/// launched and a tuned plan 5.2 replayed, a 3x3 convolution of NCHW with two
/// kernels (6.0 expected) 7.5 and 5.5.
inline constexpr double mostOfMoveUs = 3.7;

/// What runs do where nothing was measured: `commands` of them for `fusions`,
/// of which `calls` are a library's, take `us` on the device (0: not known). Of
/// few launches a replay shortens the call that is waited for by 7 to 23 % (an
/// H200, linears), but delays the next one: it is for an idle stream.
plan::Replay unmeasuredReplay(int64_t commands, int64_t fusions, int64_t calls,
                              double us);

/// The sum of what fusions take; 0 where one of them is not known.
double sumKnown(llvm::ArrayRef<double> us);

/// How long a run that is expected to take `us` is said to keep its stream
/// busy. An estimate that is too short has busy streams replay, which took 151
/// rows of 320x1000 from 3.6 to 5.5 us on an H200; one that is too long by less
/// than the 6 us that a waited-for call takes besides costs nothing.
double busyUs(double us);

/// Sets `graph` of the GPU variants in `plan` that have none and are replayed:
/// with --cuda-graphs=on all, with auto as unmeasuredReplay() says. `evidence`
/// has an entry for each function. Measured verdicts stay as they are.
void setGraphMode(mlir::ModuleOp plan,
                  llvm::ArrayRef<FunctionEvidence> evidence,
                  const CompileOptions &options);

} // namespace minic

#endif // MINIC_COMPILER_DRIVER_GRAPHMODE_H
