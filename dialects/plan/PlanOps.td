// SPDX-License-Identifier: Apache-2.0
//
// The host program: functions, variants, addresses and commands.

#ifndef MINIC_DIALECTS_PLAN_PLANOPS
#define MINIC_DIALECTS_PLAN_PLANOPS

include "dialects/plan/PlanAttrs.td"
include "dialects/kernel/KernelAttrs.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/SymbolInterfaces.td"

//===----------------------------------------------------------------------===//
// Structure
//===----------------------------------------------------------------------===//

def Plan_FunctionOp : Plan_Op<"function", [
    Symbol, IsolatedFromAbove, NoTerminator, SingleBlock]> {
  let summary = "format.Function: a signature and its variants";
  let arguments = (ins SymbolNameAttr:$sym_name, ArrayAttr:$inputs,
                       ArrayAttr:$outputs, I64Attr:$flops,
                       OptionalAttr<Plan_BucketAttr>:$bucket);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $sym_name `inputs` $inputs `outputs` $outputs `flops` `=` $flops
    (`bucket` $bucket^)? attr-dict-with-keyword custom<Block>($body)
  }];
  let hasVerifier = 1;
}

def Plan_VariantOp : Plan_Op<"variant", [NoTerminator, HasParent<"FunctionOp">]> {
  let summary = "format.Variant: one plan for a target, an ISA and threads";
  let description = [{
    The `run` region's commands are in a valid serial order; `prepare` runs
    once per Program. `plan-assign-buffers` sets `arena_bytes`, `zeroed_bytes`,
    `status`, the offset of the status word, and `sizes`, those of words with a
    run's sizes.
  }];
  let arguments = (ins StrAttr:$target, StrArrayAttr:$isa, I64Attr:$threads,
                       OptionalAttr<I64Attr>:$arena_bytes,
                       OptionalAttr<I64Attr>:$zeroed_bytes,
                       OptionalAttr<I64Attr>:$status,
                       OptionalAttr<Plan_SizeWordArrayAttr>:$sizes,
                       OptionalAttr<Plan_GraphVerdictAttr>:$graph,
                       OptionalAttr<StrAttr>:$evidence);
  let regions = (region SizedRegion<1>:$prepare, SizedRegion<1>:$run);
  let assemblyFormat = [{
    $target `isa` $isa `threads` `=` $threads attr-dict-with-keyword
    `prepare` custom<Block>($prepare) `run` custom<Block>($run)
  }];
  let hasVerifier = 1;
}

def Plan_ConstantOp : Plan_Op<"constant", [Symbol]> {
  let summary = "format.Constant: bytes of the artifact's constants section";
  let description = [{
    `type` carries the layout as encoding; `value` is dense row-major and is
    packed when the artifact is written. Without `value` it is external.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttr:$type,
                       OptionalAttr<ElementsAttr>:$value);
  let assemblyFormat = "$sym_name `:` $type (`=` $value^)? attr-dict";
  let hasVerifier = 1;
}

def Plan_KernelOp : Plan_Op<"kernel", [
    Symbol, IsolatedFromAbove, SingleBlock, NoTerminator]> {
  let summary = "A kernel to be generated: one kernel.fusion with an impl";
  let description = [{
    The body holds a single `kernel.fusion` (or `kernel.relayout`) on block
    arguments, whose types carry the layouts. `entries` are the symbols that
    launches name: a family may lower one fusion to several. Codegen turns all
    kernels of a target into one plan.binary and erases them.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, StrAttr:$target,
                       StrArrayAttr:$entries);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $sym_name `target` $target `entries` $entries attr-dict-with-keyword custom<Block>($body)
  }];
  let hasVerifier = 1;
}

