// SPDX-License-Identifier: Apache-2.0
//
// Addresses of tensors, and symbols that functions share.

#include "passes/support/PlanWriter.h"

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

plan::ConstantOp PlanSymbols::constant(graph::ConstantOp op) {
  Builder attrs(op.getContext());
  // Absent parts are spelled as unit, which neither of them can be.
  Attribute none = attrs.getUnitAttr();
  Attribute key = attrs.getArrayAttr(
      {op.getSourceAttr() ? Attribute(op.getSourceAttr()) : none,
       op.getValueAttr() ? Attribute(op.getValueAttr()) : none,
       TypeAttr::get(op.getType())});
  plan::ConstantOp &constant = constants[key];
  if (!constant) {
    StringRef stem = op.getSource() ? *op.getSource() : "constant";
    auto builder = OpBuilder::atBlockEnd(module.getBody());
    constant = plan::ConstantOp::create(
        builder, op.getLoc(), builder.getStringAttr(makeUnique(stem)),
        TypeAttr::get(op.getType()), op.getValueAttr());
  }
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
      /*zeroed=*/nullptr, /*offset=*/nullptr, /*status=*/nullptr);
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

/// The tensor that `tensor` is another name of.
static Value skipReshapes(Value tensor) {
  while (auto reshape = tensor.getDefiningOp<graph::ReshapeOp>()) {
    tensor = reshape.getInput();
  }
  return tensor;
}

Value PlanWriter::addressOf(Value tensor) {
  tensor = skipReshapes(tensor);
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

bool PlanWriter::placeInOutput(Value tensor, int64_t index) {
  tensor = skipReshapes(tensor);
  if (!isa_and_present<kernel::FusionOp, kernel::RelayoutOp>(
          tensor.getDefiningOp()) ||
      addresses.contains(tensor)) {
    return false;
  }
  addresses[tensor] =
      OutputOp::create(opBuilder, tensor.getLoc(),
                       AddressType::get(opBuilder.getContext()), index);
  return true;
}
