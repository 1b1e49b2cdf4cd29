// SPDX-License-Identifier: Apache-2.0
//
// ResolveTarget: from what the user asked for to targets, or why there is none.

#ifndef MINIC_COMPILER_RESOLVETARGET_H
#define MINIC_COMPILER_RESOLVETARGET_H

#include "compiler/CompileOptions.h"
#include "compiler/target/Candidates.h"

namespace minic {

/// CPUs that this process may run on.
int availableThreads();

/// What a variant of the artifact is generated for.
struct VariantTarget {
  std::unique_ptr<Target> target;
  /// As createCpuTarget was given it: "", "v3" or "v4".
  std::string isa;
};

/// One target per variant of the artifact: this machine, or each level of
/// --cpu-isa, best first. What is not built yet is a diagnostic that starts
/// with "unsupported: ".
mlir::FailureOr<std::vector<VariantTarget>>
resolveTargets(const CompileOptions &options, mlir::MLIRContext &context);

/// The labels that --gemm-backends or --conv-backends names.
std::vector<BackendLabel> labelsOf(const std::vector<std::string> &names);

} // namespace minic

#endif // MINIC_COMPILER_RESOLVETARGET_H
