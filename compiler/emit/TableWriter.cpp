// SPDX-License-Identifier: Apache-2.0
//
// Folds addresses to a base and an offset.

#include "compiler/emit/TableWriter.h"

#include "dialects/plan/DTypes.h"
#include "dialects/plan/Plan.h"

using namespace mlir;

namespace minic {

void TableWriter::fail(const Twine &message) {
  if (!failed) {
    op->emitOpError(message);
  }
  failed = true;
}

std::unique_ptr<format::Address> TableWriter::address(Value value) {
  uint64_t offset = 0;
  while (auto view = value.getDefiningOp<plan::ViewOp>()) {
    offset += view.getOffset();
    value = view.getBase();
  }
  format::Base base = format::Base::arena;
  uint32_t index = 0;
  if (auto input = value.getDefiningOp<plan::InputOp>()) {
    base = format::Base::input;
    index = input.getIndex();
  } else if (auto output = value.getDefiningOp<plan::OutputOp>()) {
    base = format::Base::output;
    index = output.getIndex();
  } else if (auto constant = value.getDefiningOp<plan::ConstantAddressOp>()) {
    base = format::Base::constant;
    auto found = symbols.constants.find(constant.getConstantAttr().getAttr());
    if (found == symbols.constants.end()) {
      fail("uses the unknown constant @" + constant.getConstant());
    } else {
      index = found->second;
    }
  } else if (auto buffer = value.getDefiningOp<plan::BufferOp>()) {
    if (!buffer.getOffset()) {
      fail("uses a buffer without a place in the arena");
    }
    offset += buffer.getOffset().value_or(0);
  } else {
    fail("uses an address that is not one");
  }
  return std::make_unique<format::Address>(base, index, offset);
}

std::unique_ptr<format::TensorViewT>
TableWriter::view(plan::TensorViewAttr view, ValueRange addresses) {
  if (!view) {
    return nullptr;
  }
  auto table = std::make_unique<format::TensorViewT>();
  std::optional<format::DType> dtype = plan::toDType(view.getDtype());
  if (view.getOperand() < 0 || view.getOperand() >= int64_t(addresses.size()) ||
      !dtype) {
    fail("has a view of no operand or of an unsupported dtype");
    table->address = std::make_unique<format::Address>();
    return table;
  }
  table->address = address(addresses[view.getOperand()]);
  table->dtype = *dtype;
  table->dims = view.getDims().asArrayRef().vec();
  table->strides = view.getStrides().asArrayRef().vec();
  return table;
}

uint32_t TableWriter::binary(plan::LaunchOp launch) {
  if (FlatSymbolRefAttr name = launch.getBinaryAttr()) {
    auto found = symbols.binaries.find(name.getAttr());
    if (found != symbols.binaries.end()) {
      return found->second;
    }
    fail("uses the unknown binary " + name.getValue());
  } else if (symbols.binaries.size() != 1) {
    fail("does not say which binary its kernel is in");
  }
  return 0;
}

} // namespace minic
