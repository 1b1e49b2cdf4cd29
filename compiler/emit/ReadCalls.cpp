// SPDX-License-Identifier: Apache-2.0
//
// One table to one attribute, in the order of plan.fbs.

#include "compiler/emit/ReadCalls.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace minic {

namespace {

/// The op's scratch memory, which is not in the descriptor's attribute.
struct Scratch {
  const format::Address *address = nullptr;
  uint64_t bytes = 0;
};

class CallReader {
public:
  explicit CallReader(OperandReader &reader)
      : reader(reader), builder(reader.getBuilder()),
        context(builder.getContext()) {}

  /// The attribute of the one table that `call` holds.
  Attribute read(const format::Call &call);
  Scratch scratch;

private:
  Attribute read(const format::OnednnMatmul &table);
  Attribute read(const format::CublasGemm &table);
  Attribute read(const format::CublasltMatmul &table);
  Attribute read(const format::CudnnConvolution &table);
  Attribute read(const format::CudnnMatmul &table);
  Attribute read(const format::OnednnConvolution &table);

  plan::EltwiseAttr eltwise(const format::EltwisePostOp *table);
  ArrayAttr
  postOps(const flatbuffers::Vector<flatbuffers::Offset<format::PostOpEntry>>
              *entries);
  StringAttr compute(format::ComputeType type) {
    return builder.getStringAttr(format::EnumNameComputeType(type));
  }
  StringAttr text(const flatbuffers::String *value) {
    return builder.getStringAttr(value ? value->c_str() : "");
  }

  OperandReader &reader;
  OpBuilder &builder;
  MLIRContext *context;
};

} // namespace

plan::EltwiseAttr CallReader::eltwise(const format::EltwisePostOp *table) {
  if (!table) {
    return {};
  }
  return plan::EltwiseAttr::get(
      context,
      builder.getStringAttr(format::EnumNameEltwiseKind(table->kind())),
      builder.getF32FloatAttr(table->alpha()),
      builder.getF32FloatAttr(table->beta()));
}

ArrayAttr CallReader::postOps(
    const flatbuffers::Vector<flatbuffers::Offset<format::PostOpEntry>>
        *entries) {
  SmallVector<Attribute> attrs;
  if (!entries) {
    return builder.getArrayAttr(attrs);
  }
  for (const format::PostOpEntry *entry : *entries) {
    if (const auto *table = entry->post_op_as_EltwisePostOp()) {
      attrs.push_back(eltwise(table));
    } else {
      const format::BinaryPostOp *binary = entry->post_op_as_BinaryPostOp();
      attrs.push_back(plan::BinaryAttr::get(
          context,
          builder.getStringAttr(
              format::EnumNameBinaryKindPostOp(binary->kind())),
          reader.view(binary->operand())));
    }
  }
  return builder.getArrayAttr(attrs);
}

// Operands are numbered in the order in which views are read, so each view is
// read in a statement of its own.

Attribute CallReader::read(const format::OnednnMatmul &table) {
  auto lhs = reader.view(table.lhs());
  auto rhs = reader.view(table.rhs());
  auto bias = reader.view(table.bias());
  auto result = reader.view(table.result(), /*isWritten=*/true);
  return plan::OnednnMatmulAttr::get(context, lhs, rhs, bias, result,
                                     postOps(table.post_ops()),
                                     table.pack_rhs());
}

Attribute CallReader::read(const format::CublasGemm &table) {
  auto lhs = reader.view(table.lhs());
  auto rhs = reader.view(table.rhs());
  auto result = reader.view(table.result(), /*isWritten=*/true);
  return plan::CublasGemmAttr::get(context, lhs, rhs, result,
                                   compute(table.compute()));
}

