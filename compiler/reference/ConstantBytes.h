// SPDX-License-Identifier: Apache-2.0
//
// ConstantBytes: the dense host bytes behind an ElementsAttr.

#ifndef MINIC_COMPILER_REFERENCE_CONSTANTBYTES_H
#define MINIC_COMPILER_REFERENCE_CONSTANTBYTES_H

#include "mlir/IR/BuiltinAttributeInterfaces.h"

#include <vector>

namespace minic::reference {

/// Dense row-major bytes of `value`, an i1 in one byte; null where it holds
/// none (an unloaded or truncated resource, a kind that is neither dense nor a
/// resource). They live as long as the attribute, or as `storage`, which is
/// used where the attribute keeps them in another form (a splat, packed bits).
const void *constantBytes(mlir::ElementsAttr value, std::vector<char> &storage);

} // namespace minic::reference

#endif // MINIC_COMPILER_REFERENCE_CONSTANTBYTES_H
