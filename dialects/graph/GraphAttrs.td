// SPDX-License-Identifier: Apache-2.0
//
// Enums of the graph dialect.

#ifndef MINIC_DIALECTS_GRAPH_GRAPHATTRS
#define MINIC_DIALECTS_GRAPH_GRAPHATTRS

include "dialects/graph/GraphBase.td"
include "mlir/IR/EnumAttr.td"

def Graph_ComparePredicate
    : I32EnumAttr<"ComparePredicate", "ordered comparison of two numbers", [
        I32EnumAttrCase<"Eq", 0, "eq">, I32EnumAttrCase<"Ne", 1, "ne">,
        I32EnumAttrCase<"Lt", 2, "lt">, I32EnumAttrCase<"Le", 3, "le">,
        I32EnumAttrCase<"Gt", 4, "gt">, I32EnumAttrCase<"Ge", 5, "ge">]> {
  let cppNamespace = "::minic::graph";
  let genSpecializedAttr = 0;
}
def Graph_ComparePredicateAttr
    : EnumAttr<Graph_Dialect, Graph_ComparePredicate, "predicate"> {
  let assemblyFormat = "$value";
}

def Graph_ReduceKind
    : I32EnumAttr<"ReduceKind", "what a reduction makes of its elements", [
        I32EnumAttrCase<"Sum", 0, "sum">, I32EnumAttrCase<"Mean", 1, "mean">,
        I32EnumAttrCase<"Max", 2, "max">, I32EnumAttrCase<"Min", 3, "min">,
        I32EnumAttrCase<"Prod", 4, "prod">]> {
  let cppNamespace = "::minic::graph";
  let genSpecializedAttr = 0;
}
def Graph_ReduceKindAttr
    : EnumAttr<Graph_Dialect, Graph_ReduceKind, "reduce_kind"> {
  let assemblyFormat = "$value";
}

def Graph_GeluApproximation
    : I32EnumAttr<"GeluApproximation", "which gelu is meant, as PyTorch names it", [
        I32EnumAttrCase<"None", 0, "none">,
        I32EnumAttrCase<"Tanh", 1, "tanh">]> {
  let cppNamespace = "::minic::graph";
  let genSpecializedAttr = 0;
}
def Graph_GeluApproximationAttr
    : EnumAttr<Graph_Dialect, Graph_GeluApproximation, "approximation"> {
  let assemblyFormat = "`<` $value `>`";
}

def Graph_Extreme
    : I32EnumAttr<"Extreme", "which end of an order", [
        I32EnumAttrCase<"Max", 0, "max">, I32EnumAttrCase<"Min", 1, "min">]> {
  let cppNamespace = "::minic::graph";
  let genSpecializedAttr = 0;
}
def Graph_ExtremeAttr : EnumAttr<Graph_Dialect, Graph_Extreme, "extreme"> {
  let assemblyFormat = "$value";
}

def Graph_Causal
    : I32EnumAttr<"Causal", "where queries are among the keys before them", [
        I32EnumAttrCase<"None", 0, "none">,
        I32EnumAttrCase<"UpperLeft", 1, "upper_left">,
        I32EnumAttrCase<"LowerRight", 2, "lower_right">]> {
  let cppNamespace = "::minic::graph";
  let genSpecializedAttr = 0;
}
def Graph_CausalAttr : EnumAttr<Graph_Dialect, Graph_Causal, "causal"> {
  let assemblyFormat = "`<` $value `>`";
}

def Graph_PadMode
    : I32EnumAttr<"PadMode", "what stands before and after a tensor", [
        I32EnumAttrCase<"Constant", 0, "constant">,
        I32EnumAttrCase<"Reflect", 1, "reflect">,
        I32EnumAttrCase<"Edge", 2, "edge">]> {
  let cppNamespace = "::minic::graph";
  let genSpecializedAttr = 0;
}
def Graph_PadModeAttr : EnumAttr<Graph_Dialect, Graph_PadMode, "pad_mode"> {
  let assemblyFormat = "`<` $value `>`";
}

def Graph_PoolKind
    : I32EnumAttr<"PoolKind", "what a pool makes of a window", [
        I32EnumAttrCase<"Max", 0, "max">,
        I32EnumAttrCase<"Average", 1, "average">,
        I32EnumAttrCase<"Sum", 2, "sum">]> {
  let cppNamespace = "::minic::graph";
  let genSpecializedAttr = 0;
}
def Graph_PoolKindAttr : EnumAttr<Graph_Dialect, Graph_PoolKind, "pool_kind"> {
  let assemblyFormat = "$value";
}

def Graph_ResizeMode
    : I32EnumAttr<"ResizeMode", "which elements a resized one is made of", [
        I32EnumAttrCase<"Nearest", 0, "nearest">,
        I32EnumAttrCase<"Bilinear", 1, "bilinear">]> {
  let cppNamespace = "::minic::graph";
  let genSpecializedAttr = 0;
}
def Graph_ResizeModeAttr
    : EnumAttr<Graph_Dialect, Graph_ResizeMode, "resize_mode"> {
  let assemblyFormat = "$value";
}

def Graph_ResizeRule
    : I32EnumAttr<"ResizeRule", "where a resized element is in the input", [
        I32EnumAttrCase<"HalfPixel", 0, "half_pixel">,
        I32EnumAttrCase<"AlignCorners", 1, "align_corners">,
        I32EnumAttrCase<"Asymmetric", 2, "asymmetric">]> {
  let cppNamespace = "::minic::graph";
  let genSpecializedAttr = 0;
}
def Graph_ResizeRuleAttr
    : EnumAttr<Graph_Dialect, Graph_ResizeRule, "resize_rule"> {
  let assemblyFormat = "$value";
}

def Graph_ImageLayout
    : I32EnumAttr<"ImageLayout", "order of an image tensor's dimensions", [
        I32EnumAttrCase<"NCHW", 0, "nchw">,
        I32EnumAttrCase<"NHWC", 1, "nhwc">]> {
  let cppNamespace = "::minic::graph";
  let genSpecializedAttr = 0;
}
/// Stored as its name: `layout = "nhwc"`.
def Graph_ImageLayoutAttr
    : Attr<CPred<"::llvm::isa<::mlir::StringAttr>($_self) && "
                 "::minic::graph::symbolizeImageLayout("
                 "::llvm::cast<::mlir::StringAttr>($_self).getValue())">,
           "\"nchw\" or \"nhwc\""> {
  let storageType = "::mlir::StringAttr";
  let returnType = "::minic::graph::ImageLayout";
  let convertFromStorage =
      "*::minic::graph::symbolizeImageLayout($_self.getValue())";
  let constBuilderCall =
      "$_builder.getStringAttr(::minic::graph::stringifyImageLayout($0))";
}

#endif // MINIC_DIALECTS_GRAPH_GRAPHATTRS
