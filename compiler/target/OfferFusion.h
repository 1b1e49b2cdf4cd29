// SPDX-License-Identifier: Apache-2.0
//
// OfferFusion: what families say of a fusion that they implement whole.

#ifndef MINIC_COMPILER_TARGET_OFFERFUSION_H
#define MINIC_COMPILER_TARGET_OFFERFUSION_H

#include "compiler/target/KernelFamily.h"

namespace minic {

/// `family`'s implementation by `schedule`, which people see as `name`; all
/// operands are dense.
Implementation offerDense(kernel::FusionOp fusion, llvm::StringRef family,
                          mlir::DictionaryAttr schedule, std::string name,
                          double estimateUs = 0);

/// Of all operands and results: what a kernel moves that moves each once.
double getTrafficBytes(kernel::FusionOp fusion);

/// The label of a launch: "pointwise add_relu".
std::string getLaunchLabel(llvm::StringRef family, kernel::FusionOp fusion);

} // namespace minic

#endif // MINIC_COMPILER_TARGET_OFFERFUSION_H
