// SPDX-License-Identifier: Apache-2.0
//
// One table to one op.

#include "compiler/emit/ReadCommands.h"

#include "compiler/emit/ReadCalls.h"
#include "dialects/plan/DTypes.h"

using namespace mlir;

namespace minic {

std::string binarySymbol(uint32_t index) {
  return "binary" + std::to_string(index);
}

static Operation *readLaunch(const format::Launch &launch,
                             OperandReader &reader) {
  OpBuilder &builder = reader.getBuilder();
  SmallVector<int64_t> scalars;
  SmallVector<Attribute> maps;
  // By parameter; of addresses alone.
  SmallVector<int64_t> operandOf;
  for (const format::ParamEntry *entry : *launch.params()) {
    operandOf.push_back(int64_t(reader.getOperands().size()));
    if (const auto *param = entry->param_as_AddressParam()) {
      format::Base base = param->address()->base();
      reader.operand(*param->address(), base != format::Base::input &&
                                            base != format::Base::constant);
    } else if (const auto *map = entry->param_as_TensorMapParam()) {
      plan::Im2colAttr im2col;
      if (const format::Im2col *pixels = map->im2col()) {
        im2col = plan::Im2colAttr::get(
            builder.getContext(), reader.extents(pixels->lower()),
            reader.extents(pixels->upper()), reader.extents(pixels->steps()));
      }
      maps.push_back(plan::TensorMapAttr::get(
          builder.getContext(), operandOf[map->param()],
          plan::fromDType(map->dtype(), builder.getContext()),
          reader.extents(map->dims()), reader.extents(map->strides()),
          reader.extents(map->box()), map->swizzle(), im2col));
    } else {
      scalars.push_back(entry->param_as_ScalarParam()->value());
    }
  }
  Value scratch =
      launch.scratch() ? reader.address(*launch.scratch()) : Value();
  return plan::LaunchOp::create(
      builder, builder.getUnknownLoc(),
      builder.getStringAttr(launch.entry()->c_str()),
      reader.extents(launch.grid()), reader.getOperands(), reader.getAccess(),
      builder.getDenseI64ArrayAttr(scalars), scratch,
      builder.getI64IntegerAttr(launch.scratch_bytes()),
      FlatSymbolRefAttr::get(builder.getContext(),
                             binarySymbol(launch.binary())),
      reader.extents(launch.block()), reader.extents(launch.cluster()),
      builder.getI64IntegerAttr(launch.shared_bytes()),
      launch.programmatic() ? builder.getUnitAttr() : UnitAttr(),
      maps.empty() ? ArrayAttr() : builder.getArrayAttr(maps), StringAttr(),
      DenseI32ArrayAttr());
}

static void readCommand(const format::Command &command, OperandReader &reader) {
  OpBuilder &builder = reader.getBuilder();
  Location loc = builder.getUnknownLoc();
  reader.clear();
  Operation *op = nullptr;
  if (const auto *table = command.operation_as_Launch()) {
    op = readLaunch(*table, reader);
  } else if (const auto *table = command.operation_as_Call()) {
    op = readCall(*table, reader);
  } else if (const auto *table = command.operation_as_Copy()) {
    op = plan::CopyOp::create(builder, loc,
                              reader.address(*table->destination()),
                              reader.address(*table->source()),
                              builder.getI64IntegerAttr(table->bytes()),
                              StringAttr(), DenseI32ArrayAttr());
  } else {
    const format::Fill *fill = command.operation_as_Fill();
    op =
        plan::FillOp::create(builder, loc, reader.address(*fill->destination()),
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
  OperandReader reader(artifact, arenaBytes, builder);
  for (const format::Command *command : commands) {
    readCommand(*command, reader);
  }
}

} // namespace minic
