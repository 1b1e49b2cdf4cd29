// SPDX-License-Identifier: Apache-2.0
//
// modulesOf: which modules of the exported program a node is in.

#ifndef MINIC_COMPILER_IMPORT_ONNX_MODULENAMES_H
#define MINIC_COMPILER_IMPORT_ONNX_MODULENAMES_H

#include "third_party/onnx/onnx.pb.h"

#include <string>
#include <vector>

namespace minic {

/// As PyTorch names its modules ("encoder.layer.0"), outermost first; empty
/// where the node does not tell. Its newer exporter writes them as metadata,
/// its older one as the node's name, "/encoder/layer.0/MatMul".
std::vector<std::string> modulesOf(const ::onnx::NodeProto &node);

} // namespace minic

#endif // MINIC_COMPILER_IMPORT_ONNX_MODULENAMES_H
