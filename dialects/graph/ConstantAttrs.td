// SPDX-License-Identifier: Apache-2.0
//
// Values of constants whose elements lie elsewhere in another order. Apart from
// the other attributes: few files look into constants.

#ifndef MINIC_DIALECTS_GRAPH_CONSTANTATTRS
#define MINIC_DIALECTS_GRAPH_CONSTANTATTRS

include "dialects/graph/GraphBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"

class Graph_MovedAttr<string name, string attrMnemonic>
    : AttrDef<Graph_Dialect, name, [ElementsAttrInterface]> {
  let mnemonic = attrMnemonic;
  let genVerifyDecl = 1;
}

def Graph_TransposedAttr : Graph_MovedAttr<"Transposed", "transposed"> {
  let summary = "Another value with its dimensions permuted";
  let description = [{
    Dimension i of the value is dimension permutation[i] of `source`, as in
    `graph.transpose`. No element is moved until somebody asks for the bytes.
    ```mlir
    #graph.transposed<dense_resource<w> : tensor<8x4xf32>, [1, 0]> : tensor<4x8xf32>
    ```
  }];
  let parameters =
      (ins AttributeSelfTypeParameter<"", "::mlir::RankedTensorType">:$type,
          "::mlir::ElementsAttr":$source,
          ArrayRefParameter<"int64_t">:$permutation);
  let assemblyFormat = "`<` $source `,` `[` $permutation `]` `>`";
  let extraClassDeclaration = [{
    bool isSplat() const { return false; }
    /// `value` transposed; of one that is transposed already, the source's
    /// transpose, or the source.
    static ::mlir::ElementsAttr of(::mlir::ElementsAttr value,
                                   ::llvm::ArrayRef<int64_t> permutation);
  }];
}

def Graph_ConcatenatedAttr : Graph_MovedAttr<"Concatenated", "concatenated"> {
  let summary = "Other values one after the other along a dimension";
  let description = [{
    As `graph.concat`. No element is moved until somebody asks for the bytes.
    ```mlir
    #graph.concatenated<[dense_resource<q> : tensor<2x4xf32>, dense_resource<k> : tensor<2x4xf32>], 0> : tensor<4x4xf32>
    ```
  }];
  let parameters =
      (ins AttributeSelfTypeParameter<"", "::mlir::RankedTensorType">:$type,
          ArrayRefParameter<"::mlir::ElementsAttr">:$sources, "int64_t":$axis);
  let assemblyFormat = "`<` `[` $sources `]` `,` $axis `>`";
  let extraClassDeclaration = [{
    bool isSplat() const { return false; }
  }];
}

def Graph_ReshapedAttr : Graph_MovedAttr<"Reshaped", "reshaped"> {
  let summary = "A moved value under another shape";
  let description = [{
    As `graph.reshape` of a value whose elements lie elsewhere in another order.
    No element is moved until somebody asks for the bytes.
    ```mlir
    #graph.reshaped<#graph.concatenated<[dense_resource<g> : tensor<2x1x4xf32>, dense_resource<v> : tensor<2x1x4xf32>], 1> : tensor<2x2x4xf32>> : tensor<4x4xf32>
    ```
  }];
  let parameters =
      (ins AttributeSelfTypeParameter<"", "::mlir::RankedTensorType">:$type,
          "::mlir::ElementsAttr":$source);
  let assemblyFormat = "`<` $source `>`";
  let extraClassDeclaration = [{
    bool isSplat() const { return false; }
  }];
}

#endif // MINIC_DIALECTS_GRAPH_CONSTANTATTRS
