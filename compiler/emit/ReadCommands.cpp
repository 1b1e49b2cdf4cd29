// SPDX-License-Identifier: Apache-2.0
//
// One table to one op; each address becomes its base and a view.

#include "compiler/emit/ReadCommands.h"

#include "compiler/emit/PlanToMetadata.h"

using namespace mlir;

namespace minic {

std::string binarySymbol(uint32_t index) {
  return "binary" + std::to_string(index);
}

namespace {

class CommandReader {
public:
  CommandReader(const format::Artifact &artifact, uint64_t arenaBytes,
                OpBuilder &builder)
      : artifact(artifact), arenaBytes(arenaBytes), builder(builder),
        loc(builder.getUnknownLoc()) {}

  void read(const format::Command &command);

private:
  Value address(const format::Address &address);
  /// Adds an operand and remembers how it is used.
  int64_t operand(const format::Address &address, bool isWritten);
  plan::TensorViewAttr view(const format::TensorView &view, bool isWritten);
  DenseI64ArrayAttr extents(const flatbuffers::Vector<int64_t> *values);
  Operation *launch(const format::Launch &launch);
  Operation *call(const format::Call &call);
  Attribute postOp(const format::PostOpEntry &entry);
  ArrayAttr takeAccess();

  const format::Artifact &artifact;
  uint64_t arenaBytes;
  OpBuilder &builder;
  Location loc;
  Value arena;
  SmallVector<Value> operands;
  SmallVector<Attribute> access;
};

} // namespace

Value CommandReader::address(const format::Address &address) {
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
      arena = plan::BufferOp::create(builder, loc, type,
                                     builder.getI64IntegerAttr(arenaBytes),
                                     builder.getI64IntegerAttr(64), UnitAttr(),
                                     builder.getI64IntegerAttr(0));
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

int64_t CommandReader::operand(const format::Address &value, bool isWritten) {
  operands.push_back(address(value));
  access.push_back(plan::AccessAttr::get(builder.getContext(),
                                         isWritten ? plan::Access::Write
                                                   : plan::Access::Read));
  return operands.size() - 1;
}

ArrayAttr CommandReader::takeAccess() {
  ArrayAttr result = builder.getArrayAttr(access);
  access.clear();
  return result;
}

DenseI64ArrayAttr
CommandReader::extents(const flatbuffers::Vector<int64_t> *values) {
  return values ? builder.getDenseI64ArrayAttr({values->data(), values->size()})
                : builder.getDenseI64ArrayAttr({});
}

Operation *CommandReader::launch(const format::Launch &launch) {
  SmallVector<int64_t> scalars;
  for (const format::ParamEntry *entry : *launch.params()) {
    if (const auto *param = entry->param_as_AddressParam()) {
      format::Base base = param->address()->base();
      operand(*param->address(),
              base != format::Base::input && base != format::Base::constant);
    } else {
      scalars.push_back(entry->param_as_ScalarParam()->value());
    }
  }
  Value scratch = launch.scratch() ? address(*launch.scratch()) : Value();
  auto op = plan::LaunchOp::create(
      builder, loc, builder.getStringAttr(launch.entry()->c_str()),
      builder.getDenseI64ArrayAttr(
          {launch.grid()->data(), launch.grid()->size()}),
      operands, takeAccess(), builder.getDenseI64ArrayAttr(scalars), scratch,
      builder.getI64IntegerAttr(launch.scratch_bytes()),
      FlatSymbolRefAttr::get(builder.getContext(),
                             binarySymbol(launch.binary())),
      extents(launch.block()), extents(launch.cluster()),
      builder.getI64IntegerAttr(launch.shared_bytes()),
      launch.programmatic() ? builder.getUnitAttr() : UnitAttr(), StringAttr(),
      DenseI32ArrayAttr());
  return op;
}

plan::TensorViewAttr CommandReader::view(const format::TensorView &view,
                                         bool isWritten) {
  return plan::TensorViewAttr::get(
      builder.getContext(), operand(*view.address(), isWritten),
      fromDType(view.dtype(), builder.getContext()),
      builder.getDenseI64ArrayAttr({view.dims()->data(), view.dims()->size()}),
      builder.getDenseI64ArrayAttr(
          {view.strides()->data(), view.strides()->size()}));
}

Attribute CommandReader::postOp(const format::PostOpEntry &entry) {
  MLIRContext *context = builder.getContext();
  if (const auto *eltwise = entry.post_op_as_EltwisePostOp()) {
    return plan::EltwiseAttr::get(
        context,
        builder.getStringAttr(format::EnumNameEltwiseKind(eltwise->kind())),
        builder.getF32FloatAttr(eltwise->alpha()),
        builder.getF32FloatAttr(eltwise->beta()));
  }
  const format::BinaryPostOp *binary = entry.post_op_as_BinaryPostOp();
  return plan::BinaryAttr::get(
      context,
      builder.getStringAttr(format::EnumNameBinaryKindPostOp(binary->kind())),
      view(*binary->operand(), /*isWritten=*/false));
}

Operation *CommandReader::call(const format::Call &call) {
  const format::OnednnMatmul &matmul = *call.call_as_OnednnMatmul();
  plan::TensorViewAttr lhs = view(*matmul.lhs(), false);
  plan::TensorViewAttr rhs = view(*matmul.rhs(), false);
  plan::TensorViewAttr bias;
  if (matmul.bias()) {
    bias = view(*matmul.bias(), false);
  }
  plan::TensorViewAttr result = view(*matmul.result(), true);
  SmallVector<Attribute> postOps;
  if (matmul.post_ops()) {
    for (const format::PostOpEntry *entry : *matmul.post_ops()) {
      postOps.push_back(postOp(*entry));
    }
  }
  auto descriptor = plan::OnednnMatmulAttr::get(
      builder.getContext(), lhs, rhs, bias, result,
      builder.getArrayAttr(postOps), matmul.pack_rhs());
  Value scratch = matmul.scratch() ? address(*matmul.scratch()) : Value();
  StringAttr version;
  if (call.library_version() && call.library_version()->size() != 0) {
    version = builder.getStringAttr(call.library_version()->c_str());
  }
  return plan::CallOp::create(builder, loc, descriptor, operands, takeAccess(),
                              scratch,
                              builder.getI64IntegerAttr(matmul.scratch_bytes()),
                              version, StringAttr(), DenseI32ArrayAttr());
}

void CommandReader::read(const format::Command &command) {
  operands.clear();
  Operation *op = nullptr;
  if (const auto *table = command.operation_as_Launch()) {
    op = launch(*table);
  } else if (const auto *table = command.operation_as_Call()) {
    op = call(*table);
  } else if (const auto *table = command.operation_as_Copy()) {
    op = plan::CopyOp::create(builder, loc, address(*table->destination()),
                              address(*table->source()),
                              builder.getI64IntegerAttr(table->bytes()),
                              StringAttr(), DenseI32ArrayAttr());
  } else {
    const format::Fill *fill = command.operation_as_Fill();
    op = plan::FillOp::create(builder, loc, address(*fill->destination()),
                              builder.getI64IntegerAttr(fill->value()),
                              builder.getI64IntegerAttr(fill->bytes()),
                              StringAttr(), DenseI32ArrayAttr());
  }
  if (command.label() && command.label()->size() != 0) {
    op->setAttr("label", builder.getStringAttr(command.label()->c_str()));
  }
  SmallVector<int32_t> depends;
  if (command.depends()) {
    depends.assign(command.depends()->begin(), command.depends()->end());
  }
  op->setAttr("depends", builder.getDenseI32ArrayAttr(depends));
}

void readCommands(
    const format::Artifact &artifact, uint64_t arenaBytes,
    const flatbuffers::Vector<flatbuffers::Offset<format::Command>> &commands,
    OpBuilder &builder) {
  CommandReader reader(artifact, arenaBytes, builder);
  for (const format::Command *command : commands) {
    reader.read(*command);
  }
}

} // namespace minic
