// SPDX-License-Identifier: Apache-2.0
//
// One op to one table; addresses are folded to a base and an offset.

#include "compiler/emit/CommandToMetadata.h"

#include "compiler/emit/PlanToMetadata.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace minic {

namespace {

/// Fails at most once per command; `failed` is sticky so that builders of
/// tables read as the tables do.
class CommandWriter {
public:
  CommandWriter(Operation *op, const SymbolIndices &symbols)
      : op(op), symbols(symbols) {}

  std::unique_ptr<format::Address> address(Value value);
  std::unique_ptr<format::TensorViewT> view(plan::TensorViewAttr view,
                                            ValueRange addresses);
  void launch(plan::LaunchOp launch, format::OperationUnion &out);
  void call(plan::CallOp call, format::OperationUnion &out);
  void copy(plan::CopyOp copy, format::OperationUnion &out);
  void fill(plan::FillOp fill, format::OperationUnion &out);

  bool hasFailed = false;

private:
  void fail(const Twine &message) {
    if (!hasFailed) {
      op->emitOpError(message);
    }
    hasFailed = true;
  }
  void postOp(Attribute attribute, ValueRange addresses,
              format::OnednnMatmulT &matmul);

  Operation *op;
  const SymbolIndices &symbols;
};

} // namespace

std::unique_ptr<format::Address> CommandWriter::address(Value value) {
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
CommandWriter::view(plan::TensorViewAttr view, ValueRange addresses) {
  auto table = std::make_unique<format::TensorViewT>();
  std::optional<format::DType> dtype = toDType(view.getDtype());
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

void CommandWriter::launch(plan::LaunchOp launch, format::OperationUnion &out) {
  format::LaunchT table;
  if (FlatSymbolRefAttr name = launch.getBinaryAttr()) {
    auto found = symbols.binaries.find(name.getAttr());
    if (found == symbols.binaries.end()) {
      fail("uses the unknown binary " + name.getValue());
    } else {
      table.binary = found->second;
    }
  } else if (symbols.binaries.size() != 1) {
    fail("does not say which binary its kernel is in");
  }
  table.entry = launch.getEntry().str();
  table.grid = launch.getGrid().vec();
  table.block = launch.getBlock().vec();
  table.cluster = launch.getCluster().vec();
  table.shared_bytes = launch.getSharedBytes();
  table.programmatic = launch.getProgrammatic();
  for (Value value : launch.getAddresses()) {
    format::AddressParamT param;
    param.address = address(value);
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
  if (launch.getScratch()) {
    table.scratch = address(launch.getScratch());
    table.scratch_bytes = launch.getScratchBytes();
  }
  out.Set(std::move(table));
}

/// The value of enum `E` whose name is `name`.
template <typename E>
static std::optional<E> parseEnum(StringRef name, const E *values, size_t count,
                                  const char *(*toName)(E)) {
  for (size_t i = 0; i < count; ++i) {
    if (name == toName(values[i])) {
      return values[i];
    }
  }
  return std::nullopt;
}

void CommandWriter::postOp(Attribute attribute, ValueRange addresses,
                           format::OnednnMatmulT &matmul) {
  auto entry = std::make_unique<format::PostOpEntryT>();
  if (auto eltwise = dyn_cast<plan::EltwiseAttr>(attribute)) {
    auto kind =
        parseEnum(eltwise.getKind().getValue(), format::EnumValuesEltwiseKind(),
                  std::size(format::EnumValuesEltwiseKind()),
                  format::EnumNameEltwiseKind);
    if (!kind) {
      return fail("has the unknown post-op " + eltwise.getKind().getValue());
    }
    format::EltwisePostOpT table;
    table.kind = *kind;
    table.alpha = eltwise.getAlpha().getValueAsDouble();
    table.beta = eltwise.getBeta().getValueAsDouble();
    entry->post_op.Set(std::move(table));
  } else if (auto binary = dyn_cast<plan::BinaryAttr>(attribute)) {
    auto kind = parseEnum(binary.getKind().getValue(),
                          format::EnumValuesBinaryKindPostOp(),
                          std::size(format::EnumValuesBinaryKindPostOp()),
                          format::EnumNameBinaryKindPostOp);
    if (!kind) {
      return fail("has the unknown post-op " + binary.getKind().getValue());
    }
    format::BinaryPostOpT table;
    table.kind = *kind;
    table.operand = view(binary.getOperand(), addresses);
    entry->post_op.Set(std::move(table));
  } else {
    return fail("has a post-op of unknown type");
  }
  matmul.post_ops.push_back(std::move(entry));
}

void CommandWriter::call(plan::CallOp call, format::OperationUnion &out) {
  auto descriptor = dyn_cast<plan::OnednnMatmulAttr>(call.getDescriptor());
  if (!descriptor) {
    return fail("has an unknown descriptor");
  }
  ValueRange addresses = call.getAddresses();
  format::OnednnMatmulT matmul;
  matmul.lhs = view(descriptor.getLhs(), addresses);
  matmul.rhs = view(descriptor.getRhs(), addresses);
  if (descriptor.getBias()) {
    matmul.bias = view(descriptor.getBias(), addresses);
  }
  matmul.result = view(descriptor.getResult(), addresses);
  for (Attribute attribute : descriptor.getPostOps()) {
    postOp(attribute, addresses, matmul);
  }
  matmul.pack_rhs = descriptor.getPackRhs();
  if (call.getScratch()) {
    matmul.scratch = address(call.getScratch());
    matmul.scratch_bytes = call.getScratchBytes();
  }
  format::CallT table;
  table.call.Set(std::move(matmul));
  table.library_version = call.getLibraryVersion().value_or("").str();
  out.Set(std::move(table));
}

void CommandWriter::copy(plan::CopyOp copy, format::OperationUnion &out) {
  format::CopyT table;
  table.destination = address(copy.getDestination());
  table.source = address(copy.getSource());
  table.bytes = copy.getBytes();
  out.Set(std::move(table));
}

void CommandWriter::fill(plan::FillOp fill, format::OperationUnion &out) {
  format::FillT table;
  table.destination = address(fill.getDestination());
  table.value = fill.getValue();
  table.bytes = fill.getBytes();
  out.Set(std::move(table));
}

LogicalResult
addCommands(Region &region, const SymbolIndices &symbols,
            std::vector<std::unique_ptr<format::CommandT>> &commands) {
  for (Operation &op : region.getOps()) {
    if (isa<plan::InputOp, plan::OutputOp, plan::ConstantAddressOp,
            plan::BufferOp, plan::ViewOp>(op)) {
      continue;
    }
    CommandWriter writer(&op, symbols);
    auto command = std::make_unique<format::CommandT>();
    bool known = llvm::TypeSwitch<Operation *, bool>(&op)
                     .Case([&](plan::LaunchOp launch) {
                       writer.launch(launch, command->operation);
                       return true;
                     })
                     .Case([&](plan::CallOp call) {
                       writer.call(call, command->operation);
                       return true;
                     })
                     .Case([&](plan::CopyOp copy) {
                       writer.copy(copy, command->operation);
                       return true;
                     })
                     .Case([&](plan::FillOp fill) {
                       writer.fill(fill, command->operation);
                       return true;
                     })
                     .Default(false);
    if (!known) {
      return op.emitOpError("is not a command");
    }
    if (writer.hasFailed) {
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
