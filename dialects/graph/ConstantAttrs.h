// SPDX-License-Identifier: Apache-2.0
//
// Values of constants beside MLIR's own: see ConstantAttrs.td. ConstantBytes
// has their elements.

#ifndef MINIC_DIALECTS_GRAPH_CONSTANTATTRS_H
#define MINIC_DIALECTS_GRAPH_CONSTANTATTRS_H

#include "dialects/graph/Graph.h"

#include "mlir/IR/BuiltinAttributeInterfaces.h"

#define GET_ATTRDEF_CLASSES
#include "dialects/graph/ConstantAttrs.h.inc"

#endif // MINIC_DIALECTS_GRAPH_CONSTANTATTRS_H
