// SPDX-License-Identifier: Apache-2.0
//
// plan.call from what was collected.

#include "dialects/plan/CallWriter.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace minic::plan {

Value CallWriter::outer(Value argument) {
  return fusion.getInputs()[cast<BlockArgument>(argument).getArgNumber()];
}

int64_t CallWriter::address(Value address, Access access) {
  addresses.push_back(address);
  accesses.push_back(AccessAttr::get(fusion.getContext(), access));
  return int64_t(addresses.size()) - 1;
}

TensorViewAttr CallWriter::view(int64_t address, Type dtype,
                                ArrayRef<int64_t> dims,
                                ArrayRef<int64_t> strides) {
  Builder b(fusion.getContext());
  return TensorViewAttr::get(b.getContext(), address, dtype,
                             b.getDenseI64ArrayAttr(dims),
                             b.getDenseI64ArrayAttr(strides));
}

void CallWriter::operand(StringRef role, TensorViewAttr view) {
  MLIRContext *context = fusion.getContext();
  operands.push_back(
      OperandAttr::get(context, StringAttr::get(context, role), view));
}

void CallWriter::set(StringRef name, int64_t value) {
  Builder b(fusion.getContext());
  attributes.push_back(b.getNamedAttr(name, b.getI64IntegerAttr(value)));
}

void CallWriter::set(StringRef name, ArrayRef<int64_t> values) {
  Builder b(fusion.getContext());
  attributes.push_back(b.getNamedAttr(name, b.getDenseI64ArrayAttr(values)));
}

void CallWriter::set(StringRef name, StringRef text) {
  Builder b(fusion.getContext());
  attributes.push_back(b.getNamedAttr(name, b.getStringAttr(text)));
}

void CallWriter::setNumber(StringRef name, double value) {
  Builder b(fusion.getContext());
  attributes.push_back(b.getNamedAttr(name, b.getF64FloatAttr(value)));
}

void CallWriter::postOp(Attribute postOp) {
  if (postOp) {
    epilogue.push_back(postOp);
  }
}

CallOp CallWriter::create(StringRef name, int64_t scratchBytes) {
  OpBuilder &b = plan.builder();
  Value scratch;
  if (scratchBytes > 0) {
    scratch = plan.buffer(scratchBytes);
    if (auto buffer = scratch.getDefiningOp<BufferOp>()) {
      buffer.setAlignment(256); // what cuBLAS asks of a workspace
    }
  }
  std::string label = name.str();
  for (Operation *op : fusion.getBodyOps()) {
    label += (" " + op->getName().stripDialect()).str();
  }
  auto descriptor = LibraryCallAttr::get(
      b.getContext(), b.getStringAttr(library), b.getStringAttr(op), operands,
      attributes.empty() ? DictionaryAttr() : b.getDictionaryAttr(attributes),
      epilogue.empty() ? ArrayAttr() : b.getArrayAttr(epilogue),
      algorithm.empty() ? StringAttr() : b.getStringAttr(algorithm));
  return CallOp::create(
      b, fusion.getLoc(), descriptor, addresses, b.getArrayAttr(accesses),
      scratch, b.getI64IntegerAttr(scratchBytes),
      version.empty() ? StringAttr() : b.getStringAttr(version),
      b.getStringAttr(label), /*depends=*/nullptr);
}

} // namespace minic::plan
