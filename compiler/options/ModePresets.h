// SPDX-License-Identifier: Apache-2.0
//
// --mode, which presets other options, and --cuda-graphs, which is one of them.

#ifndef MINIC_COMPILER_OPTIONS_MODEPRESETS_H
#define MINIC_COMPILER_OPTIONS_MODEPRESETS_H

#include "compiler/options/OptionTable.h"

namespace minic {

Option modeOption(const std::string &group);
Option cudaGraphsOption(const std::string &group);

} // namespace minic

#endif // MINIC_COMPILER_OPTIONS_MODEPRESETS_H
