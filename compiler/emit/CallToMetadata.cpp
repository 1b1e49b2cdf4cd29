// SPDX-License-Identifier: Apache-2.0
//
// One attribute to one table, in the order of plan.fbs.

#include "compiler/emit/CallToMetadata.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace minic {

namespace {

class CallWriter {
public:
  CallWriter(plan::CallOp call, TableWriter &writer)
      : call(call), addresses(call.getAddresses()), writer(writer) {}

  format::CallT write();

private:
  format::OnednnMatmulT table(plan::OnednnMatmulAttr attr);
  format::CublasGemmT table(plan::CublasGemmAttr attr);
  format::CublasltMatmulT table(plan::CublasltMatmulAttr attr);
  format::CudnnConvolutionT table(plan::CudnnConvolutionAttr attr);
  format::CudnnMatmulT table(plan::CudnnMatmulAttr attr);
  format::OnednnConvolutionT table(plan::OnednnConvolutionAttr attr);

  std::unique_ptr<format::TensorViewT> view(plan::TensorViewAttr view) {
    return writer.view(view, addresses);
  }
  /// Sets the fields that all convolutions have, without the filter's packing.
  template <typename Table, typename Attr>
  void convolution(Table &table, Attr attr);
  std::unique_ptr<format::EltwisePostOpT> eltwise(plan::EltwiseAttr attr);
  std::vector<std::unique_ptr<format::PostOpEntryT>> postOps(ArrayAttr attrs);
  std::vector<uint8_t> bytes(StringRef hex);
  format::ComputeType compute(StringAttr name) {
    return writer.parseEnum(name.getValue(), format::EnumValuesComputeType(),
                            format::EnumNameComputeType, "compute type");
  }

  plan::CallOp call;
  ValueRange addresses;
  TableWriter &writer;
};

} // namespace

std::unique_ptr<format::EltwisePostOpT>
CallWriter::eltwise(plan::EltwiseAttr attr) {
  if (!attr) {
    return nullptr;
  }
  auto table = std::make_unique<format::EltwisePostOpT>();
  table->kind = writer.parseEnum(attr.getKind().getValue(),
                                 format::EnumValuesEltwiseKind(),
                                 format::EnumNameEltwiseKind, "post-op");
  table->alpha = attr.getAlpha().getValueAsDouble();
  table->beta = attr.getBeta().getValueAsDouble();
  return table;
}

std::vector<std::unique_ptr<format::PostOpEntryT>>
CallWriter::postOps(ArrayAttr attrs) {
  std::vector<std::unique_ptr<format::PostOpEntryT>> entries;
  for (Attribute attr : attrs) {
    auto entry = std::make_unique<format::PostOpEntryT>();
    if (auto eltwiseAttr = dyn_cast<plan::EltwiseAttr>(attr)) {
      entry->post_op.Set(std::move(*eltwise(eltwiseAttr)));
    } else if (auto binary = dyn_cast<plan::BinaryAttr>(attr)) {
      format::BinaryPostOpT table;
      table.kind = writer.parseEnum(
          binary.getKind().getValue(), format::EnumValuesBinaryKindPostOp(),
          format::EnumNameBinaryKindPostOp, "post-op");
      table.operand = view(binary.getOperand());
      entry->post_op.Set(std::move(table));
    } else {
      writer.fail("has a post-op of unknown type");
    }
    entries.push_back(std::move(entry));
  }
  return entries;
}

std::vector<uint8_t> CallWriter::bytes(StringRef hex) {
  std::string decoded;
  if (hex.size() % 2 != 0 || !llvm::tryGetFromHex(hex, decoded)) {
    writer.fail("has an algorithm that is not hexadecimal");
    return {};
  }
  return {decoded.begin(), decoded.end()};
}

format::OnednnMatmulT CallWriter::table(plan::OnednnMatmulAttr attr) {
  format::OnednnMatmulT table;
  table.lhs = view(attr.getLhs());
  table.rhs = view(attr.getRhs());
  table.bias = view(attr.getBias());
  table.result = view(attr.getResult());
  table.post_ops = postOps(attr.getPostOps());
  table.pack_rhs = attr.getPackRhs();
  return table;
}

