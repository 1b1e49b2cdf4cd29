// SPDX-License-Identifier: Apache-2.0
//
// plan-assign-buffers: when each buffer is needed; where it lies is
// PlaceBuffers'.

#include "passes/plan/Passes.h"

#include "dialects/plan/Commands.h"
#include "passes/support/PlaceBuffers.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/DebugLog.h"
#include "llvm/Support/MathExtras.h"

#define DEBUG_TYPE "plan-assign-buffers"

namespace minic::plan {
#define GEN_PASS_DEF_ASSIGNBUFFERS
#include "passes/plan/Passes.h.inc"
} // namespace minic::plan

using namespace mlir;
using namespace minic;
using namespace minic::plan;

/// The arena starts at a multiple of this many bytes, and is as long.
static constexpr int64_t arenaAlignment = 64;
/// A line of a GPU's L2, which a warp's whole accesses must not straddle.
/// Buffers of fewer bytes than the second pack densely: 64 bytes lost between
/// them made arenas of small models a fifth larger.
static constexpr int64_t gpuLine = 128, leastInLines = 4096;

namespace {

struct Buffer {
  BufferOp op;
  BufferLife life;
};

} // namespace

/// The buffers of `commands` in order of first use, zeroed ones before others.
static SmallVector<Buffer> getLifetimes(ArrayRef<Operation *> commands) {
  llvm::MapVector<Operation *, Buffer> buffers;
  for (auto [position, command] : llvm::enumerate(commands)) {
    for (CommandAccess access : getAccesses(command)) {
      auto op = dyn_cast<BufferOp>(resolveAddress(access.address).base);
      if (op) {
        int64_t now = position;
        BufferLife life{int64_t(op.getBytes()), int64_t(op.getAlignment()), now,
                        now};
        buffers.insert({op, {op, life}}).first->second.life.last = now;
      }
    }
  }
  SmallVector<Buffer> ordered;
  for (bool zeroed : {true, false}) {
    for (auto &[op, buffer] : buffers) {
      if (buffer.op.getZeroed() == zeroed) {
        ordered.push_back(buffer);
      }
    }
  }
  return ordered;
}

/// Places `zeroed` buffers side by side, largest first, and returns their end.
static int64_t placeZeroed(MutableArrayRef<Buffer> zeroed,
                           SmallVectorImpl<int64_t> &offsets) {
  llvm::sort(zeroed, [](const Buffer &a, const Buffer &b) {
    return std::pair(-a.life.bytes, a.life.first) <
           std::pair(-b.life.bytes, b.life.first);
  });
  int64_t end = 0;
  for (const Buffer &buffer : zeroed) {
    offsets.push_back(llvm::alignTo(end, buffer.life.alignment));
    end = offsets.back() + buffer.life.bytes;
  }
  return end;
}

namespace {

/// The zeroed parts of arenas that one Context shares, side by side: buffers of
/// one function must not lie where another's counters stay zero.
struct ZeroedPart {
  int64_t begin = 0, all = 0; // bytes
};

struct AssignBuffers : plan::impl::AssignBuffersBase<AssignBuffers> {
  using AssignBuffersBase::AssignBuffersBase;

  void runOnOperation() override {
    SmallVector<Arena> arenas;
    for (auto function : getOperation().getOps<FunctionOp>()) {
      for (auto [index, variant] :
           llvm::enumerate(function.getBody().getOps<VariantOp>())) {
        arenas.push_back(findBuffers(variant, function, index));
      }
    }
    llvm::StringMap<int64_t> ends; // by entry and variant
    for (Arena &arena : arenas) {
      arena.zeroed.begin =
          llvm::alignTo(ends[arena.key], arena.zeroedAlignment);
      ends[arena.key] =
          llvm::alignTo(arena.zeroed.begin + arena.zeroedBytes, arenaAlignment);
    }
    for (Arena &arena : arenas) {
      arena.zeroed.all = ends[arena.key];
      assign(arena);
    }
  }

private:
  struct Arena {
    VariantOp variant;
    std::string key;
    SmallVector<Buffer> buffers;
    size_t zeroedCount;
    SmallVector<int64_t> offsets; // of the zeroed ones, from its begin
    int64_t zeroedBytes, zeroedAlignment = arenaAlignment;
    ZeroedPart zeroed;
  };

