// SPDX-License-Identifier: Apache-2.0
//
// Constants, and ops that move elements without computing.

#ifndef MINIC_DIALECTS_GRAPH_GRAPHLAYOUTOPS
#define MINIC_DIALECTS_GRAPH_GRAPHLAYOUTOPS

include "dialects/graph/GraphBase.td"
include "dialects/graph/GraphInterfaces.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Graph_ConstantOp : Graph_Op<"constant", [Pure, ConstantLike]> {
  let summary = "A tensor known at compile time, by name, by value, or both";
  let description = [{
    A named constant is an entry of the model's `.safetensors` file; importing
    attaches its bytes as `value` (a resource that points into the mapped
    file, never text) and keeps the name. Without `value` the bytes are
    supplied later: by import, or in a problem by whoever measures it.

    A result type with a `#kernel.layout` encoding says how the bytes are laid
    out in the artifact; `value` itself is always dense row-major, and the
    packer runs when the artifact is written.
    ```mlir
    %w = graph.constant @"linear1.weight" : tensor<1024x1024xf32>
    %c = graph.constant dense<[1.0, 2.0]> : tensor<2xf32>
    ```
  }];
  let arguments = (ins OptionalAttr<FlatSymbolRefAttr>:$source,
                       OptionalAttr<ElementsAttr>:$value);
  let results = (outs AnyRankedTensor:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasFolder = 1;
  let builders = [OpBuilder<(ins "::mlir::ElementsAttr":$value)>];
}

def Graph_ReshapeOp : Graph_Op<"reshape", [
    Pure, DeclareOpInterfaceMethods<Graph_FusibleOpInterface>]> {
  let summary = "Same elements in row-major order under another shape";
  let description = [{
    ```mlir
    %0 = graph.reshape %x : tensor<4x8xf32> to tensor<2x16xf32>
    ```
  }];
  let arguments = (ins Graph_StoredTensor:$input);
  let results = (outs Graph_StoredTensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `to` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Graph_TransposeOp : Graph_Op<"transpose", [
    Pure, DeclareOpInterfaceMethods<InferTypeOpInterface>,
    DeclareOpInterfaceMethods<Graph_FusibleOpInterface>]> {
  let summary = "Permutes dimensions: result dim i is input dim permutation[i]";
  let description = [{
    ```mlir
    %0 = graph.transpose %x [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
    ```
  }];
  let arguments = (ins Graph_StoredTensor:$input, DenseI64ArrayAttr:$permutation);
  let results = (outs Graph_StoredTensor:$result);
  let assemblyFormat = [{
    $input $permutation attr-dict `:` type($input) `->` type($result)
  }];
  let hasCanonicalizer = 1;
  let hasFolder = 1;
}

#endif // MINIC_DIALECTS_GRAPH_GRAPHLAYOUTOPS
