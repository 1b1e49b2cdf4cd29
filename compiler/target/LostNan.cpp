// SPDX-License-Identifier: Apache-2.0
//
// Asks the library of each part.

#include "compiler/target/LostNan.h"

#include "dialects/kernel/ExpandOps.h"
#include "dialects/kernel/OutlinePart.h"

namespace minic {

std::string opsThatLoseNan(kernel::FusionOp fusion, const Target &target) {
  std::string lost;
  kernel::ChoiceAttr choice = fusion.getChoiceAttr();
  if (!choice) {
    return lost;
  }
  kernel::ExpandedFusion body(fusion, choice.getExpand());
  for (kernel::PartAttr part : choice.getParts()) {
    kernel::OutlinedPart outlined =
        kernel::outlinePart(body.get(), part.getOps());
    for (const LibraryBackend *library : target.libraries()) {
      if (library->name() != part.getImplementation().getFamily()) {
        continue;
      }
      std::string ops = library->opsThatLoseNan(outlined.fusion.get());
      lost += (lost.empty() || ops.empty() ? "" : ", ") + ops;
    }
  }
  return lost;
}

} // namespace minic
