// SPDX-License-Identifier: Apache-2.0
//
// As the PTX ISA describes wgmma and its shared memory matrix layouts. No use
// of a register that passes through inline assembly can come before it.

#include "compiler/target/cuda/Wgmma.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace minic::cuda {

Value wgmmaDescriptor(CudaKernelBuilder &k, Value address, int64_t rowBytes,
                      int64_t slabBytes) {
  // 14 bits hold any address of shared memory: places of a ring are added
  // without a carry. Then bytes from 8 rows to the next 8, and the swizzle.
  int64_t swizzle = rowBytes == 128 ? 1 : rowBytes == 64 ? 2 : 3;
  uint64_t constant = uint64_t(slabBytes / kWgmmaUnit) << 16 |
                      uint64_t(8 * rowBytes / kWgmmaUnit) << 32 |
                      uint64_t(swizzle) << 62;
  return k.add(k.rem(k.div(address, kWgmmaUnit), 1 << 14), int64_t(constant));
}

/// `values` pass through `text`.
static void passThrough(CudaKernelBuilder &k, StringRef text,
                        MutableArrayRef<Value> values) {
  std::string results, operands;
  SmallVector<Type> types;
  for (auto [i, value] : llvm::enumerate(values)) {
    types.push_back(value.getType());
    results += types.back().isF32() ? "=f," : "=r,";
    operands += std::to_string(i) + ",";
  }
  auto type = LLVM::LLVMStructType::getLiteral(k.b.getContext(), types);
  auto passed = LLVM::InlineAsmOp::create(
      k.b, k.loc, type, values, text, results + operands + "~{memory}",
      /*has_side_effects=*/true, /*is_align_stack=*/false,
      LLVM::tailcallkind::TailCallKind::None, /*asm_dialect=*/nullptr,
      /*operand_attrs=*/nullptr);
  for (auto [i, value] : llvm::enumerate(values)) {
    value =
        LLVM::ExtractValueOp::create(k.b, k.loc, passed.getRes(), int64_t(i));
  }
}

void fenceWgmma(CudaKernelBuilder &k, MutableArrayRef<Value> registers) {
  if (registers.empty()) {
    NVVM::WgmmaFenceAlignedOp::create(k.b, k.loc);
  } else {
    passThrough(k, "wgmma.fence.sync.aligned;", registers);
  }
}

void awaitWgmma(CudaKernelBuilder &k, int64_t groups,
                MutableArrayRef<Value> sums) {
  passThrough(
      k, "wgmma.wait_group.sync.aligned " + std::to_string(groups) + ";", sums);
}

void fenceProxy(CudaKernelBuilder &k) {
  NVVM::FenceProxyOp::create(
      k.b, k.loc, NVVM::ProxyKind::async_shared,
      NVVM::SharedSpaceAttr::get(k.b.getContext(),
                                 NVVM::SharedSpace::shared_cta));
}

} // namespace minic::cuda
