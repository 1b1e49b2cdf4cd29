// SPDX-License-Identifier: Apache-2.0
//
// BackendNames: what --gemm-backends and --conv-backends may name, labels and
// plug-ins. Which plug-ins there are is known once they are open.

#ifndef MINIC_COMPILER_OPTIONS_BACKENDNAMES_H
#define MINIC_COMPILER_OPTIONS_BACKENDNAMES_H

#include "compiler/options/OptionTable.h"
#include "compiler/target/BackendLabel.h"

#include "llvm/ADT/ArrayRef.h"

namespace minic {

/// The label of this name; the name of a plug-in has that of all of them.
BackendLabel labelNamed(llvm::StringRef name);

/// The only plug-ins that `names` leave; empty where they name none, or all.
std::vector<std::string> pluginsNamed(const std::vector<std::string> &names);

/// The line about a name that is no label and not one of `plugins`; empty for
/// none.
std::string findUnknownBackend(const CompileOptions &options,
                               llvm::ArrayRef<std::string> plugins);

namespace option {

/// Comma-separated labels and names of plug-ins. What could be neither is an
/// error here, what is neither one of findUnknownBackend.
Option backends(std::string name, std::string group, std::string help,
                std::vector<std::string> CompileOptions::*field);

} // namespace option
} // namespace minic

#endif // MINIC_COMPILER_OPTIONS_BACKENDNAMES_H
