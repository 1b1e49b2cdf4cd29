// SPDX-License-Identifier: Apache-2.0
//
// What this CPU can do, by LLVM's feature names.

#ifndef MINIC_RUNTIME_DEVICE_CPU_CPUFEATURES_H
#define MINIC_RUNTIME_DEVICE_CPU_CPUFEATURES_H

#include "absl/strings/string_view.h"

#include <string>
#include <vector>

namespace minic::runtime {

/// Whether the CPU has the feature ("avx2", "avx512bf16") and the operating
/// system saves the registers it needs; a process has to ask for those of AMX
/// (TileState.h). False for a name it does not know.
/// Thread-safe.
bool cpuHasFeature(absl::string_view name);

/// All names for which cpuHasFeature is true, sorted.
std::vector<std::string> cpuFeatures();

} // namespace minic::runtime

#endif // MINIC_RUNTIME_DEVICE_CPU_CPUFEATURES_H
