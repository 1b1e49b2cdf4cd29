// SPDX-License-Identifier: Apache-2.0
//
// Layouts, traffic and label of a fusion in one kernel.

#include "compiler/target/OfferFusion.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace minic {

Implementation offerDense(kernel::FusionOp fusion, StringRef family,
                          DictionaryAttr schedule, std::string name,
                          double estimateUs) {
  Implementation offer;
  offer.impl = kernel::ImplAttr::get(fusion.getContext(), family, schedule);
  offer.operandLayouts.assign(fusion.getInputs().size(),
                              UnitAttr::get(fusion.getContext()));
  offer.name = std::move(name);
  offer.estimateUs = estimateUs;
  return offer;
}

double getTrafficBytes(kernel::FusionOp fusion) {
  double bytes = 0;
  for (Type type : llvm::concat<const Type>(fusion.getInputs().getTypes(),
                                            fusion.getResultTypes())) {
    bytes += double(kernel::getBytes(cast<RankedTensorType>(type)));
  }
  return bytes;
}

std::string getLaunchLabel(StringRef family, kernel::FusionOp fusion) {
  auto names = llvm::map_to_vector(fusion.getBodyOps(), [](Operation *op) {
    return op->getName().stripDialect().str();
  });
  return family.str() + " " + llvm::join(names, "_");
}

} // namespace minic
