// SPDX-License-Identifier: Apache-2.0
//
// Writes the destination in order, a vector at a time; what lies outside the
// logical tensor is masked to zero.

#include "compiler/target/cpu/relayout/Relayout.h"

#include "compiler/target/codegen/RelayoutLoops.h"
#include "compiler/target/cpu/KernelAbi.h"
#include "compiler/target/cpu/KernelLaunch.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace minic::cpu {

namespace {

constexpr int64_t kLanes = 16;

class Emitter {
public:
  Emitter(KernelBuilder &k, const RelayoutLoops &loops, Type storage)
      : k(k), loops(loops), storage(storage) {}

  void emit(const KernelEntry &entry) {
    source = k.argPointer(entry.args, 0);
    destination = k.argPointer(entry.args, 1);
    Value begin = k.mul(entry.begin, RelayoutLoops::kGroupsPerTile);
    Value end = k.min(k.mul(entry.end, RelayoutLoops::kGroupsPerTile),
                      k.i64(loops.groups()));
    k.forLoop(begin, end, 1, [&](Value group) { emitGroup(group); });
  }

private:
  void emitGroup(Value group) {
    base.assign(loops.shape.size(), k.i64(0));
    Value rest = group;
    for (size_t i = loops.loops.size(); i-- > 0;) {
      const RelayoutLoops::Loop &loop = loops.loops[i];
      Value index = i == 0 ? rest : k.rem(rest, loop.extent);
      rest = k.div(rest, loop.extent);
      base[loop.dim] = k.add(base[loop.dim], k.mul(index, loop.step));
    }
    Value to =
        k.advance(destination, k.mul(group, loops.groupElements()), storage);
    int64_t pairs = loops.pair ? 2 : 1;
    k.forLoop(k.i64(0), k.i64(loops.lanes.extent), kLanes, [&](Value lane) {
      Value vector = load(lane, 0);
      int64_t width = kLanes * pairs;
      if (loops.pair) {
        vector =
            vector::InterleaveOp::create(k.b, k.loc, vector, load(lane, 1));
      }
      Value mask;
      if (loops.lanes.extent % kLanes != 0) {
        Value left = k.sub(k.i64(loops.lanes.extent), lane);
        mask = k.tailMask(k.mul(left, pairs), width);
      }
      k.storeVector(vector, k.advance(to, k.mul(lane, pairs), storage), storage,
                    mask);
    });
  }

  /// True where dimension `dim` has padding behind its elements.
  bool isPadded(int64_t dim) const {
    return loops.padded[dim] != loops.shape[dim];
  }

  /// `index` of `dim`, or its last one where that is padding.
  Value clamp(Value index, int64_t dim) {
    return isPadded(dim) ? k.min(index, k.i64(loops.shape[dim] - 1)) : index;
  }

  /// Elements [lane, lane + 16) of the lanes, number `which` of the pair.
  Value load(Value lane, int64_t which) {
    Value mask;
    auto require = [&](Value condition) {
      mask =
          mask ? arith::AndIOp::create(k.b, k.loc, mask, condition) : condition;
    };
    Value offset = k.i64(0);
    Value along; // logical index of the first lane
    int64_t stride = 0;
    for (int64_t dim = 0; dim != int64_t(loops.shape.size()); ++dim) {
      Value index = base[dim];
      if (loops.pair && loops.pair->dim == dim) {
        index = k.add(index, which);
      }
      if (loops.lanes.dim == dim) {
        along = k.add(index, lane);
        stride = loops.strides[dim];
        if (isPadded(dim) || loops.lanes.extent % kLanes != 0) {
          // What a group's last vector would read of the next group is
          // masked out too.
          Value left = k.sub(k.i64(loops.shape[dim]), along);
          require(k.tailMask(left, kLanes));
        }
        continue;
      }
      if (isPadded(dim)) {
        Value isInside =
            arith::CmpIOp::create(k.b, k.loc, arith::CmpIPredicate::slt, index,
                                  k.i64(loops.shape[dim]));
        require(k.splat(isInside, kLanes));
      }
      offset = k.add(offset, k.mul(clamp(index, dim), loops.strides[dim]));
    }
    if (stride == 1) {
      return k.loadVector(k.advance(source, k.add(offset, along), storage),
                          storage, kLanes, mask);
    }
    return gather(offset, along, stride, mask);
  }

  /// One load per lane; lanes outside read the last element inside.
  Value gather(Value offset, Value along, int64_t stride, Value mask) {
    SmallVector<Value> elements;
    for (int64_t i = 0; i != kLanes; ++i) {
      Value at = offset;
      if (along) {
        Value index = k.add(along, i);
        if (mask) {
          index = k.min(index, k.i64(loops.shape[loops.lanes.dim] - 1));
        }
        at = k.add(at, k.mul(index, stride));
      }
      elements.push_back(k.loadScalar(k.advance(source, at, storage), storage));
    }
    auto type = VectorType::get(kLanes, storage);
    Value vector = vector::FromElementsOp::create(k.b, k.loc, type, elements);
    if (mask) {
      vector = arith::SelectOp::create(k.b, k.loc, mask, vector,
                                       k.zeroVector(storage, kLanes));
    }
    return vector;
  }

  KernelBuilder &k;
  const RelayoutLoops &loops;
  Type storage; // an integer: elements are moved as bits
  Value source, destination;
  SmallVector<Value> base; // logical indices of the group
};

} // namespace

LogicalResult lowerRelayout(kernel::RelayoutOp op, plan::PlanBuilder &plan) {
  auto from = cast<RankedTensorType>(op.getInput().getType());
  auto to = cast<RankedTensorType>(op.getType());
  if (kernel::getLayout(from) || !kernel::getLayout(to)) {
    return op.emitError("unsupported: a relayout at run time goes from dense "
                        "to packed, got ")
           << from << " to " << to;
  }
  OpBuilder &b = plan.builder();
  int64_t bytes = kernel::getBytes(to);
  if (bytes == 0) {
    return success();
  }
  if (from.getNumElements() == 0) {
    plan::FillOp::create(b, op.getLoc(), plan.addressOf(op.getResult()),
                         uint64_t(0), uint64_t(bytes),
                         b.getStringAttr("relayout"), /*depends=*/nullptr);
    return success();
  }
  addLaunch(plan, op, plan.kernel(op, ""),
            {.tiles = RelayoutLoops::get(to).tiles(), .label = "relayout"});
  return success();
}

LogicalResult emitRelayout(plan::KernelOp kernel, ModuleOp device) {
  auto op = cast<kernel::RelayoutOp>(kernel.getBody().front().front());
  auto type = cast<RankedTensorType>(op.getType());
  OpBuilder builder(kernel.getContext());
  KernelEntry entry =
      KernelEntry::create(builder, kernel.getLoc(), device,
                          cast<StringAttr>(kernel.getEntries()[0]).getValue());
  KernelBuilder k(builder, kernel.getLoc());
  Type bits = builder.getIntegerType(
      unsigned(8 * kernel::getElementBytes(type.getElementType())));
  RelayoutLoops loops = RelayoutLoops::get(type);
  Emitter(k, loops, bits).emit(entry);
  return success();
}

} // namespace minic::cpu
