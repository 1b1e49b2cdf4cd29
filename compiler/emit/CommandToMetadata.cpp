// SPDX-License-Identifier: Apache-2.0
//
// One op to one table.

#include "compiler/emit/CommandToMetadata.h"

#include "compiler/emit/CallToMetadata.h"
#include "dialects/plan/DTypes.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace minic {

static format::TensorMapParamT tensorMapToMetadata(plan::TensorMapAttr map,
                                                   TableWriter &writer) {
  format::TensorMapParamT table;
  // Addresses are the first parameters.
  table.param = uint32_t(map.getOperand());
  std::optional<format::DType> dtype = plan::toDType(map.getDtype());
  if (!dtype) {
    writer.fail("has a tensor map of a type that no artifact holds");
  }
  table.dtype = dtype.value_or(format::DType::bf16);
  table.dims = map.getDims().asArrayRef().vec();
  table.strides = map.getStrides().asArrayRef().vec();
  table.box = map.getBox().asArrayRef().vec();
  table.swizzle = uint32_t(map.getSwizzle());
  if (plan::Im2colAttr im2col = map.getIm2col()) {
    table.im2col = std::make_unique<format::Im2colT>();
    table.im2col->lower = im2col.getLower().asArrayRef().vec();
    table.im2col->upper = im2col.getUpper().asArrayRef().vec();
    table.im2col->steps = im2col.getSteps().asArrayRef().vec();
  }
  return table;
}

static format::LaunchT launchToMetadata(plan::LaunchOp launch,
                                        TableWriter &writer) {
  format::LaunchT table;
  table.binary = writer.binary(launch);
  table.entry = launch.getEntry().str();
  table.grid = launch.getGrid().vec();
  table.block = launch.getBlock().vec();
  table.cluster = launch.getCluster().vec();
  table.shared_bytes = launch.getSharedBytes();
  table.programmatic = launch.getProgrammatic();
  for (Value value : launch.getAddresses()) {
    format::AddressParamT param;
    param.address = writer.address(value);
    auto entry = std::make_unique<format::ParamEntryT>();
    entry->param.Set(std::move(param));
    table.params.push_back(std::move(entry));
  }
  for (int64_t scalar : launch.getScalars()) {
    format::ScalarParamT param;
    param.value = scalar;
    auto entry = std::make_unique<format::ParamEntryT>();
    entry->param.Set(std::move(param));
    table.params.push_back(std::move(entry));
  }
  if (ArrayAttr maps = launch.getTensorMapsAttr()) {
    for (auto map : maps.getAsRange<plan::TensorMapAttr>()) {
      auto entry = std::make_unique<format::ParamEntryT>();
      entry->param.Set(tensorMapToMetadata(map, writer));
      table.params.push_back(std::move(entry));
    }
  }
  if (launch.getScratch()) {
    table.scratch = writer.address(launch.getScratch());
    table.scratch_bytes = launch.getScratchBytes();
  }
  return table;
}

static format::CopyT copyToMetadata(plan::CopyOp copy, TableWriter &writer) {
  format::CopyT table;
  table.destination = writer.address(copy.getDestination());
  table.source = writer.address(copy.getSource());
  table.bytes = copy.getBytes();
  return table;
}

static format::FillT fillToMetadata(plan::FillOp fill, TableWriter &writer) {
  format::FillT table;
  table.destination = writer.address(fill.getDestination());
  table.value = fill.getValue();
  table.bytes = fill.getBytes();
  return table;
}

LogicalResult
addCommands(Region &region, const SymbolIndices &symbols,
            std::vector<std::unique_ptr<format::CommandT>> &commands) {
  for (Operation &op : region.getOps()) {
    if (isa<plan::InputOp, plan::OutputOp, plan::ConstantAddressOp,
            plan::BufferOp, plan::ViewOp>(op)) {
      continue;
    }
    TableWriter writer(&op, symbols);
    auto command = std::make_unique<format::CommandT>();
    bool known = llvm::TypeSwitch<Operation *, bool>(&op)
                     .Case([&](plan::LaunchOp launch) {
                       command->operation.Set(launchToMetadata(launch, writer));
                       return true;
                     })
                     .Case([&](plan::CallOp call) {
                       command->operation.Set(callToMetadata(call, writer));
                       return true;
                     })
                     .Case([&](plan::CopyOp copy) {
                       command->operation.Set(copyToMetadata(copy, writer));
                       return true;
                     })
                     .Case([&](plan::FillOp fill) {
                       command->operation.Set(fillToMetadata(fill, writer));
                       return true;
                     })
                     .Default(false);
    if (!known) {
      return op.emitOpError("is not a command");
    }
    if (writer.hasFailed()) {
      return failure();
    }
    if (auto label = op.getAttrOfType<StringAttr>("label")) {
      command->label = label.getValue().str();
    }
    if (auto depends = op.getAttrOfType<DenseI32ArrayAttr>("depends")) {
      for (int32_t index : depends.asArrayRef()) {
        command->depends.push_back(index);
      }
    }
    commands.push_back(std::move(command));
  }
  return success();
}

} // namespace minic
