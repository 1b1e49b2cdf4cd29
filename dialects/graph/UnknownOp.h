// SPDX-License-Identifier: Apache-2.0
//
// unknownOpText: the error line of an op that the graph dialect lacks.

#ifndef MINIC_DIALECTS_GRAPH_UNKNOWNOP_H
#define MINIC_DIALECTS_GRAPH_UNKNOWNOP_H

#include "mlir/IR/MLIRContext.h"

#include <string>

namespace minic::graph {

/// "no op 'graph.matmull'; did you mean 'graph.matmul'? ...": the nearest name
/// where one is near, and the page that lists all ops.
std::string unknownOpText(mlir::MLIRContext *context, llvm::StringRef name);

} // namespace minic::graph

#endif // MINIC_DIALECTS_GRAPH_UNKNOWNOP_H
