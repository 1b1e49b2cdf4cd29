// SPDX-License-Identifier: Apache-2.0
//
// Layouts, implementations and choices.

#ifndef MINIC_DIALECTS_KERNEL_KERNELATTRS
#define MINIC_DIALECTS_KERNEL_KERNELATTRS

include "dialects/kernel/KernelBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/TensorEncoding.td"

class Kernel_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<Kernel_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

def Kernel_LayoutAttr : Kernel_Attr<"Layout", "layout", [
    DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let summary = "How the elements of a tensor lie in memory";
  let description = [{
    A tensor encoding; no encoding means dense row-major. `padded` are the
    extents in memory of each logical dimension (at least the logical ones; the
    extra elements are zero). `order` lists logical dimensions from outermost
    to innermost. `blocks` are [dimension, size] pairs that split the innermost
    part of a dimension off and append it, outermost block first, as oneDNN's
    blocked formats do. Each `padded` extent is divisible by the product of its
    dimension's blocks. An element's offset is the row-major one over the
    physical extents: for each d of `order`, padded[d] / product of its blocks;
    then the block sizes.

    A weight [N, K] packed for panels of 32 columns and bf16 pairs of K:
    ```mlir
    #kernel.layout<order = [0, 1], blocks = [[0, 32], [1, 2]], padded = [1024, 1024]>
    ```
    is [N / 32][K / 2][32][2] in memory.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$order,
                        ArrayRefParameter<"int64_t">:$blockDims,
                        ArrayRefParameter<"int64_t">:$blockSizes,
                        ArrayRefParameter<"int64_t">:$padded);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Elements in memory, padding included.
    int64_t getNumElements() const;
    /// Extents in memory, outermost first.
    llvm::SmallVector<int64_t> getPhysicalShape() const;
  }];
}

def Kernel_ImplAttr : Kernel_Attr<"Impl", "impl"> {
  let summary = "One kernel family or library with one schedule";
  let description = [{
    `schedule` holds the family's own parameters; the family parses it into its
    schedule struct and rejects what it does not know.
    ```mlir
    #kernel.impl<family = "gemm_packed", schedule = {mr = 8, nr = 32}>
    ```
  }];
  let parameters = (ins StringRefParameter<"family or library">:$family,
                        "::mlir::DictionaryAttr":$schedule);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Kernel_PartAttr : Kernel_Attr<"Part", "part"> {
  let summary = "The implementation of some ops of a fusion";
  let description = [{
    `ops` are indices of body ops, in body order without the terminator.
    `operands` names for each operand of the part the layout it must have:
    a #kernel.layout, or `unit` for dense row-major. The operands of a part are
    the values its ops use from outside the part, in order of first use;
    results are the values others use, in body order (dense row-major).
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$ops,
                        "::minic::kernel::ImplAttr":$implementation,
                        "::mlir::ArrayAttr":$operands);
  let assemblyFormat = [{
    `<` `ops` `=` `[` $ops `]` `,` `impl` `=` qualified($implementation) `,` `operands` `=` $operands `>`
  }];
}

def Kernel_ChoiceAttr : Kernel_Attr<"Choice", "choice"> {
  let summary = "How one fusion is implemented";
  let description = [{
    `expand` has the indices of body ops, ascending, that are replaced by the
    ops of their stages first; none as a rule. `parts` partition the body as it
    is then; one part means fully fused.
  }];
  let parameters = (ins ArrayRefParameter<"::minic::kernel::PartAttr">:$parts,
                        OptionalArrayRefParameter<"int64_t">:$expand);
  let assemblyFormat = [{
    `<` `parts` `=` `[` $parts `]` (`,` `expand` `=` `[` $expand^ `]`)? `>`
  }];
}

#endif // MINIC_DIALECTS_KERNEL_KERNELATTRS
