// SPDX-License-Identifier: Apache-2.0
//
// OperandValues: which integers make sense in an operand, so that who runs a
// fusion on made-up data reads tables all over and not beyond them.

#ifndef MINIC_DIALECTS_KERNEL_OPERANDVALUES_H
#define MINIC_DIALECTS_KERNEL_OPERANDVALUES_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Value.h"

#include <optional>

namespace minic::kernel {

/// The attribute of arguments and constants that says it. Without it data are
/// made up by dtype alone.
inline constexpr llvm::StringLiteral valuesAttrName = "kernel.values";

enum class ValuesKind {
  Index,  ///< places of another tensor: any in [lower, upper]
  Length, ///< how much of another tensor there is, in [lower, upper]
  Mask,   ///< i1: which keys of a row take part, the first so many as a rule
};

struct OperandValues {
  ValuesKind kind = ValuesKind::Index;
  int64_t lower = 0, upper = 0; // both included

  bool operator==(const OperandValues &other) const {
    return kind == other.kind && lower == other.lower && upper == other.upper;
  }
};

/// What `value`, a tensor of integers, may hold by all ops that use it: a
/// gather's indices, a cache's position, the length or mask of attention, also
/// behind casts, moves, sums with constants, and fusions. None where no op
/// says, or where shapes are dynamic.
std::optional<OperandValues> deriveValues(mlir::Value value);

/// `{index = array<i64: 0, 99>}`, and back; none where it is no such thing.
mlir::DictionaryAttr toAttribute(const OperandValues &values,
                                 mlir::MLIRContext *context);
std::optional<OperandValues> toOperandValues(mlir::Attribute attribute);

} // namespace minic::kernel

#endif // MINIC_DIALECTS_KERNEL_OPERANDVALUES_H
