// SPDX-License-Identifier: Apache-2.0
//
// Entries are llvm.funcs with NVVM's attributes; what a GPU kernel needs beyond
// arithmetic are NVVM ops.

#include "compiler/target/cuda/KernelAbi.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace minic::cuda {

constexpr llvm::StringLiteral kSharedSymbol = "dynamic_shared";

LLVM::LLVMPointerType globalPointer(MLIRContext *context) {
  return LLVM::LLVMPointerType::get(context, kGlobal);
}

LLVM::LLVMPointerType sharedPointer(MLIRContext *context) {
  return LLVM::LLVMPointerType::get(context, kShared);
}

KernelEntry KernelEntry::create(OpBuilder &builder, Location loc,
                                ModuleOp device, StringRef name,
                                const KernelLaunchBounds &bounds) {
  using NVVM::NVVMDialect;
  builder.setInsertionPointToEnd(device.getBody());
  MLIRContext *context = builder.getContext();
  SmallVector<Type> arguments(size_t(bounds.pointers), globalPointer(context));
  arguments.append(size_t(bounds.scalars), builder.getI64Type());
  auto firstMap = unsigned(arguments.size());
  arguments.append(size_t(bounds.tensorMaps),
                   LLVM::LLVMPointerType::get(context));
  auto type =
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context), arguments);
  auto function = LLVM::LLVMFuncOp::create(builder, loc, name, type);
  function->setAttr(NVVMDialect::getKernelFuncAttrName(),
                    builder.getUnitAttr());
  auto triple = [&](int64_t x) {
    return builder.getDenseI32ArrayAttr({int32_t(x), 1, 1});
  };
  // The block's size is fixed, which gives the assembler its register budget.
  function->setAttr(NVVMDialect::getReqntidAttrName(), triple(bounds.threads));
  if (bounds.minBlocksPerSm > 0) {
    function->setAttr(
        NVVMDialect::getMinctasmAttrName(),
        builder.getI32IntegerAttr(int32_t(bounds.minBlocksPerSm)));
  }
  if (bounds.clusterX > 0) {
    function->setAttr(NVVMDialect::getClusterDimAttrName(),
                      triple(bounds.clusterX));
  }
  // As cuda.h's CUtensorMap.
  auto map = LLVM::LLVMArrayType::get(builder.getI64Type(), 16);
  for (unsigned i = firstMap; i != arguments.size(); ++i) {
    function.setArgAttr(i, LLVM::LLVMDialect::getByValAttrName(),
                        TypeAttr::get(map));
    function.setArgAttr(i, LLVM::LLVMDialect::getAlignAttrName(),
                        builder.getI64IntegerAttr(64));
    function.setArgAttr(i, NVVMDialect::getGridConstantAttrName(),
                        builder.getUnitAttr());
  }
  Block *body = function.addEntryBlock(builder);
  builder.setInsertionPointToEnd(body);
  auto end = LLVM::ReturnOp::create(builder, loc, ValueRange());
  builder.setInsertionPoint(end);
  return {function};
}

Value dynamicShared(OpBuilder &builder, Location loc, ModuleOp device) {
  auto global = device.lookupSymbol<LLVM::GlobalOp>(kSharedSymbol);
  if (!global) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(device.getBody());
    auto type = LLVM::LLVMArrayType::get(builder.getI8Type(), 0);
    global = LLVM::GlobalOp::create(
        builder, loc, type, /*isConstant=*/false, LLVM::Linkage::External,
        kSharedSymbol, /*value=*/Attribute(), /*alignment=*/1024, kShared);
  }
  return LLVM::AddressOfOp::create(builder, loc, global);
}

Value CudaKernelBuilder::threadIdX() {
  return NVVM::ThreadIdXOp::create(b, loc, b.getI32Type());
}

Value CudaKernelBuilder::blockIdX() {
  return NVVM::BlockIdXOp::create(b, loc, b.getI32Type());
}

Value CudaKernelBuilder::blockIdY() {
  return NVVM::BlockIdYOp::create(b, loc, b.getI32Type());
}

Value CudaKernelBuilder::blockIdZ() {
  return NVVM::BlockIdZOp::create(b, loc, b.getI32Type());
}

Value CudaKernelBuilder::warpId() {
  return NVVM::ShflOp::create(b, loc, b.getI32Type(), i32(-1),
                              div(threadIdX(), 32), i32(0), i32(31),
                              NVVM::ShflKind::idx, UnitAttr());
}

Value CudaKernelBuilder::laneId() { return rem(threadIdX(), 32); }

void CudaKernelBuilder::barrier() { NVVM::BarrierOp::create(b, loc); }

void CudaKernelBuilder::clusterBarrier() {
  arriveAtCluster();
  awaitCluster();
}

void CudaKernelBuilder::arriveAtCluster(bool ordersMemory) {
  if (ordersMemory) {
    NVVM::ClusterArriveOp::create(b, loc, b.getUnitAttr());
  } else {
    NVVM::ClusterArriveRelaxedOp::create(b, loc, b.getUnitAttr());
  }
}

void CudaKernelBuilder::awaitCluster() {
  NVVM::ClusterWaitOp::create(b, loc, b.getUnitAttr());
}

Value CudaKernelBuilder::ofClusterBlock(Value shared, Value rank) {
  auto type = LLVM::LLVMPointerType::get(
      b.getContext(), unsigned(NVVM::NVVMMemorySpace::SharedCluster));
  return NVVM::MapaOp::create(b, loc, type, shared, rank);
}

