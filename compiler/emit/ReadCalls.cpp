// SPDX-License-Identifier: Apache-2.0
//
// One table to one attribute. Operands are numbered in the order in which views
// are read.

#include "compiler/emit/ReadCalls.h"

#include "runtime/format/CallTable.h"

using namespace mlir;

namespace minic {

static Attribute readValue(const format::CallAttribute &attribute,
                           OperandReader &reader) {
  OpBuilder &builder = reader.getBuilder();
  if (const auto *integer = attribute.value_as_IntValue()) {
    return builder.getI64IntegerAttr(integer->value());
  }
  if (const auto *list = attribute.value_as_IntsValue()) {
    return reader.extents(list->value());
  }
  if (const auto *number = attribute.value_as_FloatValue()) {
    return builder.getF64FloatAttr(number->value());
  }
  return builder.getStringAttr(
      attribute.value_as_StringValue()->value()->c_str());
}

static Attribute readPostOp(const format::PostOpEntry &entry,
                            OperandReader &reader) {
  OpBuilder &builder = reader.getBuilder();
  if (const auto *eltwise = entry.post_op_as_EltwisePostOp()) {
    return plan::EltwiseAttr::get(
        builder.getContext(),
        builder.getStringAttr(format::EnumNameEltwiseKind(eltwise->kind())),
        builder.getF32FloatAttr(eltwise->alpha()),
        builder.getF32FloatAttr(eltwise->beta()));
  }
  const format::BinaryPostOp *binary = entry.post_op_as_BinaryPostOp();
  return plan::BinaryAttr::get(
      builder.getContext(),
      builder.getStringAttr(format::EnumNameBinaryKindPostOp(binary->kind())),
      reader.view(binary->operand()));
}

static SmallVector<plan::OperandAttr> readOperands(const format::Call &call,
                                                   OperandReader &reader) {
  SmallVector<plan::OperandAttr> operands;
  const format::CallRule *rule = format::findCall(
      format::toView(*call.library()), format::toView(*call.op()));
  for (const format::CallOperand *operand : *call.operands()) {
    StringRef name = operand->role()->c_str();
    bool isWritten = llvm::any_of(rule->roles, [&](const auto &role) {
      return role.isWritten && name == role.name;
    });
    operands.push_back(
        plan::OperandAttr::get(reader.getBuilder().getContext(),
                               reader.getBuilder().getStringAttr(name),
                               reader.view(operand->view(), isWritten)));
  }
  return operands;
}

plan::CallOp readCall(const format::Call &call, OperandReader &reader) {
  OpBuilder &builder = reader.getBuilder();
  SmallVector<plan::OperandAttr> operands = readOperands(call, reader);
  SmallVector<NamedAttribute> attributes;
  for (uint32_t i = 0; call.attributes() && i < call.attributes()->size();
       ++i) {
    const format::CallAttribute &attribute = *call.attributes()->Get(i);
    attributes.push_back(builder.getNamedAttr(attribute.name()->c_str(),
                                              readValue(attribute, reader)));
  }
  SmallVector<Attribute> epilogue;
  for (uint32_t i = 0; call.epilogue() && i < call.epilogue()->size(); ++i) {
    epilogue.push_back(readPostOp(*call.epilogue()->Get(i), reader));
  }
  auto textOrNull = [&](const flatbuffers::String *text) {
    return text && text->size() != 0 ? builder.getStringAttr(text->c_str())
                                     : StringAttr();
  };
  auto descriptor = plan::LibraryCallAttr::get(
      builder.getContext(), builder.getStringAttr(call.library()->c_str()),
      builder.getStringAttr(call.op()->c_str()), operands,
      attributes.empty() ? DictionaryAttr()
                         : builder.getDictionaryAttr(attributes),
      epilogue.empty() ? ArrayAttr() : builder.getArrayAttr(epilogue),
      textOrNull(call.algorithm()));
  Value scratch = call.scratch() ? reader.address(*call.scratch()) : Value();
  return plan::CallOp::create(builder, builder.getUnknownLoc(), descriptor,
                              reader.getOperands(), reader.getAccess(), scratch,
                              builder.getI64IntegerAttr(call.scratch_bytes()),
                              textOrNull(call.library_version()), StringAttr(),
                              DenseI32ArrayAttr());
}

} // namespace minic
