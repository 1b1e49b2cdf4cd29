// SPDX-License-Identifier: Apache-2.0
//
// Candidates: the choices of a fusion that are worth measuring.

#ifndef MINIC_COMPILER_TARGET_CANDIDATES_H
#define MINIC_COMPILER_TARGET_CANDIDATES_H

#include "compiler/target/Target.h"

namespace minic {

struct Candidate {
  kernel::ChoiceAttr choice;
  BackendLabel label; // computed from the parts
  /// Stable row name: label, then the schedule grammar of each part, then
  /// "(NaN lost in relu)" where one is.
  std::string name;
  double estimateUs = 0;
  /// The sum of what the sources' models say (Implementation::modelUs).
  double modelUs = 0;
  /// Of its Implementation; empty if there are several.
  std::string kind;
  int launches = 1;
  bool needsLibrary = false;
  /// By construction, before anything is measured.
  bool isDeterministic() const { return !needsLibrary && !isForeign(label); }
};

/// What is done with a library's post-ops that are not known to keep a NaN.
enum class NanPolicy {
  Mark,   // used, and named
  Reject, // left out
  Measure // used: tuning finds out which of them keep it
};

/// Which layouts of operands an implementation may ask for.
enum class OperandLayouts {
  Any,
  Unpadded, // no extents beyond the tensor's own
  Dense     // row-major
};

/// Candidates of `fusion`, best estimate first: one part (fully fused) by each
/// family and library that matches, and {anchor} + {pointwise rest} groupings.
/// `backends`: labels allowed, empty for all; if none of them matches, the list
/// is empty and `why` says why. The first one is what `default` mode uses
/// without a database. `why` collects rejections for the log.
///
/// A plug-in's kernels (`plugin`) come last, whatever their estimates: nothing
/// is known of them before they are measured. They take the whole body, or else
/// the only anchor, with what follows it or alone. `plugins`: the names of
/// those that are asked, empty for all.
///
/// A bare anchor is the same call of a library with and without post-ops: it is
/// listed once, as `aten` where that is allowed. A body without anchor is one
/// generated kernel, and as `aten` one kernel per op. Where the body has named
/// ops with stages, the same again with all of them expanded, except for an
/// implementation of everything that is listed already. A kernel of the user's
/// is in a part of its own (`user`), and beside that the same for its reference
/// in its place; that alone is left out where the kernel says `prefer`. Only
/// where all of this gives nothing, or with `deterministic` only libraries'
/// rows, families of last resort are asked as well. `layouts` leaves out
/// implementations. With a `breadth` of All every legal schedule of each family
/// is there, in one part at a time: parts beside it have their best by
/// estimates.
std::vector<Candidate>
enumerateCandidates(kernel::FusionOp fusion, const Target &target,
                    llvm::ArrayRef<BackendLabel> backends,
                    std::vector<std::string> &why,
                    NanPolicy nan = NanPolicy::Mark, bool deterministic = false,
                    OperandLayouts layouts = OperandLayouts::Any,
                    Breadth breadth = Breadth::Promising,
                    llvm::ArrayRef<std::string> plugins = {});

} // namespace minic

#endif // MINIC_COMPILER_TARGET_CANDIDATES_H
