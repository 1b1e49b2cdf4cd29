// SPDX-License-Identifier: Apache-2.0
//
// kernel.fusion and what stands between fusions.

#ifndef MINIC_DIALECTS_KERNEL_KERNELOPS
#define MINIC_DIALECTS_KERNEL_KERNELOPS

include "dialects/kernel/KernelAttrs.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Kernel_Op<string mnemonic, list<Trait> traits = []>
    : Op<Kernel_Dialect, mnemonic, traits>;

def Kernel_FusionOp : Kernel_Op<"fusion", [
    Pure, IsolatedFromAbove, SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "Graph ops that are decided together";
  let description = [{
    Tensors in, one or more tensors out; the body holds graph ops and ends in
    `kernel.yield`. It does not say how many launches the ops become. Block
    arguments have the operands' types without layout encoding. Before
    `kernel-realize` a fusion may carry `choice`; after it, `impl`: exactly one
    implementation of the whole body.
    ```mlir
    %0 = kernel.fusion (%x0 = %x : tensor<4x8xf32>, %w0 = %w : tensor<16x8xf32>)
        -> tensor<4x16xf32> {
      %1 = graph.linear %x0, %w0
        : (tensor<4x8xf32>, tensor<16x8xf32>) -> tensor<4x16xf32>
      %2 = graph.relu %1 : tensor<4x16xf32>
      kernel.yield %2 : tensor<4x16xf32>
    }
    ```
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$inputs,
                       OptionalAttr<Kernel_ChoiceAttr>:$choice,
                       OptionalAttr<Kernel_ImplAttr>:$impl);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The body's ops without the terminator, in order.
    llvm::SmallVector<mlir::Operation *> getBodyOps();
    YieldOp getYield();
  }];
}

def Kernel_YieldOp : Kernel_Op<"yield", [
    Pure, ReturnLike, Terminator, ParentOneOf<["FusionOp"]>]> {
  let summary = "Ends the body of a kernel.fusion with its results";
  let arguments = (ins Variadic<AnyRankedTensor>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
  let builders = [OpBuilder<(ins), [{ /* yields nothing */ }]>];
}

def Kernel_RelayoutOp : Kernel_Op<"relayout", [Pure]> {
  let summary = "The same elements in another layout";
  let description = [{
    Of a constant it folds into the constant's type (the packer runs when the
    artifact is written); of an activation it becomes a generated kernel.
    ```mlir
    %1 = kernel.relayout %0 : tensor<4x8xf32>
      to tensor<4x8xf32, #kernel.layout<order = [1, 0], blocks = [], padded = [4, 8]>>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$input);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `to` type($result)";
  let hasVerifier = 1;
}

#endif // MINIC_DIALECTS_KERNEL_KERNELOPS
