// SPDX-License-Identifier: Apache-2.0
//
// FoldingEvaluator: constant folding by the float64 reference.

#ifndef MINIC_COMPILER_REFERENCE_FOLDINGEVALUATOR_H
#define MINIC_COMPILER_REFERENCE_FOLDINGEVALUATOR_H

#include "dialects/graph/ConstantEvaluator.h"

#include <memory>

namespace minic::reference {

/// Stateless; thread-safe. Evaluates every graph op.
std::unique_ptr<graph::ConstantEvaluator> createFoldingEvaluator();

} // namespace minic::reference

#endif // MINIC_COMPILER_REFERENCE_FOLDINGEVALUATOR_H
