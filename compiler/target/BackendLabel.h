// SPDX-License-Identifier: Apache-2.0
//
// BackendLabel: what people call the ways to implement an anchor. Options name
// them, a choice's label is computed from its parts.

#ifndef MINIC_COMPILER_TARGET_BACKENDLABEL_H
#define MINIC_COMPILER_TARGET_BACKENDLABEL_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/ErrorHandling.h"

namespace minic {

enum class BackendLabel { Aten, LibraryFused, Cudnn, Generated, User };

inline constexpr BackendLabel allBackendLabels[] = {
    BackendLabel::Aten, BackendLabel::LibraryFused, BackendLabel::Cudnn,
    BackendLabel::Generated, BackendLabel::User};

/// "aten", "library-fused", "cudnn", "generated", "user".
inline llvm::StringRef toString(BackendLabel label) {
  switch (label) {
  case BackendLabel::Aten:
    return "aten";
  case BackendLabel::LibraryFused:
    return "library-fused";
  case BackendLabel::Cudnn:
    return "cudnn";
  case BackendLabel::Generated:
    return "generated";
  case BackendLabel::User:
    return "user";
  }
  llvm_unreachable("no such label");
}

} // namespace minic

#endif // MINIC_COMPILER_TARGET_BACKENDLABEL_H
