// SPDX-License-Identifier: Apache-2.0
//
// Relayouts by what they stand between.

#include "passes/graph/layouts/DescribeLayouts.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace minic::graph {

/// "pixel_values", "conv2d".
static std::string nameOf(Value value) {
  if (Operation *op = value.getDefiningOp()) {
    return op->getName().stripDialect().str();
  }
  auto argument = cast<BlockArgument>(value);
  auto function = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
  auto name = function ? function.getArgAttrOfType<StringAttr>(
                             argument.getArgNumber(), "graph.name")
                       : StringAttr();
  return name ? name.getValue().str()
              : "argument " + std::to_string(argument.getArgNumber());
}

static std::string describe(const LayoutRewrite::Relayout &relayout) {
  llvm::SetVector<StringRef> readers;
  TransposeOp op = relayout.op;
  for (Operation *user : op->getUsers()) {
    readers.insert(isa<func::ReturnOp>(user) ? "the caller"
                                             : user->getName().stripDialect());
  }
  auto type = op.getInput().getType();
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "relayout of " << nameOf(op.getInput()) << " (";
  llvm::interleave(type.getShape(), os, "x");
  os << 'x' << type.getElementType() << ") to "
     << StringRef(stringifyImageLayout(relayout.to)).upper() << " for "
     << llvm::join(readers, ", ")
     << (relayout.isMeasured ? ", measured to take " : ", about ")
     << llvm::formatv("{0:F1} us", relayout.us);
  return text;
}

std::vector<std::string> describeLayouts(const LayoutRewrite &done,
                                         unsigned stated, double savedUs) {
  std::vector<std::string> lines = {
      llvm::formatv("{0} of {1} convolutions, pools and resizes in another "
                    "order than the model's, estimated to save {2:F1} us",
                    done.stated, stated, savedUs)
          .str()};
  for (const LayoutRewrite::Relayout &relayout : done.relayouts) {
    lines.push_back(describe(relayout));
  }
  return lines;
}

} // namespace minic::graph
