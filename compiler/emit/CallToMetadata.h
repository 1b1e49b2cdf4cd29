// SPDX-License-Identifier: Apache-2.0
//
// CallToMetadata: library calls.

#ifndef MINIC_COMPILER_EMIT_CALLTOMETADATA_H
#define MINIC_COMPILER_EMIT_CALLTOMETADATA_H

#include "compiler/emit/TableWriter.h"

namespace minic {

/// The table of `call`; errors are `writer`'s.
format::CallT callToMetadata(plan::CallOp call, TableWriter &writer);

} // namespace minic

#endif // MINIC_COMPILER_EMIT_CALLTOMETADATA_H
