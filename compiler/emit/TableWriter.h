// SPDX-License-Identifier: Apache-2.0
//
// TableWriter: what tables of all commands are made of, addresses and views.

#ifndef MINIC_COMPILER_EMIT_TABLEWRITER_H
#define MINIC_COMPILER_EMIT_TABLEWRITER_H

#include "compiler/emit/CommandToMetadata.h"

namespace minic {

/// Reports at most one diagnostic per command; failing is sticky so that
/// builders of tables read as the tables do.
class TableWriter {
public:
  TableWriter(mlir::Operation *op, const SymbolIndices &symbols)
      : op(op), symbols(symbols) {}

  bool hasFailed() const { return failed; }
  void fail(const llvm::Twine &message);

  /// A base and the sum of the views' offsets.
  std::unique_ptr<format::Address> address(mlir::Value value);
  /// The view of one of `addresses`; null for a null `view`.
  std::unique_ptr<format::TensorViewT> view(plan::TensorViewAttr view,
                                            mlir::ValueRange addresses);
  /// The place of the binary that `launch` names.
  uint32_t binary(plan::LaunchOp launch);
  /// The value of enum `E` whose name is `name`; `what` says of what it is.
  template <typename E, size_t n>
  E parseEnum(llvm::StringRef name, const E (&values)[n],
              const char *(*toName)(E), llvm::StringRef what) {
    for (E value : values) {
      if (name == toName(value)) {
        return value;
      }
    }
    fail("has the unknown " + what + " " + name);
    return values[0];
  }

private:
  mlir::Operation *op;
  const SymbolIndices &symbols;
  bool failed = false;
};

} // namespace minic

#endif // MINIC_COMPILER_EMIT_TABLEWRITER_H
