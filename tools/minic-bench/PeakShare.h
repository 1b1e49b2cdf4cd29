// SPDX-License-Identifier: Apache-2.0
//
// PeakShare: how near a run comes to the peaks of the arithmetic that it may
// use.

#ifndef MINIC_TOOLS_MINIC_BENCH_PEAKSHARE_H
#define MINIC_TOOLS_MINIC_BENCH_PEAKSHARE_H

#include "runtime/measure/PeakLoops.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace minic::tools {

/// What an artifact's evidence says of the operations of one run.
struct Arithmetic {
  /// Parts of them by the operands of their products; together 1.
  std::map<runtime::PeakDtype, double> parts = {{runtime::PeakDtype::f32, 1}};
  /// GPU: the device it was compiled for, and what one run would take at that
  /// device's estimated peaks; 0 where it is not known.
  std::string device;
  double idealUs = 0;
  /// What implements each fusion; empty where the evidence does not say it.
  std::vector<std::string> choices;
};

/// All in f32 where the evidence is absent or says nothing of it.
Arithmetic readArithmetic(const std::string &evidence);

/// Microseconds of `flops` at the peaks, GFLOP/s by dtype.
double idealUs(const Arithmetic &arithmetic, double flops,
               const std::map<runtime::PeakDtype, double> &peakGflops);

/// "62.3%", "-" where the share is 0, for none, and "unknown" above 1: the loop
/// or the estimate is no peak then.
std::string shareText(double share);

} // namespace minic::tools

#endif // MINIC_TOOLS_MINIC_BENCH_PEAKSHARE_H
