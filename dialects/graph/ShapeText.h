// SPDX-License-Identifier: Apache-2.0
//
// Shapes as diagnostics of the graph ops print them.

#ifndef MINIC_DIALECTS_GRAPH_SHAPETEXT_H
#define MINIC_DIALECTS_GRAPH_SHAPETEXT_H

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>
#include <string>

namespace minic::graph {

/// "[4, ?, 8]".
std::string shapeText(llvm::ArrayRef<int64_t> shape);

} // namespace minic::graph

#endif // MINIC_DIALECTS_GRAPH_SHAPETEXT_H