format::CublasGemmT CallWriter::table(plan::CublasGemmAttr attr) {
  format::CublasGemmT table;
  table.lhs = view(attr.getLhs());
  table.rhs = view(attr.getRhs());
  table.result = view(attr.getResult());
  table.compute = compute(attr.getCompute());
  return table;
}

format::CublasltMatmulT CallWriter::table(plan::CublasltMatmulAttr attr) {
  format::CublasltMatmulT table;
  table.lhs = view(attr.getLhs());
  table.rhs = view(attr.getRhs());
  table.bias = view(attr.getBias());
  table.addend = view(attr.getAddend());
  table.result = view(attr.getResult());
  table.aux = view(attr.getAux());
  table.activation = writer.parseEnum(
      attr.getActivation().getValue(), format::EnumValuesCublasltActivation(),
      format::EnumNameCublasltActivation, "activation");
  table.compute = compute(attr.getCompute());
  table.algorithm = bytes(attr.getAlgorithm().getValue());
  return table;
}

template <typename Table, typename Attr>
void CallWriter::convolution(Table &table, Attr attr) {
  table.input = view(attr.getInput());
  table.filter = view(attr.getFilter());
  table.bias = view(attr.getBias());
  table.result = view(attr.getResult());
  table.strides = attr.getStrides().asArrayRef().vec();
  table.pads_begin = attr.getPadsBegin().asArrayRef().vec();
  table.pads_end = attr.getPadsEnd().asArrayRef().vec();
  table.dilations = attr.getDilations().asArrayRef().vec();
  table.groups = attr.getGroups();
}

format::CudnnConvolutionT CallWriter::table(plan::CudnnConvolutionAttr attr) {
  format::CudnnConvolutionT table;
  convolution(table, attr);
  table.addend = view(attr.getAddend());
  table.activation = eltwise(attr.getActivation());
  table.compute = compute(attr.getCompute());
  table.engine = attr.getEngine().getValue().str();
  return table;
}

format::CudnnMatmulT CallWriter::table(plan::CudnnMatmulAttr attr) {
  format::CudnnMatmulT table;
  table.lhs = view(attr.getLhs());
  table.rhs = view(attr.getRhs());
  table.bias = view(attr.getBias());
  table.result = view(attr.getResult());
  table.activation = eltwise(attr.getActivation());
  table.compute = compute(attr.getCompute());
  table.engine = attr.getEngine().getValue().str();
  return table;
}

format::OnednnConvolutionT CallWriter::table(plan::OnednnConvolutionAttr attr) {
  format::OnednnConvolutionT table;
  convolution(table, attr);
  table.post_ops = postOps(attr.getPostOps());
  table.pack_filter = attr.getPackFilter();
  return table;
}

format::CallT CallWriter::write() {
  format::CallT result;
  auto set = [&](auto attr) {
    auto descriptor = table(attr);
    if constexpr (requires { descriptor.scratch; }) {
      if (call.getScratch()) {
        descriptor.scratch = writer.address(call.getScratch());
        descriptor.scratch_bytes = call.getScratchBytes();
      }
    }
    result.call.Set(std::move(descriptor));
  };
  llvm::TypeSwitch<Attribute>(call.getDescriptor())
      .Case<plan::OnednnMatmulAttr, plan::CublasGemmAttr,
            plan::CublasltMatmulAttr, plan::CudnnConvolutionAttr,
            plan::CudnnMatmulAttr, plan::OnednnConvolutionAttr>(set)
      .Default([&](Attribute) { writer.fail("has an unknown descriptor"); });
  result.library_version = call.getLibraryVersion().value_or("").str();
  return result;
}

format::CallT callToMetadata(plan::CallOp call, TableWriter &writer) {
  return CallWriter(call, writer).write();
}

} // namespace minic
