// SPDX-License-Identifier: Apache-2.0
//
// Enums and descriptors of the plan dialect.

#ifndef MINIC_DIALECTS_PLAN_PLANATTRS
#define MINIC_DIALECTS_PLAN_PLANATTRS

include "dialects/plan/PlanBase.td"
include "mlir/IR/EnumAttr.td"

class Plan_Attr<string name, string attrMnemonic>
    : AttrDef<Plan_Dialect, name> {
  let mnemonic = attrMnemonic;
  let assemblyFormat = "`<` struct(params) `>`";
}

def Plan_TensorSpecAttr : Plan_Attr<"TensorSpec", "tensor_spec"> {
  let summary = "Name, type and required alignment of an input or output";
  let parameters = (ins "::mlir::StringAttr":$name,
                        "::mlir::RankedTensorType":$type,
                        "int64_t":$alignment);
}

def Plan_Access : I32EnumAttr<"Access", "what a command does with an address", [
    I32EnumAttrCase<"Read", 0, "read">, I32EnumAttrCase<"Write", 1, "write">]> {
  let cppNamespace = "::minic::plan";
  let genSpecializedAttr = 0;
}

def Plan_AccessAttr : EnumAttr<Plan_Dialect, Plan_Access, "access"> {
  let assemblyFormat = "$value";
}
def Plan_AccessArrayAttr
    : TypedArrayAttrBase<Plan_AccessAttr, "one access per address">;

def Plan_TensorViewAttr : Plan_Attr<"TensorView", "view"> {
  let summary = "A strided view of one of a call's operands";
  let description = [{
    `operand` is the index of the address operand; `strides` count elements.
  }];
  let parameters = (ins "int64_t":$operand, "::mlir::Type":$dtype,
                        "::mlir::DenseI64ArrayAttr":$dims,
                        "::mlir::DenseI64ArrayAttr":$strides);
}

def Plan_EltwiseAttr : Plan_Attr<"Eltwise", "eltwise"> {
  let summary = "A pointwise post-op; kind is a name of format.EltwiseKind";
  let parameters = (ins "::mlir::StringAttr":$kind, "::mlir::FloatAttr":$alpha,
                        "::mlir::FloatAttr":$beta);
}

def Plan_BinaryAttr : Plan_Attr<"Binary", "binary"> {
  let summary = "A binary post-op; kind is a name of format.BinaryKindPostOp";
  let parameters = (ins "::mlir::StringAttr":$kind,
                        "::minic::plan::TensorViewAttr":$operand);
}

def Plan_OnednnMatmulAttr : Plan_Attr<"OnednnMatmul", "onednn_matmul"> {
  let summary = "format.OnednnMatmul";
  let parameters = (ins "::minic::plan::TensorViewAttr":$lhs,
                        "::minic::plan::TensorViewAttr":$rhs,
                        OptionalParameter<"::minic::plan::TensorViewAttr">:$bias,
                        "::minic::plan::TensorViewAttr":$result,
                        "::mlir::ArrayAttr":$post_ops,
                        "bool":$pack_rhs);
}

def Plan_Replay : I32EnumAttr<"Replay", "format.Replay, case by case", [
    I32EnumAttrCase<"Never", 0, "never">,
    I32EnumAttrCase<"Always", 1, "always">,
    I32EnumAttrCase<"WhenIdle", 2, "when_idle">]> {
  let cppNamespace = "::minic::plan";
  let genSpecializedAttr = 0;
}

def Plan_PointerChangesAttr : Plan_Attr<"PointerChanges", "pointer_changes"> {
  let summary = "format.PointerChanges; times are in microseconds";
  let parameters = (ins "bool":$stage, "uint32_t":$runs_before_update,
                        "::mlir::FloatAttr":$stage_us,
                        "::mlir::FloatAttr":$launch_us,
                        "::mlir::FloatAttr":$stage_call_us,
                        "::mlir::FloatAttr":$launch_call_us,
                        "::mlir::FloatAttr":$update_us);
}

