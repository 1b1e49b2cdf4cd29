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
  let description = [{
    `in_place`, of an output: the index of the input whose pointer it must have,
    which it is an update of.
  }];
  let parameters = (ins "::mlir::StringAttr":$name,
                        "::mlir::RankedTensorType":$type,
                        "int64_t":$alignment,
                        OptionalParameter<"::mlir::IntegerAttr">:$in_place);
}

def Plan_BucketDimAttr : Plan_Attr<"BucketDim", "bucket_dim"> {
  let summary = "A dimension that varies among the functions of an entry";
  let description = [{
    Its size here, and where a run finds it: `places` are pairs of an input and
    an axis of it. `result_axes`, where runs of smaller sizes are padded to this
    one: the axis of each output that has its rows, -1 for none.
  }];
  let parameters = (ins "::mlir::StringAttr":$name, "int64_t":$size,
                        "::mlir::DenseI64ArrayAttr":$places,
                        OptionalParameter<"::mlir::DenseI64ArrayAttr">:$result_axes);
}

def Plan_BucketAttr : Plan_Attr<"Bucket", "bucket"> {
  let summary = "Of which entry a function is one form, and for which sizes";
  let description = [{
    `fills`, where runs of smaller sizes are padded: for each input the element
    behind the rows of the run, of its element type, or unit for zeros.
  }];
  let parameters = (ins "::mlir::StringAttr":$entry,
                        "::mlir::ArrayAttr":$dims,
                        OptionalParameter<"::mlir::ArrayAttr">:$fills);
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

def Plan_Im2colAttr : Plan_Attr<"Im2col", "im2col"> {
  let summary = "Which pixels of images a tensor map's boxes are of";
  let description = [{
    format.Im2col: columns, then lines.
  }];
  let parameters = (ins "::mlir::DenseI64ArrayAttr":$lower,
                        "::mlir::DenseI64ArrayAttr":$upper,
                        "::mlir::DenseI64ArrayAttr":$steps);
}

def Plan_TensorMapAttr : Plan_Attr<"TensorMap", "tensor_map"> {
  let summary = "A tensor map that a launch passes: what TMA copies a box of";
  let description = [{
    format.TensorMapParam. `operand` is the index of the address that it is of;
    dims, strides and box begin with the innermost dimension, which has no
    stride. `swizzle` is in bytes: 32, 64, 128 or 0 for none. With `im2col` the
    dims are [C, W, H, N] and the box is of channels and pixels.
  }];
  let parameters = (ins "int64_t":$operand, "::mlir::Type":$dtype,
                        "::mlir::DenseI64ArrayAttr":$dims,
                        "::mlir::DenseI64ArrayAttr":$strides,
                        "::mlir::DenseI64ArrayAttr":$box,
                        "int64_t":$swizzle,
                        OptionalParameter<"::minic::plan::Im2colAttr">:$im2col);
}
def Plan_TensorMapArrayAttr
    : TypedArrayAttrBase<Plan_TensorMapAttr, "tensor maps">;

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

def Plan_SizeWordAttr : Plan_Attr<"SizeWord", "size_word"> {
  let summary = "format.SizeWord: where kernels find a run's size of a dimension";
  let description = [{
    `dim` is one of the function's bucket, and is padded; `offset` is in the
    zeroed bytes of the arena.
  }];
  let parameters = (ins "::mlir::StringAttr":$dim, "int64_t":$offset);
}
def Plan_SizeWordArrayAttr
    : TypedArrayAttrBase<Plan_SizeWordAttr, "size words">;

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

def Plan_OperandAttr : Plan_Attr<"Operand", "operand"> {
  let summary = "An operand of a library call: its role and a view of it";
  let parameters = (ins "::mlir::StringAttr":$role,
                        "::minic::plan::TensorViewAttr":$view);
}

def Plan_LibraryCallAttr : Plan_Attr<"LibraryCall", "library_call"> {
  let summary = "format.Call: an op of a library, its operands and attributes";
  let description = [{
    What a library's op takes is a row of runtime/format/CallTable.cpp, by which
    plan.call is verified. `attributes` are integers, arrays of them, floats and
    strings; `epilogue` is a list of #plan.eltwise and #plan.binary.
  }];
  let parameters = (ins "::mlir::StringAttr":$library, "::mlir::StringAttr":$op,
                        ArrayRefParameter<"::minic::plan::OperandAttr">:$operands,
                        OptionalParameter<"::mlir::DictionaryAttr">:$attributes,
                        OptionalParameter<"::mlir::ArrayAttr">:$epilogue,
                        OptionalParameter<"::mlir::StringAttr">:$algorithm);
  let assemblyFormat = [{
    `<` $library $op `(` custom<Operands>($operands) `)`
    (`attributes` $attributes^)? (`epilogue` $epilogue^)?
    (`algorithm` $algorithm^)? `>`
  }];
  let extraClassDeclaration = [{
    /// Null where the call has none.
    TensorViewAttr view(::llvm::StringRef role) const;
    ::mlir::Attribute attribute(::llvm::StringRef name) const;
    /// Empty where the call has none.
    ::llvm::ArrayRef<::mlir::Attribute> postOps() const;
    ::llvm::StringRef algorithm() const;
  }];
}

#endif // MINIC_DIALECTS_PLAN_PLANATTRS
