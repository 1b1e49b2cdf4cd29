// SPDX-License-Identifier: Apache-2.0
//
// BackendLabel: what people call the ways to implement an anchor. Options name
// them, a choice's label is computed from its parts.

#ifndef MINIC_COMPILER_TARGET_BACKENDLABEL_H
#define MINIC_COMPILER_TARGET_BACKENDLABEL_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/ErrorHandling.h"

namespace minic {

enum class BackendLabel { Aten, LibraryFused, Cudnn, Generated, User, Plugin };

inline constexpr BackendLabel allBackendLabels[] = {
    BackendLabel::Aten,      BackendLabel::LibraryFused, BackendLabel::Cudnn,
    BackendLabel::Generated, BackendLabel::User,         BackendLabel::Plugin};

/// Whether minic neither wrote the code nor knows the library: a kernel of the
/// user's, or of a plug-in.
inline bool isForeign(BackendLabel label) {
  return label == BackendLabel::User || label == BackendLabel::Plugin;
}

/// "aten", "library-fused", "cudnn", "generated", "user", "plugin".
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
  case BackendLabel::Plugin:
    return "plugin";
  }
  llvm_unreachable("no such label");
}

} // namespace minic

#endif // MINIC_COMPILER_TARGET_BACKENDLABEL_H