  static Arena findBuffers(VariantOp variant, FunctionOp function,
                           size_t index) {
    Arena arena;
    arena.variant = variant;
    BucketAttr bucket = function.getBucketAttr();
    // Functions of no entry share with nobody.
    arena.key = bucket ? "entry " + bucket.getEntry().str()
                       : "function " + function.getSymName().str();
    arena.key += "/" + std::to_string(index);
    arena.buffers = getLifetimes(getCommands(variant.getRun().front()));
    arena.zeroedCount = llvm::count_if(
        arena.buffers, [](Buffer &buffer) { return buffer.op.getZeroed(); });
    MutableArrayRef<Buffer> zeroed =
        MutableArrayRef(arena.buffers).take_front(arena.zeroedCount);
    if (variant.getTarget() == "cuda") {
      for (Buffer &buffer :
           MutableArrayRef(arena.buffers).drop_front(arena.zeroedCount)) {
        if (buffer.life.bytes >= leastInLines) {
          buffer.life.alignment = std::max(buffer.life.alignment, gpuLine);
        }
      }
    }
    arena.zeroedBytes = placeZeroed(zeroed, arena.offsets);
    for (const Buffer &buffer : zeroed) {
      arena.zeroedAlignment =
          std::max(arena.zeroedAlignment, buffer.life.alignment);
    }
    return arena;
  }

  void assign(Arena &arena) {
    VariantOp variant = arena.variant;
    SmallVector<Buffer> &buffers = arena.buffers;
    // Zeroed buffers lie at the start, where nothing else ever comes: runs
    // leave them zero.
    SmallVector<int64_t> offsets;
    for (int64_t offset : arena.offsets) {
      offsets.push_back(arena.zeroed.begin + offset);
    }
    int64_t zeroed = arena.zeroed.all;
    SmallVector<BufferLife> lives;
    int64_t alignment = arenaAlignment;
    for (const Buffer &buffer : llvm::drop_begin(buffers, arena.zeroedCount)) {
      lives.push_back(buffer.life);
      alignment = std::max(alignment, buffer.life.alignment);
    }
    int64_t start = llvm::alignTo(zeroed, alignment);
    PlacedBuffers placed = placeBuffers(lives);
    for (int64_t offset : placed.offsets) {
      offsets.push_back(start + offset);
    }
    Builder builder(variant.getContext());
    int64_t sum = 0, live = getLiveBytes(lives);
    SmallVector<Attribute> sizes;
    for (auto [buffer, offset] : llvm::zip_equal(buffers, offsets)) {
      buffer.op.setOffsetAttr(builder.getI64IntegerAttr(offset));
      if (buffer.op.getStatus()) {
        variant.setStatusAttr(buffer.op.getOffsetAttr());
      }
      if (StringAttr dim = buffer.op.getSizeOfAttr()) {
        sizes.push_back(SizeWordAttr::get(dim.getContext(), dim, offset));
      }
      sum += buffer.life.bytes;
      live += buffer.op.getZeroed() ? buffer.life.bytes : 0;
      LDBG() << buffer.life.bytes << " bytes, live " << buffer.life.first
             << " to " << buffer.life.last << ", at " << offset;
    }
    for (auto op : llvm::make_early_inc_range(
             variant.getRun().front().getOps<BufferOp>())) {
      if (op.use_empty()) {
        op.erase();
      }
    }
    int64_t bytes = llvm::alignTo(start + placed.end, arenaAlignment);
    if (zeroed != 0) {
      variant.setZeroedBytesAttr(builder.getI64IntegerAttr(zeroed));
    }
    if (!sizes.empty()) {
      variant.setSizesAttr(builder.getArrayAttr(sizes));
    }
    variant.setArenaBytesAttr(builder.getI64IntegerAttr(bytes));
    variant->setAttr("plan.live_bytes", builder.getI64IntegerAttr(live));
    arenaBytes += bytes;
    bufferBytes += sum;
    liveBytes += live;
    if (remarks) {
      variant.emitRemark() << "arena of " << bytes << " bytes for "
                           << buffers.size() << " buffers of " << sum
                           << " bytes in all, " << live << " live at once";
    }
  }
};

} // namespace
