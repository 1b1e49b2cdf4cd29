// SPDX-License-Identifier: Apache-2.0
//
// What memory a command of a plan touches.

#ifndef MINIC_RUNTIME_DEVICE_CUDA_PLANADDRESSES_H
#define MINIC_RUNTIME_DEVICE_CUDA_PLANADDRESSES_H

#include "runtime/format/plan_generated.h"

#include <functional>

namespace minic::runtime {

/// Calls `visit` with every address of the command, operands of library calls
/// included; one used twice is visited twice.
void forEachAddress(const format::Command &command,
                    const std::function<void(const format::Address &)> &visit);

} // namespace minic::runtime

#endif // MINIC_RUNTIME_DEVICE_CUDA_PLANADDRESSES_H
