// SPDX-License-Identifier: Apache-2.0
//
// Syntax and verification of the kernel ops.

#include "dialects/kernel/ExpandOps.h"

#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;

namespace minic::kernel {

SmallVector<Operation *> FusionOp::getBodyOps() {
  return llvm::map_to_vector(getBody().front().without_terminator(),
                             [](Operation &op) { return &op; });
}

YieldOp FusionOp::getYield() {
  return cast<YieldOp>(getBody().front().getTerminator());
}

ParseResult FusionOp::parse(OpAsmParser &parser, OperationState &state) {
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  SmallVector<Type> types;
  auto parseInput = [&]() -> ParseResult {
    return failure(parser.parseArgument(arguments.emplace_back()) ||
                   parser.parseEqual() ||
                   parser.parseOperand(operands.emplace_back()) ||
                   parser.parseColonType(types.emplace_back()));
  };
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, parseInput) ||
      parser.parseOptionalArrowTypeList(state.types) ||
      parser.parseOptionalAttrDictWithKeyword(state.attributes) ||
      parser.resolveOperands(operands, types, loc, state.operands)) {
    return failure();
  }
  for (auto [argument, type] : llvm::zip_equal(arguments, types)) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor) {
      return parser.emitError(loc, "expects ranked tensors");
    }
    argument.type = withoutLayout(tensor);
  }
  Region *body = state.addRegion();
  if (parser.parseRegion(*body, arguments)) {
    return failure();
  }
  ensureTerminator(*body, parser.getBuilder(), state.location);
  return success();
}

void FusionOp::print(OpAsmPrinter &printer) {
  printer << " (";
  llvm::interleaveComma(llvm::zip_equal(getBody().getArguments(), getInputs()),
                        printer, [&](auto pair) {
                          printer << std::get<0>(pair) << " = "
                                  << std::get<1>(pair) << " : "
                                  << std::get<1>(pair).getType();
                        });
  printer << ')';
  printer.printOptionalArrowTypeList(getResultTypes());
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs());
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

/// True for ops that a fusion may hold: graph ops except constants.
static bool isBodyOp(Operation &op) {
  return isa<graph::GraphDialect>(op.getDialect()) &&
         !isa<graph::ConstantOp>(op);
}

/// `expand` names ops that can be, `parts` partition what they leave.
static LogicalResult verifyChoice(FusionOp fusion, ChoiceAttr choice) {
  SmallVector<Operation *> ops = fusion.getBodyOps();
  int64_t last = -1;
  for (int64_t index : choice.getExpand()) {
    if (index <= last || index >= int64_t(ops.size())) {
      return fusion.emitOpError("expects its choice to expand body ops of "
                                "ascending index below ")
             << ops.size() << ", got " << choice.getExpand();
    }
    if (!canExpand(ops[index])) {
      return fusion.emitOpError("expects its choice to expand ops that have "
                                "stages, got ")
             << ops[index]->getName();
    }
    // Body ops are verified after their fusion; stages need it before.
    if (failed(mlir::verify(ops[index]))) {
      return failure();
    }
    last = index;
  }
  SmallVector<int> covered(
      ExpandedFusion(fusion, choice.getExpand(), /*isApart=*/true)
          .get()
          .getBodyOps()
          .size());
  for (PartAttr part : choice.getParts()) {
    for (int64_t index : part.getOps()) {
      if (index < 0 || index >= int64_t(covered.size()) || covered[index]++) {
        return fusion.emitOpError(
                   "expects the parts of its choice to partition ")
               << covered.size() << " body ops, got op " << index
               << " twice or out of range";
      }
    }
  }
  if (llvm::is_contained(covered, 0)) {
    return fusion.emitOpError(
        "expects the parts of its choice to cover every op");
  }
  return success();
}

LogicalResult FusionOp::verify() {
  if (getBody().getNumArguments() != getInputs().size()) {
    return emitOpError("expects ")
           << getInputs().size() << " body arguments, got "
           << getBody().getNumArguments();
  }
  for (auto [argument, input] :
       llvm::zip_equal(getBody().getArguments(), getInputs())) {
    auto expected = withoutLayout(cast<RankedTensorType>(input.getType()));
    if (argument.getType() != expected) {
      return emitOpError("expects a body argument of type ")
             << expected << ", got " << argument.getType();
    }
  }
  for (Operation &op : getBody().front().without_terminator()) {
    if (!isBodyOp(op)) {
      return op.emitOpError("is not allowed in a kernel.fusion");
    }
  }
  if (getYield().getOperandTypes() != getResultTypes()) {
    return emitOpError("expects to yield its result types ")
           << getResultTypes() << ", got " << getYield().getOperandTypes();
  }
  ChoiceAttr choice = getChoiceAttr();
  return choice ? verifyChoice(*this, choice) : success();
}

LogicalResult RelayoutOp::verify() {
  auto input = cast<RankedTensorType>(getInput().getType());
  auto result = cast<RankedTensorType>(getType());
  if (withoutLayout(input) != withoutLayout(result)) {
    return emitOpError("expects shape and dtype to stay ")
           << withoutLayout(input) << ", got " << withoutLayout(result);
  }
  return success();
}

} // namespace minic::kernel

#define GET_OP_CLASSES
#include "dialects/kernel/KernelOps.cpp.inc"