def Plan_GraphVerdictAttr : Plan_Attr<"GraphVerdict", "graph_verdict"> {
  let summary = "format.GraphVerdict; times are in microseconds";
  let parameters = (ins EnumParameter<Plan_Replay>:$replay,
                        "::mlir::FloatAttr":$graph_us,
                        "::mlir::FloatAttr":$stream_us,
                        "::mlir::FloatAttr":$graph_call_us,
                        "::mlir::FloatAttr":$stream_call_us,
                        "::mlir::FloatAttr":$when_idle_us,
                        "::mlir::FloatAttr":$when_idle_call_us,
                        "::mlir::FloatAttr":$run_us,
                        OptionalParameter<"::minic::plan::PointerChangesAttr">:$pointer_changes);
}

def Plan_CublasGemmAttr : Plan_Attr<"CublasGemm", "cublas_gemm"> {
  let summary = "format.CublasGemm; compute is a name of format.ComputeType";
  let parameters = (ins "::minic::plan::TensorViewAttr":$lhs,
                        "::minic::plan::TensorViewAttr":$rhs,
                        "::minic::plan::TensorViewAttr":$result,
                        "::mlir::StringAttr":$compute);
}

def Plan_CublasltMatmulAttr : Plan_Attr<"CublasltMatmul", "cublaslt_matmul"> {
  let summary = "format.CublasltMatmul";
  let description = [{
    `activation` and `compute` are names of the format's enums; `algorithm` is
    hexadecimal.
  }];
  let parameters = (ins "::minic::plan::TensorViewAttr":$lhs,
                        "::minic::plan::TensorViewAttr":$rhs,
                        OptionalParameter<"::minic::plan::TensorViewAttr">:$bias,
                        OptionalParameter<"::minic::plan::TensorViewAttr">:$addend,
                        "::minic::plan::TensorViewAttr":$result,
                        OptionalParameter<"::minic::plan::TensorViewAttr">:$aux,
                        "::mlir::StringAttr":$activation,
                        "::mlir::StringAttr":$compute,
                        "::mlir::StringAttr":$algorithm);
}

def Plan_CudnnConvolutionAttr
    : Plan_Attr<"CudnnConvolution", "cudnn_convolution"> {
  let summary = "format.CudnnConvolution";
  let parameters = (ins "::minic::plan::TensorViewAttr":$input,
                        "::minic::plan::TensorViewAttr":$filter,
                        OptionalParameter<"::minic::plan::TensorViewAttr">:$bias,
                        OptionalParameter<"::minic::plan::TensorViewAttr">:$addend,
                        "::minic::plan::TensorViewAttr":$result,
                        "::mlir::DenseI64ArrayAttr":$strides,
                        "::mlir::DenseI64ArrayAttr":$pads_begin,
                        "::mlir::DenseI64ArrayAttr":$pads_end,
                        "::mlir::DenseI64ArrayAttr":$dilations,
                        "int64_t":$groups,
                        OptionalParameter<"::minic::plan::EltwiseAttr">:$activation,
                        "::mlir::StringAttr":$compute,
                        "::mlir::StringAttr":$engine);
}

def Plan_CudnnMatmulAttr : Plan_Attr<"CudnnMatmul", "cudnn_matmul"> {
  let summary = "format.CudnnMatmul";
  let parameters = (ins "::minic::plan::TensorViewAttr":$lhs,
                        "::minic::plan::TensorViewAttr":$rhs,
                        OptionalParameter<"::minic::plan::TensorViewAttr">:$bias,
                        "::minic::plan::TensorViewAttr":$result,
                        OptionalParameter<"::minic::plan::EltwiseAttr">:$activation,
                        "::mlir::StringAttr":$compute,
                        "::mlir::StringAttr":$engine);
}

def Plan_OnednnConvolutionAttr
    : Plan_Attr<"OnednnConvolution", "onednn_convolution"> {
  let summary = "format.OnednnConvolution";
  let parameters = (ins "::minic::plan::TensorViewAttr":$input,
                        "::minic::plan::TensorViewAttr":$filter,
                        OptionalParameter<"::minic::plan::TensorViewAttr">:$bias,
                        "::minic::plan::TensorViewAttr":$result,
                        "::mlir::DenseI64ArrayAttr":$strides,
                        "::mlir::DenseI64ArrayAttr":$pads_begin,
                        "::mlir::DenseI64ArrayAttr":$pads_end,
                        "::mlir::DenseI64ArrayAttr":$dilations,
                        "int64_t":$groups,
                        "::mlir::ArrayAttr":$post_ops,
                        "bool":$pack_filter);
}

#endif // MINIC_DIALECTS_PLAN_PLANATTRS