def Plan_BinaryOp : Plan_Op<"binary", [Symbol]> {
  let summary = "format.Binary: device code";
  let arguments = (ins SymbolNameAttr:$sym_name, StrAttr:$kind, StrAttr:$arch,
                       ElementsAttr:$data);
  let assemblyFormat = "$sym_name $kind $arch `=` $data attr-dict";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

class Plan_AddressOp<string mnemonic> : Plan_Op<mnemonic, [Pure]> {
  let results = (outs Plan_AddressType:$result);
}

def Plan_InputOp : Plan_AddressOp<"input"> {
  let summary = "The caller's input number index";
  let arguments = (ins I64Attr:$index);
  let assemblyFormat = "$index attr-dict";
  let hasVerifier = 1;
}
def Plan_OutputOp : Plan_AddressOp<"output"> {
  let summary = "The caller's output number index";
  let arguments = (ins I64Attr:$index);
  let assemblyFormat = "$index attr-dict";
  let hasVerifier = 1;
}
def Plan_ConstantAddressOp : Plan_AddressOp<"constant_address"> {
  let summary = "A constant of the artifact";
  let arguments = (ins FlatSymbolRefAttr:$constant);
  let assemblyFormat = "$constant attr-dict";
}
def Plan_BufferOp : Plan_Op<"buffer", []> {
  let summary = "Memory in the arena";
  let description = [{
    Live from the first to the last command that uses it or a view of it.
    `plan-assign-buffers` sets `offset`. A `zeroed` buffer holds zeros when a
    run starts and is the kernel's to leave so; nothing else is placed there.
    The `status` buffer, one of a variant and `zeroed`, is the 32-bit word that
    kernels set where an index was out of range. The `size_of` buffer of a padded
    dimension of the bucket, `zeroed`, is the 32-bit word in which kernels find how
    many rows of it the run has; 0 stands for all.
  }];
  let arguments = (ins I64Attr:$bytes, DefaultValuedAttr<I64Attr, "64">:$alignment,
                       UnitAttr:$zeroed,
                       OptionalAttr<I64Attr>:$offset, UnitAttr:$status,
                       OptionalAttr<StrAttr>:$size_of);
  let results = (outs Plan_AddressType:$result);
  let assemblyFormat = "$bytes attr-dict";
  let hasVerifier = 1;
}
def Plan_ViewOp : Plan_AddressOp<"view"> {
  let summary = "An address some bytes further";
  let arguments = (ins Plan_AddressType:$base, I64Attr:$offset);
  let assemblyFormat = "$base `+` $offset attr-dict";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Commands
//===----------------------------------------------------------------------===//

/// `depends` lists the positions, among the region's commands, of those that
/// must be complete before this one starts; plan-order-commands sets it.
class Plan_CommandOp<string mnemonic, list<Trait> traits = []>
    : Plan_Op<mnemonic, traits>;

def Plan_LaunchOp : Plan_CommandOp<"launch", [AttrSizedOperandSegments]> {
  let summary = "format.Launch: a generated kernel over a grid of tiles";
  let description = [{
    `access` says for each address whether the kernel reads or writes it.
    Scalars follow the addresses in the kernel's parameter list, and tensor maps
    those. `binary` may be absent where the module has one. `block`, `cluster`,
    `shared_bytes`, `programmatic` and `tensor_maps` are of GPUs; see
    runtime/format/plan.fbs.
  }];
  let arguments = (ins StrAttr:$entry, DenseI64ArrayAttr:$grid,
                       Variadic<Plan_AddressType>:$addresses,
                       Plan_AccessArrayAttr:$access,
                       DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$scalars,
                       Optional<Plan_AddressType>:$scratch,
                       DefaultValuedAttr<I64Attr, "0">:$scratch_bytes,
                       OptionalAttr<FlatSymbolRefAttr>:$binary,
                       DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$block,
                       DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$cluster,
                       DefaultValuedAttr<I64Attr, "0">:$shared_bytes,
                       UnitAttr:$programmatic,
                       OptionalAttr<Plan_TensorMapArrayAttr>:$tensor_maps,
                       OptionalAttr<StrAttr>:$label,
                       OptionalAttr<DenseI32ArrayAttr>:$depends);
  let assemblyFormat = [{
    $entry `grid` $grid `(` $addresses `)` `access` $access
    (`scratch` $scratch^)? attr-dict
  }];
  // What every launch has; the rest is set where a target needs it.
  let builders = [OpBuilder<(ins
      "::mlir::StringAttr":$entry, "::llvm::ArrayRef<int64_t>":$grid,
      "::mlir::ValueRange":$addresses,
      "::llvm::ArrayRef<::mlir::Attribute>":$access,
      "::mlir::StringAttr":$label,
      CArg<"::mlir::Value", "{}">:$scratch,
      CArg<"int64_t", "0">:$scratchBytes)>];
  let hasVerifier = 1;
}

def Plan_CallOp : Plan_CommandOp<"call", [AttrSizedOperandSegments]> {
  let summary = "format.Call: a library call";
  let arguments = (ins Plan_LibraryCallAttr:$descriptor, Variadic<Plan_AddressType>:$addresses,
                       Plan_AccessArrayAttr:$access,
                       Optional<Plan_AddressType>:$scratch,
                       DefaultValuedAttr<I64Attr, "0">:$scratch_bytes,
                       OptionalAttr<StrAttr>:$library_version,
                       OptionalAttr<StrAttr>:$label,
                       OptionalAttr<DenseI32ArrayAttr>:$depends);
  let assemblyFormat = [{
    $descriptor `(` $addresses `)` `access` $access
    (`scratch` $scratch^)? attr-dict
  }];
  let hasVerifier = 1;
}

def Plan_CopyOp : Plan_CommandOp<"copy"> {
  let summary = "format.Copy";
  let arguments = (ins Plan_AddressType:$destination, Plan_AddressType:$source,
                       I64Attr:$bytes, OptionalAttr<StrAttr>:$label,
                       OptionalAttr<DenseI32ArrayAttr>:$depends);
  let assemblyFormat = "$destination `,` $source `bytes` `=` $bytes attr-dict";
  let hasVerifier = 1;
}

def Plan_FillOp : Plan_CommandOp<"fill"> {
  let summary = "format.Fill";
  let arguments = (ins Plan_AddressType:$destination, I64Attr:$value,
                       I64Attr:$bytes, OptionalAttr<StrAttr>:$label,
                       OptionalAttr<DenseI32ArrayAttr>:$depends);
  let assemblyFormat = [{
    $destination `value` `=` $value `bytes` `=` $bytes attr-dict
  }];
  let hasVerifier = 1;
}

#endif // MINIC_DIALECTS_PLAN_PLANOPS
