// SPDX-License-Identifier: Apache-2.0
//
// Each address becomes its base and a view.

#include "compiler/emit/OperandReader.h"

#include "dialects/plan/DTypes.h"
#include "dialects/plan/Plan.h"

using namespace mlir;

namespace minic {

Value OperandReader::address(const format::Address &address) {
  Location loc = builder.getUnknownLoc();
  auto type = plan::AddressType::get(builder.getContext());
  Value base;
  switch (address.base()) {
  case format::Base::constant:
    base = plan::ConstantAddressOp::create(
        builder, loc, type,
        FlatSymbolRefAttr::get(
            builder.getContext(),
            artifact.constants()->Get(address.index())->name()->c_str()));
    break;
  case format::Base::input:
    base = plan::InputOp::create(builder, loc, type,
                                 builder.getI64IntegerAttr(address.index()));
    break;
  case format::Base::output:
    base = plan::OutputOp::create(builder, loc, type,
                                  builder.getI64IntegerAttr(address.index()));
    break;
  case format::Base::arena:
  case format::Base::persistent:
    if (!arena) {
      arena = plan::BufferOp::create(
          builder, loc, type, builder.getI64IntegerAttr(arenaBytes),
          builder.getI64IntegerAttr(64), UnitAttr(),
          builder.getI64IntegerAttr(0), UnitAttr(), StringAttr());
    }
    base = arena;
    break;
  }
  if (address.offset() == 0) {
    return base;
  }
  return plan::ViewOp::create(builder, loc, type, base,
                              builder.getI64IntegerAttr(address.offset()));
}

int64_t OperandReader::operand(const format::Address &value, bool isWritten) {
  operands.push_back(address(value));
  access.push_back(plan::AccessAttr::get(builder.getContext(),
                                         isWritten ? plan::Access::Write
                                                   : plan::Access::Read));
  return operands.size() - 1;
}

void OperandReader::clear() {
  operands.clear();
  access.clear();
}

DenseI64ArrayAttr
OperandReader::extents(const flatbuffers::Vector<int64_t> *values) {
  return values ? builder.getDenseI64ArrayAttr({values->data(), values->size()})
                : builder.getDenseI64ArrayAttr({});
}

plan::TensorViewAttr OperandReader::view(const format::TensorView *view,
                                         bool isWritten) {
  if (!view) {
    return {};
  }
  return plan::TensorViewAttr::get(
      builder.getContext(), operand(*view->address(), isWritten),
      plan::fromDType(view->dtype(), builder.getContext()),
      extents(view->dims()), extents(view->strides()));
}

} // namespace minic
