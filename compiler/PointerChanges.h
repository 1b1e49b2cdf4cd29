// SPDX-License-Identifier: Apache-2.0
//
// PointerChanges: how a captured graph follows callers that change pointers.

#ifndef MINIC_COMPILER_POINTERCHANGES_H
#define MINIC_COMPILER_POINTERCHANGES_H

#include "dialects/plan/Plan.h"

#include <string>

namespace minic {

/// "patched: x, y; copied, or updated to when they come again: w", the names of
/// the function's inputs and outputs; empty where `variant` replays no graph.
std::string describePointerChanges(plan::VariantOp variant);

} // namespace minic

#endif // MINIC_COMPILER_POINTERCHANGES_H
