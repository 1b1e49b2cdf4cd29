// SPDX-License-Identifier: Apache-2.0
//
// Writes the destination in order, sixteen bytes per thread. Sources are read
// in the widest accesses that their rows are aligned to.

#include "compiler/target/cuda/relayout/Relayout.h"

#include "compiler/target/codegen/RelayoutLoops.h"
#include "compiler/target/cuda/KernelAbi.h"
#include "compiler/target/cuda/KernelLaunch.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;

namespace minic::cuda {

namespace {

constexpr int64_t kThreads = 256;

class Emitter {
public:
  Emitter(CudaKernelBuilder &k, RankedTensorType type, Type storage)
      : k(k), loops(RelayoutLoops::get(type)), storage(storage),
        total(kernel::getBytes(type) / bytes()) {
    digits = loops.loops;
    digits.push_back(loops.lanes);
    if (loops.pair) {
      digits.push_back(*loops.pair);
    }
    lanes = lanesFor(type);
  }

  /// Elements that a thread writes: a divisor of what is contiguous in the
  /// destination, so that lanes differ in the innermost digit alone.
  static int64_t lanesFor(RankedTensorType type) {
    RelayoutLoops loops = RelayoutLoops::get(type);
    int64_t extent = loops.pair ? loops.pair->extent : loops.lanes.extent;
    int64_t bytes = kernel::getElementBytes(type.getElementType());
    return std::gcd<int64_t>(std::max<int64_t>(1, 16 / bytes), extent);
  }
  static int64_t blocks(RankedTensorType type) {
    int64_t elements =
        kernel::getBytes(type) / kernel::getElementBytes(type.getElementType());
    return llvm::divideCeil(elements, lanesFor(type) * kThreads);
  }

  void emit(KernelEntry entry) {
    source = entry.parameter(0);
    isWide = total + lanes * kThreads > int64_t(INT32_MAX);
    Value thread =
        k.add(k.mul(index(k.blockIdX()), kThreads), index(k.threadIdX()));
    Value at = k.mul(thread, lanes);
    auto write = [&] {
      Value vector = load(at);
      k.storeAligned(vector, k.advance(entry.parameter(1), at, storage));
    };
    if (total % (lanes * kThreads) == 0) {
      write();
    } else {
      k.ifThen(k.lessThan(at, total), write);
    }
  }

private:
  int64_t bytes() const { return storage.getIntOrFloatBitWidth() / 8; }
  Value index(Value i) {
    return isWide
               ? Value(arith::ExtUIOp::create(k.b, k.loc, k.b.getI64Type(), i))
               : i;
  }
  Value constant(int64_t value) { return isWide ? k.i64(value) : k.i32(value); }
  bool isPadded(int64_t dim) const {
    return loops.padded[dim] != loops.shape[dim];
  }

  /// The vector at element number `at` of the destination.
  Value load(Value at) {
    SmallVector<Value> logical(loops.shape.size(), constant(0));
    Value rest = at;
    for (size_t i = digits.size(); i-- > 0;) {
      const RelayoutLoops::Loop &digit = digits[i];
      if (digit.dim < 0) {
        continue; // of a scalar
      }
      Value number = i == 0 ? rest : k.rem(rest, digit.extent);
      rest = k.div(rest, digit.extent);
      logical[digit.dim] = k.add(logical[digit.dim], k.mul(number, digit.step));
    }
    int64_t innermost = digits.back().dim;
    Value offset = constant(0), inside;
    for (auto [dim, i] : llvm::enumerate(logical)) {
      offset = k.add(offset, k.mul(i, loops.strides[dim]));
      if (isPadded(int64_t(dim)) && int64_t(dim) != innermost) {
        Value within = k.lessThan(i, loops.shape[dim]);
        inside = inside
                     ? Value(arith::AndIOp::create(k.b, k.loc, inside, within))
                     : within;
      }
    }
    auto type = VectorType::get(lanes, storage);
    auto read = [&] { return loadInside(type, offset, logical, innermost); };
    if (!inside) {
      return read();
    }
    return either(inside, read, [&] { return k.zeroVector(storage, lanes); });
  }

  /// The lanes of `type` where no other dimension is in its padding.
  Value loadInside(VectorType type, Value offset, ArrayRef<Value> logical,
                   int64_t dim) {
    if (dim < 0 || !isPadded(dim)) {
      return loadLanes(type, offset, dim);
    }
    Value last = k.add(logical[dim], (lanes - 1) * digits.back().step);
    return either(
        k.lessThan(last, loops.shape[dim]),
        [&] { return loadLanes(type, offset, dim); },
        [&] { return loadEdge(type, offset, logical[dim], dim); });
  }

