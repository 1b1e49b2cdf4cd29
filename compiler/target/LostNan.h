// SPDX-License-Identifier: Apache-2.0
//
// LostNan: where a choice's libraries are not known to keep a NaN.

#ifndef MINIC_COMPILER_TARGET_LOSTNAN_H
#define MINIC_COMPILER_TARGET_LOSTNAN_H

#include "compiler/target/Target.h"

namespace minic {

/// Which ops of a fusion lose a NaN as its choice implements them: "relu, max";
/// empty for none, or where there is no choice.
std::string opsThatLoseNan(kernel::FusionOp fusion, const Target &target);

} // namespace minic

#endif // MINIC_COMPILER_TARGET_LOSTNAN_H