Attribute CallReader::read(const format::CublasltMatmul &table) {
  auto lhs = reader.view(table.lhs());
  auto rhs = reader.view(table.rhs());
  auto bias = reader.view(table.bias());
  auto addend = reader.view(table.addend());
  auto result = reader.view(table.result(), /*isWritten=*/true);
  auto aux = reader.view(table.aux(), /*isWritten=*/true);
  std::string algorithm;
  if (table.algorithm()) {
    algorithm = llvm::toHex({table.algorithm()->data(),
                             static_cast<size_t>(table.algorithm()->size())},
                            /*LowerCase=*/true);
  }
  return plan::CublasltMatmulAttr::get(
      context, lhs, rhs, bias, addend, result, aux,
      builder.getStringAttr(
          format::EnumNameCublasltActivation(table.activation())),
      compute(table.compute()), builder.getStringAttr(algorithm));
}

Attribute CallReader::read(const format::CudnnConvolution &table) {
  auto input = reader.view(table.input());
  auto filter = reader.view(table.filter());
  auto bias = reader.view(table.bias());
  auto addend = reader.view(table.addend());
  auto result = reader.view(table.result(), /*isWritten=*/true);
  return plan::CudnnConvolutionAttr::get(
      context, input, filter, bias, addend, result,
      reader.extents(table.strides()), reader.extents(table.pads_begin()),
      reader.extents(table.pads_end()), reader.extents(table.dilations()),
      table.groups(), eltwise(table.activation()), compute(table.compute()),
      text(table.engine()));
}

Attribute CallReader::read(const format::CudnnMatmul &table) {
  auto lhs = reader.view(table.lhs());
  auto rhs = reader.view(table.rhs());
  auto bias = reader.view(table.bias());
  auto result = reader.view(table.result(), /*isWritten=*/true);
  return plan::CudnnMatmulAttr::get(
      context, lhs, rhs, bias, result, eltwise(table.activation()),
      compute(table.compute()), text(table.engine()));
}

Attribute CallReader::read(const format::OnednnConvolution &table) {
  auto input = reader.view(table.input());
  auto filter = reader.view(table.filter());
  auto bias = reader.view(table.bias());
  auto result = reader.view(table.result(), /*isWritten=*/true);
  return plan::OnednnConvolutionAttr::get(
      context, input, filter, bias, result, reader.extents(table.strides()),
      reader.extents(table.pads_begin()), reader.extents(table.pads_end()),
      reader.extents(table.dilations()), table.groups(),
      postOps(table.post_ops()), table.pack_filter());
}

Attribute CallReader::read(const format::Call &call) {
  auto readTable = [&](const auto &table) {
    if constexpr (requires { table.scratch(); }) {
      scratch = {table.scratch(), table.scratch_bytes()};
    }
    return read(table);
  };
  switch (call.call_type()) {
  case format::LibraryCall::OnednnMatmul:
    return readTable(*call.call_as_OnednnMatmul());
  case format::LibraryCall::CublasGemm:
    return readTable(*call.call_as_CublasGemm());
  case format::LibraryCall::CublasltMatmul:
    return readTable(*call.call_as_CublasltMatmul());
  case format::LibraryCall::CudnnConvolution:
    return readTable(*call.call_as_CudnnConvolution());
  case format::LibraryCall::CudnnMatmul:
    return readTable(*call.call_as_CudnnMatmul());
  case format::LibraryCall::OnednnConvolution:
    return readTable(*call.call_as_OnednnConvolution());
  case format::LibraryCall::NONE:
    break;
  }
  llvm_unreachable("the artifact is a checked one");
}

plan::CallOp readCall(const format::Call &call, OperandReader &reader) {
  CallReader callReader(reader);
  Attribute descriptor = callReader.read(call);
  const Scratch &scratch = callReader.scratch;
  OpBuilder &builder = reader.getBuilder();
  StringAttr version;
  if (call.library_version() && call.library_version()->size() != 0) {
    version = builder.getStringAttr(call.library_version()->c_str());
  }
  Value address = scratch.address ? reader.address(*scratch.address) : Value();
  return plan::CallOp::create(builder, builder.getUnknownLoc(), descriptor,
                              reader.getOperands(), reader.getAccess(), address,
                              builder.getI64IntegerAttr(scratch.bytes), version,
                              StringAttr(), DenseI32ArrayAttr());
}

} // namespace minic
