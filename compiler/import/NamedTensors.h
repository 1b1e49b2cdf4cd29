// SPDX-License-Identifier: Apache-2.0
//
// NamedTensors: the tensors inside of a model by the names that the model
// itself gives them.

#ifndef MINIC_COMPILER_IMPORT_NAMEDTENSORS_H
#define MINIC_COMPILER_IMPORT_NAMEDTENSORS_H

#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <vector>

namespace minic {

/// A value of an imported function. Good until the module is changed.
struct NamedTensor {
  /// The function that it is in.
  std::string function;
  /// ONNX: the name of the value. Text: its SSA name, without '%'.
  std::string name;
  /// The node that makes it: ONNX's own name of it; in text the name that is
  /// its location, or empty.
  std::string node;
  /// What the node is called: "LayerNormalization", "layer_norm".
  std::string op;
  /// The modules of the program that the model was exported from that the node
  /// is in, outermost first: "encoder", "encoder.layer.0". May be empty.
  std::vector<std::string> modules;
  mlir::Value value;
};

/// The names that a location holds, without repetition: of nodes, or
/// "model.mlir:12" where it is a place in a text.
std::vector<std::string> namesIn(mlir::Location location);

} // namespace minic

#endif // MINIC_COMPILER_IMPORT_NAMEDTENSORS_H
