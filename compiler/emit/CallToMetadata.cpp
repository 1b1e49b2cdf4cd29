// SPDX-License-Identifier: Apache-2.0
//
// One attribute to one table.

#include "compiler/emit/CallToMetadata.h"

using namespace mlir;

namespace minic {

namespace {

class CallTableWriter {
public:
  CallTableWriter(plan::CallOp call, TableWriter &writer)
      : call(call), addresses(call.getAddresses()), writer(writer) {}

  format::CallT write();

private:
  std::unique_ptr<format::CallAttributeT> attribute(NamedAttribute attribute);
  std::unique_ptr<format::PostOpEntryT> postOp(Attribute attr);

  plan::CallOp call;
  ValueRange addresses;
  TableWriter &writer;
};

} // namespace

std::unique_ptr<format::CallAttributeT>
CallTableWriter::attribute(NamedAttribute attribute) {
  auto table = std::make_unique<format::CallAttributeT>();
  table->name = attribute.getName().str();
  if (auto integer = dyn_cast<IntegerAttr>(attribute.getValue())) {
    format::IntValueT value;
    value.value = integer.getInt();
    table->value.Set(std::move(value));
  } else if (auto list = dyn_cast<DenseI64ArrayAttr>(attribute.getValue())) {
    format::IntsValueT value;
    value.value = list.asArrayRef().vec();
    table->value.Set(std::move(value));
  } else if (auto number = dyn_cast<FloatAttr>(attribute.getValue())) {
    format::FloatValueT value;
    value.value = number.getValueAsDouble();
    table->value.Set(std::move(value));
  } else if (auto text = dyn_cast<StringAttr>(attribute.getValue())) {
    format::StringValueT value;
    value.value = text.getValue().str();
    table->value.Set(std::move(value));
  } else {
    writer.fail("has the attribute " + attribute.getName().getValue() +
                " of unknown type");
  }
  return table;
}

std::unique_ptr<format::PostOpEntryT> CallTableWriter::postOp(Attribute attr) {
  auto entry = std::make_unique<format::PostOpEntryT>();
  if (auto eltwise = dyn_cast<plan::EltwiseAttr>(attr)) {
    format::EltwisePostOpT table;
    table.kind = writer.parseEnum(eltwise.getKind().getValue(),
                                  format::EnumValuesEltwiseKind(),
                                  format::EnumNameEltwiseKind, "post-op");
    table.alpha = eltwise.getAlpha().getValueAsDouble();
    table.beta = eltwise.getBeta().getValueAsDouble();
    entry->post_op.Set(std::move(table));
  } else if (auto binary = dyn_cast<plan::BinaryAttr>(attr)) {
    format::BinaryPostOpT table;
    table.kind = writer.parseEnum(binary.getKind().getValue(),
                                  format::EnumValuesBinaryKindPostOp(),
                                  format::EnumNameBinaryKindPostOp, "post-op");
    table.operand = writer.view(binary.getOperand(), addresses);
    entry->post_op.Set(std::move(table));
  } else {
    writer.fail("has a post-op of unknown type");
  }
  return entry;
}

format::CallT CallTableWriter::write() {
  format::CallT result;
  plan::LibraryCallAttr attr = call.getDescriptor();
  result.library = attr.getLibrary().getValue().str();
  result.op = attr.getOp().getValue().str();
  for (plan::OperandAttr operand : attr.getOperands()) {
    auto table = std::make_unique<format::CallOperandT>();
    table->role = operand.getRole().getValue().str();
    table->view = writer.view(operand.getView(), addresses);
    result.operands.push_back(std::move(table));
  }
  if (DictionaryAttr attributes = attr.getAttributes()) {
    for (NamedAttribute each : attributes) {
      result.attributes.push_back(attribute(each));
    }
  }
  for (Attribute each : attr.postOps()) {
    result.epilogue.push_back(postOp(each));
  }
  result.algorithm = attr.algorithm().str();
  if (call.getScratch()) {
    result.scratch = writer.address(call.getScratch());
    result.scratch_bytes = call.getScratchBytes();
  }
  result.library_version = call.getLibraryVersion().value_or("").str();
  return result;
}

format::CallT callToMetadata(plan::CallOp call, TableWriter &writer) {
  return CallTableWriter(call, writer).write();
}

} // namespace minic
