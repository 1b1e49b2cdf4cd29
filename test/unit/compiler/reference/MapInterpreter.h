// SPDX-License-Identifier: Apache-2.0
//
// MapInterpreter: an op's result by its iteration space alone: each point in
// turn, elements by the maps, arithmetic by the emit functions.

#ifndef MINIC_TEST_UNIT_COMPILER_REFERENCE_MAPINTERPRETER_H
#define MINIC_TEST_UNIT_COMPILER_REFERENCE_MAPINTERPRETER_H

#include "dialects/graph/Graph.h"

#include <vector>

namespace minic::reference {

/// The first result of `op`, row-major, of f32 operands. Fails the running test
/// where a result element is written never or, by an op that is no reduction,
/// twice.
std::vector<float> interpret(mlir::Operation *op,
                             const std::vector<std::vector<float>> &operands);

} // namespace minic::reference

#endif // MINIC_TEST_UNIT_COMPILER_REFERENCE_MAPINTERPRETER_H
