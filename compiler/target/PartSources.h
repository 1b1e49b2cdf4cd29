// SPDX-License-Identifier: Apache-2.0
//
// PartSources: who implements a part of a fusion, and how.

#ifndef MINIC_COMPILER_TARGET_PARTSOURCES_H
#define MINIC_COMPILER_TARGET_PARTSOURCES_H

#include "compiler/target/Candidates.h"
#include "dialects/kernel/OutlinePart.h"

namespace minic {

/// Of a fusion's ops, ascending.
using OpIndices = llvm::SmallVector<int64_t>;

/// One part with the source and implementation it got.
struct ImplementedPart {
  kernel::PartAttr part;
  Implementation implementation;
};

/// Asks the sources of a target for parts of a fusion.
class PartSources {
public:
  using Reasons = std::vector<std::string>;

  /// `why` collects why something is missing.
  PartSources(kernel::FusionOp fusion, const Target &target, NanPolicy nan,
              OperandLayouts layouts, bool allowsLastResort, Reasons &why,
              Breadth breadth)
      : fusion(fusion), target(target), nan(nan), layouts(layouts),
        allowsLastResort(allowsLastResort), breadth(breadth), why(why) {}

  /// Those that are asked; a last resort, where it is allowed, comes last.
  llvm::SmallVector<const KernelFamily *> families() const;

  /// All implementations of `part` by `source`, as many as `breadth` says;
  /// empty where it is rejected.
  std::vector<Implementation> ask(const ImplementationSource *source,
                                  const kernel::OutlinedPart &part,
                                  Reasons &reasons) {
    return ask(source, part, reasons, breadth);
  }
  /// The same, but as many as `asked` says.
  std::vector<Implementation> ask(const ImplementationSource *source,
                                  const kernel::OutlinedPart &part,
                                  Reasons &reasons, Breadth asked);
  /// Whether all are asked for.
  bool asksForAll() const { return breadth == Breadth::All; }
  /// Keeps reasons that explain why something is missing, each once.
  void explain(const Reasons &reasons);

  ImplementedPart implement(const OpIndices &indices,
                            const Implementation &implementation);
  /// The best generated implementation of some ops.
  std::optional<ImplementedPart> generate(const OpIndices &indices);
  /// Generated kernels for `indices` (without anchors, and without a path that
  /// leads out of them and back): one if a family takes all of them, else as
  /// few runs of neighbours in the list as a greedy search finds. With `single`
  /// one kernel per op.
  std::optional<std::vector<ImplementedPart>>
  generateRuns(const OpIndices &indices, bool single = false);

private:
  double relayoutUs(kernel::FusionOp outlined,
                    const Implementation &implementation);

  kernel::FusionOp fusion;
  const Target &target;
  const NanPolicy nan;
  const OperandLayouts layouts;
  const bool allowsLastResort;
  const Breadth breadth;
  Reasons &why;
};

} // namespace minic

#endif // MINIC_COMPILER_TARGET_PARTSOURCES_H
