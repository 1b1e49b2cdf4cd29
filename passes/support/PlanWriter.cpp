// SPDX-License-Identifier: Apache-2.0
//
// Addresses of tensors, and symbols that functions share.

#include "passes/support/PlanWriter.h"

#include "dialects/graph/ConstantBytes.h"
#include "dialects/graph/InPlace.h"
#include "dialects/graph/Views.h"
#include "dialects/kernel/OperandValues.h"
#include "dialects/plan/Commands.h"
#include "passes/support/KernelSymbol.h"

using namespace mlir;
using namespace minic;
using namespace minic::plan;

//===----------------------------------------------------------------------===//
// PlanSymbols
//===----------------------------------------------------------------------===//

PlanSymbols::PlanSymbols(ModuleOp module, StringRef target)
    : module(module), target(target) {
  for (auto symbol : module.getOps<SymbolOpInterface>()) {
    used.insert(symbol.getName());
  }
}

std::string PlanSymbols::makeUnique(StringRef stem) {
  std::string name = stem.str();
  for (int suffix = 1; !used.insert(name).second; ++suffix) {
    name = (stem + "_" + Twine(suffix)).str();
  }
  return name;
}

/// Whether both are dense values with the same bytes. Functions that fold the
/// same op on the same weight make equal constants of their own.
static bool haveEqualBytes(ElementsAttr a, ElementsAttr b) {
  FailureOr<graph::ConstantBytes> first = graph::ConstantBytes::get(a);
  FailureOr<graph::ConstantBytes> second = graph::ConstantBytes::get(b);
  return succeeded(first) && succeeded(second) &&
         first->bytes() == second->bytes();
}

/// A constant of the name, type and bytes of `op`; null where there is none.
plan::ConstantOp PlanSymbols::findEqual(graph::ConstantOp op) {
  if (!op.getSource() || !op.getValueAttr()) {
    return nullptr;
  }
  for (plan::ConstantOp constant : bySource.lookup(op.getSourceAttr())) {
    if (constant.getType() == op.getType() && constant.getValueAttr() &&
        haveEqualBytes(constant.getValueAttr(), op.getValueAttr())) {
      return constant;
    }
  }
  return nullptr;
}

plan::ConstantOp PlanSymbols::constant(graph::ConstantOp op) {
  Builder attrs(op.getContext());
  // Absent parts are spelled as unit, which neither of them can be.
  Attribute none = attrs.getUnitAttr();
  Attribute key = attrs.getArrayAttr(
      {op.getSourceAttr() ? Attribute(op.getSourceAttr()) : none,
       op.getValueAttr() ? Attribute(op.getValueAttr()) : none,
       TypeAttr::get(op.getType())});
  auto known = constants.find(key);
  if (known != constants.end()) {
    return known->second;
  }
  plan::ConstantOp constant = findEqual(op);
  if (!constant) {
    StringRef stem = op.getSource() ? *op.getSource() : "constant";
    auto builder = OpBuilder::atBlockEnd(module.getBody());
    constant = plan::ConstantOp::create(
        builder, op.getLoc(), builder.getStringAttr(makeUnique(stem)),
        TypeAttr::get(op.getType()), op.getValueAttr());
    if (Attribute values = op->getAttr(kernel::valuesAttrName)) {
      constant->setAttr(kernel::valuesAttrName, values);
    }
    if (op.getSource()) {
      bySource[op.getSourceAttr()].push_back(constant);
    }
    ++made;
  }
  constants[key] = constant;
  return constant;
}

KernelOp PlanSymbols::kernel(Operation *op, StringRef stem, int64_t entries) {
  auto builder = OpBuilder::atBlockEnd(module.getBody());
  auto kernel = KernelOp::create(builder, op->getLoc(), "kernel", target,
                                 builder.getArrayAttr({}));
  Block *body = builder.createBlock(&kernel.getBody());
  // One parameter per operand, also where two of them are one value.
  Operation *clone = builder.clone(*op);
  for (OpOperand &operand : clone->getOpOperands()) {
    Value value = operand.get();
    operand.set(body->addArgument(value.getType(), value.getLoc()));
  }
  clone->removeDiscardableAttr("provenance");

  std::string text;
  llvm::raw_string_ostream os(text);
  kernel->print(os, OpPrintingFlags().useLocalScope());
  os << entries;
  KernelOp &known = kernels[text];
  if (known) {
    kernel.erase();
    return known;
  }
  known = kernel;
  std::string name =
      module->hasAttr(anonymousKernels)
          ? makeUnique(stem.empty() ? "kernel" : stem.split(' ').first)
          : makeUnique(kernelSymbol(clone, stem));
  kernel.setSymName(name);
  SmallVector<Attribute> names;
  for (int64_t i = 0; i < entries; ++i) {
    names.push_back(builder.getStringAttr(
        entries == 1 ? name : makeUnique(name + "_" + std::to_string(i))));
  }
  kernel.setEntriesAttr(builder.getArrayAttr(names));
  return kernel;
}

