// SPDX-License-Identifier: Apache-2.0
//
// DescentWorth: whether a descent is worth its time, and how much of it. Pure
// functions.

#ifndef MINIC_COMPILER_TUNE_MODEL_DESCENTWORTH_H
#define MINIC_COMPILER_TUNE_MODEL_DESCENTWORTH_H

#include "compiler/tune/model/Descent.h"

namespace minic::tune {

/// Seconds that the descents of all functions may take together after a search
/// of `searchSeconds`, where no budget says it.
double mostDescentSeconds(double searchSeconds, bool onGpu);

/// Why there is nothing to gain by a descent, for people; empty if there may
/// be. The plans of `inputs` alone are no reason for one: the whole-model check
/// times them.
std::string whyNoDescent(const DescentInputs &inputs);

} // namespace minic::tune

#endif // MINIC_COMPILER_TUNE_MODEL_DESCENTWORTH_H
