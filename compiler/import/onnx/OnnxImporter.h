// SPDX-License-Identifier: Apache-2.0
//
// OnnxImporter: an ONNX model becomes one function, @main, of graph ops.

#ifndef MINIC_COMPILER_IMPORT_ONNX_ONNXIMPORTER_H
#define MINIC_COMPILER_IMPORT_ONNX_ONNXIMPORTER_H

#include "compiler/import/Importer.h"

namespace minic {

/// Opsets 7 to 28 of the default domain. Inputs and outputs keep their names as
/// `graph.name`, and ops the names of their nodes as locations. Each dimension
/// that has a name gets its size from `sizes`. What minic lacks is
/// reported once, for all nodes of the model.
const Importer &onnxImporter();

} // namespace minic

#endif // MINIC_COMPILER_IMPORT_ONNX_ONNXIMPORTER_H
