// SPDX-License-Identifier: Apache-2.0
//
// ReadCalls: a library call of an artifact as a plan op.

#ifndef MINIC_COMPILER_EMIT_READCALLS_H
#define MINIC_COMPILER_EMIT_READCALLS_H

#include "compiler/emit/OperandReader.h"

namespace minic {

/// Builds `call`, which is of a checked artifact; `reader` has no operands yet.
plan::CallOp readCall(const format::Call &call, OperandReader &reader);

} // namespace minic

#endif // MINIC_COMPILER_EMIT_READCALLS_H
