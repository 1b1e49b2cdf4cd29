// SPDX-License-Identifier: Apache-2.0
//
// The three levels of a model as JSON: captured, fused, planned. Each is an
// object with "nodes" and "repeats" (docs/json.md).

#ifndef MINIC_COMPILER_TRACE_GRAPHJSON_H
#define MINIC_COMPILER_TRACE_GRAPHJSON_H

#include "compiler/explain/Evidence.h"
#include "compiler/options/CompileOptions.h"
#include "compiler/target/Target.h"
#include "dialects/plan/Plan.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <nlohmann/json.hpp>

namespace minic::trace {

using Json = nlohmann::ordered_json;

/// The ops of `function` but constants and return; marks them.
Json captureGraph(mlir::func::FuncOp function);

/// The fusions of `function`, whose algorithms are selected; marks them.
/// `evidence`: of the same function.
Json fuseGraph(mlir::func::FuncOp function, const FunctionEvidence &evidence,
               const FuseSwitches &switches);

/// Candidates by their estimates and what refuses each fusion, once for equal
/// fusions: "offers". Gives the nodes of `fused` "offer".
Json offersOf(mlir::func::FuncOp function, const Target &target,
              const CompileOptions &options, Json &fused);

/// Commands and buffers of `variant`. Gives the nodes of `fused` "commands".
Json planGraph(plan::VariantOp variant, Json &fused);

/// Gives the nodes of `captured` "fusions": those of `fused` that have ops of
/// theirs, else of their nearest users, then with "by_users".
void linkCaptured(Json &captured, const Json &fused);

/// Sets "repeats" from the nodes' "signature", which is removed.
void foldRepeats(Json &graph);

/// Its lines.
Json linesOf(const std::string &text);

} // namespace minic::trace

#endif // MINIC_COMPILER_TRACE_GRAPHJSON_H
