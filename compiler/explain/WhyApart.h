// SPDX-License-Identifier: Apache-2.0
//
// WhyApart: why two fusions are two, for people.

#ifndef MINIC_COMPILER_EXPLAIN_WHYAPART_H
#define MINIC_COMPILER_EXPLAIN_WHYAPART_H

#include "compiler/options/FuseSwitches.h"
#include "dialects/kernel/Kernel.h"

#include <string>

namespace minic {

/// Why `fusion` did not take in `producer`, whose result it reads. `switches`:
/// what the phase fuse was allowed to do.
std::string whyApart(kernel::FusionOp fusion, kernel::FusionOp producer,
                     const FuseSwitches &switches);

} // namespace minic

#endif // MINIC_COMPILER_EXPLAIN_WHYAPART_H