  /// All lanes are inside.
  Value loadLanes(VectorType type, Value offset, int64_t dim) {
    int64_t stride = laneStride(dim);
    int64_t chunk = stride == 1 ? alignedLanes(dim) : 1;
    if (chunk == lanes) {
      return k.loadAligned(type, k.advance(source, offset, storage));
    }
    SmallVector<Value> elements;
    auto part = VectorType::get(chunk, storage);
    for (int64_t lane = 0; lane < lanes; lane += chunk) {
      Value pointer = k.advance(source, k.add(offset, lane * stride), storage);
      Value loaded = k.loadAligned(part, pointer);
      for (int64_t i = 0; i != chunk; ++i) {
        elements.push_back(vector::ExtractOp::create(k.b, k.loc, loaded, i));
      }
    }
    return vector::FromElementsOp::create(k.b, k.loc, type, elements);
  }

  /// Some lanes are padding.
  Value loadEdge(VectorType type, Value offset, Value first, int64_t dim) {
    SmallVector<Value> elements;
    Value zero =
        arith::ConstantOp::create(k.b, k.loc, k.b.getIntegerAttr(storage, 0));
    for (int64_t lane = 0; lane != lanes; ++lane) {
      Value logical = k.add(first, lane * digits.back().step);
      Value at = k.add(offset, lane * laneStride(dim));
      elements.push_back(either(
          k.lessThan(logical, loops.shape[dim]),
          [&] {
            return k.loadAligned(storage, k.advance(source, at, storage));
          },
          [&] { return zero; }));
    }
    return vector::FromElementsOp::create(k.b, k.loc, type, elements);
  }

  int64_t laneStride(int64_t dim) const {
    return dim < 0 ? 1 : loops.strides[dim] * digits.back().step;
  }

  /// Lanes that one access to the source may read.
  int64_t alignedLanes(int64_t dim) const {
    int64_t aligned = lanes;
    for (auto [other, stride] : llvm::enumerate(loops.strides)) {
      if (int64_t(other) != dim) {
        aligned = std::gcd(aligned, stride);
      }
    }
    return aligned;
  }

  Value either(Value condition, llvm::function_ref<Value()> yes,
               llvm::function_ref<Value()> no) {
    auto branch = scf::IfOp::create(
        k.b, k.loc, condition,
        [&](OpBuilder &, Location) {
          OpBuilder::InsertionGuard guard(k.b);
          scf::YieldOp::create(k.b, k.loc, yes());
        },
        [&](OpBuilder &, Location) {
          OpBuilder::InsertionGuard guard(k.b);
          scf::YieldOp::create(k.b, k.loc, no());
        });
    return branch.getResult(0);
  }

  CudaKernelBuilder &k;
  RelayoutLoops loops;
  Type storage; // an integer: elements are moved as bits
  int64_t total;
  /// Physical dimensions, outermost first.
  SmallVector<RelayoutLoops::Loop> digits;
  int64_t lanes = 1;
  bool isWide = false;
  Value source;
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
                         b.getStringAttr("relayout"),
                         /*depends=*/nullptr);
    return success();
  }
  KernelLaunch launch;
  launch.grid = {Emitter::blocks(to)};
  launch.threads = kThreads;
  launch.label = "relayout";
  addLaunch(plan, op, plan.kernel(op, "relayout"), launch);
  return success();
}

LogicalResult emitRelayout(plan::KernelOp kernel, ModuleOp device) {
  auto op = cast<kernel::RelayoutOp>(kernel.getBody().front().front());
  auto type = cast<RankedTensorType>(op.getType());
  OpBuilder builder(kernel.getContext());
  KernelLaunchBounds bounds;
  bounds.threads = kThreads;
  bounds.pointers = 2;
  KernelEntry entry = KernelEntry::create(
      builder, kernel.getLoc(), device,
      cast<StringAttr>(kernel.getEntries()[0]).getValue(), bounds);
  CudaKernelBuilder k(builder, kernel.getLoc());
  Type bits = builder.getIntegerType(
      unsigned(8 * kernel::getElementBytes(type.getElementType())));
  Emitter(k, type, bits).emit(entry);
  return success();
}

} // namespace minic::cuda
