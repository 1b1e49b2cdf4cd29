// SPDX-License-Identifier: Apache-2.0
//
// PeakLoops: loops of nothing but independent products that are added up, one
// for each dtype and instruction set that has an instruction of its own.

#ifndef MINIC_RUNTIME_MEASURE_PEAKLOOPS_H
#define MINIC_RUNTIME_MEASURE_PEAKLOOPS_H

#include <vector>

namespace minic::runtime {

/// Type of the products' operands. Sums are in f32, or in f16 if the
/// instruction adds in f16.
enum class PeakDtype { f32, f16, bf16 };
const char *toString(PeakDtype dtype);

struct PeakLoop {
  const char *instructionSet; // "avx512f"
  /// Runs for some tenths of a millisecond and returns the operations done. Any
  /// thread.
  double (*run)();
};

/// The loops that this process can run now, at least one. The loops of f32 are
/// among them for every dtype, because they multiply operands that are widened.
/// Asks the system for tile registers where the CPU has them for the dtype.
std::vector<PeakLoop> peakLoops(PeakDtype dtype);

} // namespace minic::runtime

#endif // MINIC_RUNTIME_MEASURE_PEAKLOOPS_H
