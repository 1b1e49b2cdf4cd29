// SPDX-License-Identifier: Apache-2.0
//
// InductorNames: TorchInductor's options by name, and what minic calls them.

#ifndef MINIC_COMPILER_OPTIONS_INDUCTORNAMES_H
#define MINIC_COMPILER_OPTIONS_INDUCTORNAMES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace minic {

struct InductorName {
  llvm::StringRef name;  // as in torch._inductor.config: "triton.cudagraphs"
  llvm::StringRef minic; // the option; empty where there is none to set
  llvm::StringRef note;  // what is different, or why there is none
};

llvm::ArrayRef<InductorName> inductorNames();

/// The entry of `name`, also written as an option: "--max-autotune". Null where
/// there is none.
const InductorName *findInductorName(llvm::StringRef name);

/// "max_autotune is --mode=max-autotune in minic (NOTE)".
std::string describe(const InductorName &name);

} // namespace minic

#endif // MINIC_COMPILER_OPTIONS_INDUCTORNAMES_H
