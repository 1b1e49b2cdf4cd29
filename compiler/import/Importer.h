// SPDX-License-Identifier: Apache-2.0
//
// Importer: one format of models. What importers make is verified, and given
// its weights, in one place (ImportModel.cpp).

#ifndef MINIC_COMPILER_IMPORT_IMPORTER_H
#define MINIC_COMPILER_IMPORT_IMPORTER_H

#include "compiler/import/ImportModel.h"
#include "compiler/import/WeightSource.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

namespace minic {

class Importer {
public:
  /// A module of functions of graph ops. Named constants without a value get
  /// theirs from `weights`, or, where that is null, from a file beside the
  /// model.
  struct Result {
    mlir::OwningOpRef<mlir::ModuleOp> module;
    std::shared_ptr<const WeightSource> weights;
    /// See ImportOptions::namesTensors.
    std::vector<NamedTensor> tensors = {};
    /// Dimensions that graph.dims names have no sizes yet: bindDims gives them.
    /// Else the module was made for `sizes`.
    bool hasOpenDims = false;
  };

  virtual ~Importer() = default;
  /// Whether a file of this name and content is one of its models.
  virtual bool accepts(llvm::StringRef path, llvm::StringRef bytes) const = 0;
  /// `buffer` is named after its file; `sizes` are those of dimensions that the
  /// model names. Failure has emitted a diagnostic.
  virtual mlir::FailureOr<Result>
  import(std::unique_ptr<llvm::MemoryBuffer> buffer,
         const ImportOptions &options, const graph::DimSizes &sizes,
         mlir::MLIRContext &context) const = 0;
  /// A line for the format and each kind of op, and an indented one for each op
  /// that models may have.
  virtual void listOps(llvm::raw_ostream &os,
                       mlir::MLIRContext &context) const = 0;
};

/// The importer of a file; the one of text, which says what it expects, where
/// no other accepts it.
const Importer &findImporter(llvm::StringRef path, llvm::StringRef bytes);

/// All of them.
llvm::ArrayRef<const Importer *> importers();

/// The graph dialect as MLIR text or bytecode.
const Importer &graphTextImporter();

} // namespace minic

#endif // MINIC_COMPILER_IMPORT_IMPORTER_H
