// SPDX-License-Identifier: Apache-2.0
//
// ImportModel: a model file and its weights become a module of graph ops.

#ifndef MINIC_COMPILER_IMPORT_IMPORTMODEL_H
#define MINIC_COMPILER_IMPORT_IMPORTMODEL_H

#include "compiler/import/Buckets.h"
#include "compiler/import/ConstantInputs.h"
#include "compiler/import/NamedTensors.h"
#include "compiler/import/PadDims.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace minic {

class WeightSource;

struct ImportOptions {
  /// Overrides the weights file that the module names.
  std::string weights;
  /// Functions to keep; empty for every public one.
  std::vector<std::string> functions;
  /// Sizes of the dimensions that the model gives a name.
  DimOptions dims = {};
  /// Inputs that become constants.
  ConstantInputs constantInputs = {};
  /// "bf16", "f16" or "f32": castWeights. Empty for what the model says.
  std::string castWeights = {};
  /// Fill ImportedModel::tensors. What the model computes from constants alone
  /// is in the graph then, as constants that nothing may use.
  bool namesTensors = false;
  /// Several sets of sizes are taken: a function for each.
  bool takesBuckets = false;
};

struct ImportedModel {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// The weights file that was bound; empty where no constant needed one.
  std::string weightsPath;
  /// WeightSource::hash of it.
  std::string weightsHash;
  /// That file; null where weightsPath is empty.
  std::shared_ptr<const WeightSource> weights;
  /// In the order of the model.
  std::vector<NamedTensor> tensors;
  /// Of DimOptions::padded; not marked as padded yet.
  std::vector<UnprovedPad> unprovedPads;
};

/// Reads and verifies `path` (an ONNX model, .mlir text or bytecode) and binds
/// its named constants: each gets a `value` that points into the mapped weights
/// file, which stays mapped as long as the context lives. Arguments keep the
/// names that the model gives them as `graph.name`, unless they have one.
/// Failure has emitted a diagnostic at the place in the model.
mlir::FailureOr<ImportedModel> importModel(llvm::StringRef path,
                                           mlir::MLIRContext &context,
                                           const ImportOptions &options);

/// The same for a model in memory. `name` stands for the file in
/// diagnostics and is what a relative `graph.weights` is relative to.
mlir::FailureOr<ImportedModel> importModelBuffer(llvm::StringRef text,
                                                 llvm::StringRef name,
                                                 mlir::MLIRContext &context,
                                                 const ImportOptions &options);

} // namespace minic

#endif // MINIC_COMPILER_IMPORT_IMPORTMODEL_H
