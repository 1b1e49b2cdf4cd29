// SPDX-License-Identifier: Apache-2.0
//
// RandomConstants: values for the external constants of problems, where only
// speed and the agreement with the reference count.

#ifndef MINIC_RUNTIME_MEASURE_RANDOMCONSTANTS_H
#define MINIC_RUNTIME_MEASURE_RANDOMCONSTANTS_H

#include "runtime/program/Program.h"

namespace minic::runtime {

/// fillRandom(scaleByFanIn = true) under the constant's name and `seed`, packed
/// into the constant's layout.
ConstantProvider randomConstants(uint64_t seed);

} // namespace minic::runtime

#endif // MINIC_RUNTIME_MEASURE_RANDOMCONSTANTS_H
