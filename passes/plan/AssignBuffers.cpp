// SPDX-License-Identifier: Apache-2.0
//
// plan-assign-buffers: lifetimes, then greedy best fit, largest first. Greedy
// is within a few percent of optimal on networks and, unlike a solver, gives
// the same plan on every machine.

#include "passes/plan/Passes.h"

#include "dialects/plan/Commands.h"

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

namespace {

struct Buffer {
  BufferOp op;
  /// Place in the order of first use; decides between equals.
  size_t index;
  /// Positions of the first and the last command that use it.
  int64_t first, last;
  int64_t offset = 0;

  int64_t bytes() const { return BufferOp(op).getBytes(); }
  int64_t end() const { return offset + bytes(); }
  bool isLiveWith(const Buffer &other) const {
    return first <= other.last && other.first <= last;
  }
};

} // namespace

/// The buffers of `commands` with their lifetimes, in order of first use.
static SmallVector<Buffer> getLifetimes(ArrayRef<Operation *> commands) {
  llvm::MapVector<Operation *, Buffer> buffers;
  for (auto [position, command] : llvm::enumerate(commands)) {
    for (CommandAccess access : getAccesses(command)) {
      auto op = dyn_cast<BufferOp>(resolveAddress(access.address).base);
      if (op) {
        int64_t now = position;
        buffers.insert({op, {op, buffers.size(), now, now}})
            .first->second.last = now;
      }
    }
  }
  return llvm::map_to_vector(buffers, [](auto &entry) { return entry.second; });
}

/// The start of the smallest gap for `buffer` between those of `placed` that
/// are live with it; behind them all where no gap fits.
static int64_t findOffset(const Buffer &buffer, ArrayRef<Buffer> placed) {
  SmallVector<const Buffer *> neighbours;
  for (const Buffer &other : placed) {
    if (other.isLiveWith(buffer)) {
      neighbours.push_back(&other);
    }
  }
  llvm::sort(neighbours, [](const Buffer *a, const Buffer *b) {
    return std::pair(a->offset, a->index) < std::pair(b->offset, b->index);
  });
  int64_t alignment = BufferOp(buffer.op).getAlignment();
  int64_t best = -1, bestGap = INT64_MAX, end = 0;
  for (const Buffer *neighbour : neighbours) {
    int64_t start = llvm::alignTo(end, alignment);
    int64_t gap = neighbour->offset - start;
    if (gap >= buffer.bytes() && gap < bestGap) {
      best = start;
      bestGap = gap;
    }
    end = std::max(end, neighbour->end());
  }
  return best >= 0 ? best : int64_t(llvm::alignTo(end, alignment));
}

/// The most bytes that are live at once: no arena can be smaller.
static int64_t getLiveBytes(ArrayRef<Buffer> buffers) {
  int64_t most = 0;
  for (const Buffer &begun : buffers) {
    int64_t live = 0;
    for (const Buffer &other : buffers) {
      bool isLive = other.first <= begun.first && begun.first <= other.last;
      live += isLive ? other.bytes() : 0;
    }
    most = std::max(most, live);
  }
  return most;
}

namespace {

struct AssignBuffers : plan::impl::AssignBuffersBase<AssignBuffers> {
  using AssignBuffersBase::AssignBuffersBase;

  void runOnOperation() override {
    for (auto variant : getOperation().getBody().getOps<VariantOp>()) {
      assign(variant);
    }
  }

private:
  void assign(VariantOp variant) {
    auto buffers = getLifetimes(getCommands(variant.getRun().front()));
    // Zeroed buffers lie side by side at the start, where nothing else comes.
    auto rank = [](const Buffer &buffer) {
      return std::tuple(!BufferOp(buffer.op).getZeroed(), -buffer.bytes(),
                        buffer.index);
    };
    llvm::sort(buffers, [&](const Buffer &a, const Buffer &b) {
      return rank(a) < rank(b);
    });
    int64_t arena = 0, sum = 0;
    for (Buffer &buffer : buffers) {
      if (buffer.op.getZeroed()) {
        buffer.first = 0;
        buffer.last = INT64_MAX;
      }
    }
    int64_t zeroed = 0;
    Builder builder(variant.getContext());
    for (size_t i = 0; i < buffers.size(); ++i) {
      Buffer &buffer = buffers[i];
      buffer.offset = findOffset(buffer, ArrayRef(buffers).take_front(i));
      buffer.op.setOffsetAttr(builder.getI64IntegerAttr(buffer.offset));
      arena = std::max(arena, buffer.end());
      if (buffer.op.getZeroed()) {
        zeroed = llvm::alignTo(buffer.end(), arenaAlignment);
        arena = std::max(arena, zeroed);
      }
      if (buffer.op.getStatus()) {
        variant.setStatusAttr(buffer.op.getOffsetAttr());
      }
      sum += buffer.bytes();
      LDBG() << buffer.bytes() << " bytes, live " << buffer.first << " to "
             << buffer.last << ", at " << buffer.offset;
    }
    for (auto op : llvm::make_early_inc_range(
             variant.getRun().front().getOps<BufferOp>())) {
      if (op.use_empty()) {
        op.erase();
      }
    }
    arena = llvm::alignTo(arena, arenaAlignment);
    if (zeroed != 0) {
      variant.setZeroedBytesAttr(builder.getI64IntegerAttr(zeroed));
    }
    variant.setArenaBytesAttr(builder.getI64IntegerAttr(arena));
    int64_t live = getLiveBytes(buffers);
    arenaBytes += arena;
    bufferBytes += sum;
    liveBytes += live;
    if (remarks) {
      variant.emitRemark() << "arena of " << arena << " bytes for "
                           << buffers.size() << " buffers of " << sum
                           << " bytes in all, " << live << " live at once";
    }
  }
};

} // namespace
