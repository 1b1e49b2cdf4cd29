// SPDX-License-Identifier: Apache-2.0
//
// Problem: a fusion as a module of its own: the text that keys the tuning
// database, an ordinary model to compile and check, and the start of every
// candidate's build.

#ifndef MINIC_COMPILER_TUNE_BRIDGE_PROBLEM_H
#define MINIC_COMPILER_TUNE_BRIDGE_PROBLEM_H

#include "dialects/kernel/Kernel.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <string>

namespace minic::tune {

/// What besides the body decides how fast an implementation is.
struct ProblemSetting {
  std::string target = "cpu";
  std::string isa; // as createCpuTarget takes it; empty for this machine's
  int64_t threads = 1;
  int64_t alignment = 64; // bytes, of inputs and outputs
  bool cold = false;      // operands come from memory, not from the caches
  std::string float32Precision = "ieee";
  bool propagateNan = false;  // only what propagates NaN as graph ops promise
  int64_t workspaceLimit = 0; // bytes of one call or kernel; 0: no limit
};

/// Puts the body of `fusion` into the order of problems: what a result needs,
/// depth first. A choice names ops by position, so that the choices of a
/// problem fit its fusions once they are in this order.
void canonicalizeBody(kernel::FusionOp fusion);

/// A module with `func.func @problem` whose body is `fusion`'s, which must be
/// in canonical order. Arguments are in order of first use; `kernel.role` says
/// input or constant. Operands nobody uses are left out; names, locations and
/// the values of constants are not in it.
mlir::OwningOpRef<mlir::ModuleOp> outlineProblem(kernel::FusionOp fusion,
                                                 const ProblemSetting &setting);

/// The problem as text, equal for equal problems.
std::string printProblem(mlir::ModuleOp problem);
/// The same without what the user wrote of kernels: sources, entries,
/// configurations. What they compute stays.
std::string printWithoutSources(mlir::ModuleOp problem);
/// 32 hex digits of printProblem's text and the version of its form.
std::string problemKey(const std::string &text);

/// What outlineProblem wrote; failure with a diagnostic where it is not one.
mlir::FailureOr<ProblemSetting> readSetting(mlir::ModuleOp problem);

/// A module ready for realize: `func.func @main` whose constant arguments have
/// become constants @argN without value (N: position in @problem), with the
/// body in one kernel.fusion that carries `choice`. Inputs are named argN,
/// outputs resultN. Emits a diagnostic where `problem` is not one.
mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>>
problemToModule(mlir::ModuleOp problem, kernel::ChoiceAttr choice);

} // namespace minic::tune

#endif // MINIC_COMPILER_TUNE_BRIDGE_PROBLEM_H
