// SPDX-License-Identifier: Apache-2.0
//
// DTypes: element types as artifacts name them.

#ifndef MINIC_DIALECTS_PLAN_DTYPES_H
#define MINIC_DIALECTS_PLAN_DTYPES_H

#include "runtime/format/plan_generated.h"

#include "mlir/IR/Types.h"

#include <optional>

namespace minic::plan {

/// The dtype of an element type; nothing for one that no artifact holds.
std::optional<format::DType> toDType(mlir::Type type);
mlir::Type fromDType(format::DType dtype, mlir::MLIRContext *context);

} // namespace minic::plan

#endif // MINIC_DIALECTS_PLAN_DTYPES_H