//===----------------------------------------------------------------------===//
// PlanWriter
//===----------------------------------------------------------------------===//

PlanWriter::PlanWriter(VariantOp variant, PlanSymbols &symbols)
    : variant(variant), symbols(symbols),
      opBuilder(OpBuilder::atBlockEnd(&variant.getRun().front())) {}

int64_t PlanWriter::threads() const { return VariantOp(variant).getThreads(); }

Value PlanWriter::buffer(int64_t bytes) {
  return BufferOp::create(
      opBuilder, variant.getLoc(), AddressType::get(opBuilder.getContext()),
      opBuilder.getI64IntegerAttr(bytes), opBuilder.getI64IntegerAttr(64),
      /*zeroed=*/nullptr, /*offset=*/nullptr, /*status=*/nullptr,
      /*size_of=*/nullptr);
}

Value PlanWriter::zeroedBuffer(int64_t bytes) {
  Value address = buffer(bytes);
  address.getDefiningOp<BufferOp>().setZeroed(true);
  return address;
}

Value PlanWriter::statusWord() {
  if (!status) {
    status = zeroedBuffer(sizeof(int32_t));
    status.getDefiningOp<BufferOp>().setStatus(true);
  }
  return status;
}

Value PlanWriter::sizeWord(StringAttr dim) {
  Value &word = sizeWords[dim];
  if (!word) {
    word = zeroedBuffer(sizeof(int32_t));
    word.getDefiningOp<BufferOp>().setSizeOfAttr(dim);
  }
  return word;
}

Value PlanWriter::addressOf(Value tensor) {
  int64_t offset = 0;
  while (auto inside = graph::getViewOffset(tensor.getDefiningOp())) {
    offset += *inside;
    tensor = tensor.getDefiningOp()->getOperand(0);
  }
  return view(addressOfBase(tensor), offset);
}

/// `offset` bytes from `base` on.
Value PlanWriter::view(Value base, int64_t offset) {
  return offset == 0 ? base
                     : ViewOp::create(opBuilder, base.getLoc(), base.getType(),
                                      base, offset);
}

Value PlanWriter::addressOfBase(Value tensor) {
  if (Value known = addresses.lookup(tensor)) {
    return known;
  }
  Type type = AddressType::get(opBuilder.getContext());
  Location loc = tensor.getLoc();
  Value address;
  if (auto argument = dyn_cast<BlockArgument>(tensor)) {
    address = InputOp::create(opBuilder, loc, type, argument.getArgNumber());
  } else if (auto constant = tensor.getDefiningOp<graph::ConstantOp>()) {
    StringAttr symbol = symbols.constant(constant).getSymNameAttr();
    address = ConstantAddressOp::create(opBuilder, loc, type,
                                        FlatSymbolRefAttr::get(symbol));
  } else {
    address =
        buffer(kernel::getBytes(cast<RankedTensorType>(tensor.getType())));
  }
  addresses[tensor] = address;
  return address;
}

void PlanWriter::setAddress(Value tensor, Value address) {
  addresses[graph::skipReshapes(tensor)] = address;
}

/// Whether commands write `tensor`, which is no view, wherever they are told.
bool PlanWriter::canBePlaced(Value tensor) const {
  return isa_and_present<kernel::FusionOp, kernel::RelayoutOp, graph::ConcatOp>(
             tensor.getDefiningOp()) &&
         !addresses.contains(tensor);
}

void PlanWriter::placePieces(graph::ConcatOp concat) {
  auto offsets = graph::getPieceOffsets(concat);
  Value whole = addressOf(concat.getResult());
  for (auto [input, offset] : llvm::zip_equal(concat.getInputs(), *offsets)) {
    Value piece = graph::skipReshapes(input);
    if (canBePlaced(piece)) {
      setAddress(piece, view(whole, offset));
    }
  }
}

void PlanWriter::copyPieces(graph::ConcatOp concat) {
  auto offsets = graph::getPieceOffsets(concat);
  Value whole = addressOf(concat.getResult());
  ResolvedAddress to = resolveAddress(whole);
  for (auto [input, offset] : llvm::zip_equal(concat.getInputs(), *offsets)) {
    Value piece = addressOf(input);
    ResolvedAddress from = resolveAddress(piece);
    int64_t bytes = kernel::getBytes(cast<RankedTensorType>(input.getType()));
    bool isThere = from.base == to.base && from.offset == to.offset + offset;
    if (!isThere && bytes != 0) {
      CopyOp::create(opBuilder, concat.getLoc(), view(whole, offset), piece,
                     bytes, opBuilder.getStringAttr("concat"),
                     DenseI32ArrayAttr());
    }
  }
}

bool PlanWriter::placeInOutput(Value tensor, int64_t index) {
  tensor = graph::skipReshapes(tensor);
  if (!canBePlaced(tensor)) {
    return false;
  }
  addresses[tensor] =
      OutputOp::create(opBuilder, tensor.getLoc(),
                       AddressType::get(opBuilder.getContext()), index);
  return true;
}
