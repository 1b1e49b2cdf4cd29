// SPDX-License-Identifier: Apache-2.0
//
// Programs in words.

#ifndef MINIC_PYTHON_DESCRIPTION_H
#define MINIC_PYTHON_DESCRIPTION_H

#include "Program.h"

#include <string>

namespace minic::python {

/// How its implementations were chosen: "tuned" where the user's measurements
/// chose any, "pinned" where the user did, else "default"; "unknown" without
/// evidence.
std::string modeOf(const Program &program);

/// "<minic.Program main(x: f32[4]) -> (y: f32[4]) on cpu, 2 threads, tuned>"
std::string describe(const Program &program);

} // namespace minic::python

#endif // MINIC_PYTHON_DESCRIPTION_H