Value CudaKernelBuilder::inCluster(Value shared) {
  auto type = LLVM::LLVMPointerType::get(
      b.getContext(), unsigned(NVVM::NVVMMemorySpace::SharedCluster));
  return LLVM::AddrSpaceCastOp::create(b, loc, type, shared);
}

void CudaKernelBuilder::prefetchToL2(Value pointer) {
  auto level = NVVM::PrefetchCacheLevelAttr::get(b.getContext(),
                                                 NVVM::PrefetchCacheLevel::L2);
  NVVM::PrefetchOp::create(b, loc, level, NVVM::CacheEvictionPriorityAttr(),
                           pointer, /*predicate=*/Value(),
                           /*tensormap=*/UnitAttr());
}

void CudaKernelBuilder::waitForEarlierLaunches(bool programmatic) {
  if (programmatic) {
    NVVM::GriddepcontrolOp::create(b, loc, NVVM::GridDepActionKind::wait);
  }
}

void CudaKernelBuilder::allowLaterLaunches(bool programmatic) {
  if (programmatic) {
    NVVM::GriddepcontrolOp::create(b, loc,
                                   NVVM::GridDepActionKind::launch_dependents);
  }
}

void CudaKernelBuilder::ifThen(Value condition,
                               llvm::function_ref<void()> then) {
  auto branch = scf::IfOp::create(b, loc, condition, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  then();
}

void CudaKernelBuilder::ifElse(Value condition, llvm::function_ref<void()> then,
                               llvm::function_ref<void()> otherwise) {
  auto branch = scf::IfOp::create(b, loc, condition, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  then();
  b.setInsertionPointToStart(branch.elseBlock());
  otherwise();
}

Value CudaKernelBuilder::equal(Value lhs, int64_t rhs) {
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, lhs,
                               integer(lhs.getType(), rhs));
}

Value CudaKernelBuilder::lessThan(Value lhs, Value rhs) {
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, lhs, rhs);
}

Value CudaKernelBuilder::lessThan(Value lhs, int64_t rhs) {
  return lessThan(lhs, integer(lhs.getType(), rhs));
}

static int64_t bytesOf(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  Type element = vector ? vector.getElementType() : type;
  int64_t count = vector ? vector.getNumElements() : 1;
  return count * int64_t(element.getIntOrFloatBitWidth()) / 8;
}

/// Allocations are aligned to 16 bytes at least, and vectors beyond that are
/// several accesses.
static unsigned alignmentOf(Type type) {
  return unsigned(std::min<int64_t>(bytesOf(type), 16));
}

Value CudaKernelBuilder::loadAligned(Type type, Value pointer, bool readOnly) {
  auto load = LLVM::LoadOp::create(b, loc, type, pointer, alignmentOf(type));
  load.setInvariant(readOnly);
  return load;
}

void CudaKernelBuilder::storeAligned(Value value, Value pointer) {
  LLVM::StoreOp::create(b, loc, value, pointer, alignmentOf(value.getType()));
}

/// Assembly that no op stands for, with at most one result.
static LLVM::InlineAsmOp assemble(CudaKernelBuilder &k, Type result,
                                  ValueRange operands, const std::string &text,
                                  StringRef constraints, bool writes) {
  return LLVM::InlineAsmOp::create(k.b, k.loc, result, operands, text,
                                   constraints, /*has_side_effects=*/writes,
                                   /*is_align_stack=*/false,
                                   LLVM::TailCallKind::None,
                                   /*asm_dialect=*/nullptr,
                                   /*operand_attrs=*/nullptr);
}

Value CudaKernelBuilder::evictFirst() {
  return assemble(*this, b.getI64Type(), {},
                  "createpolicy.fractional.L2::evict_first.b64 $0, 1.0;", "=l",
                  /*writes=*/false)
      .getRes();
}

void CudaKernelBuilder::storeByPolicy(Value value, Value pointer,
                                      Value policy) {
  int64_t bytes = bytesOf(value.getType());
  if (!policy || bytes % 4 != 0) {
    return storeAligned(value, pointer);
  }
  // Vectors beyond 16 bytes are several accesses.
  int64_t words = bytes / 4, atOnce = std::min<int64_t>(words, 4);
  Type word = b.getI32Type();
  Value all = LLVM::BitcastOp::create(
      b, loc, words == 1 ? word : Type(VectorType::get(words, word)), value);
  for (int64_t first = 0; first != words; first += atOnce) {
    SmallVector<Value> operands = {advance(pointer, first, word)};
    std::string list, constraints = "l,";
    for (int64_t i = 0; i != atOnce; ++i) {
      operands.push_back(words == 1 ? all
                                    : LLVM::ExtractElementOp::create(
                                          b, loc, all, i32(first + i)));
      list += (i == 0 ? "$" : ", $") + std::to_string(i + 1);
      constraints += "r,";
    }
    operands.push_back(policy);
    std::string count = atOnce == 1 ? "" : ".v" + std::to_string(atOnce);
    assemble(*this, LLVM::LLVMVoidType::get(b.getContext()), operands,
             "st.global.L2::cache_hint" + count + ".b32 [$0], {" + list +
                 "}, $" + std::to_string(atOnce + 1) + ";",
             constraints + "l,~{memory}", /*writes=*/true);
  }
}

} // namespace minic::cuda
