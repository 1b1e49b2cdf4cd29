// SPDX-License-Identifier: Apache-2.0
//
// FusionLabel: what people call a fusion.

#ifndef MINIC_PASSES_SUPPORT_FUSIONLABEL_H
#define MINIC_PASSES_SUPPORT_FUSIONLABEL_H

#include "mlir/IR/Operation.h"

#include <string>

namespace minic {

/// The names of a fusion's body ops joined by `_`, as "linear_relu"; for
/// another op its own name without dialect.
std::string labelOf(mlir::Operation *op);

} // namespace minic

#endif // MINIC_PASSES_SUPPORT_FUSIONLABEL_H
