// SPDX-License-Identifier: Apache-2.0
//
// Writes the destination in order, in vectors of sixteen bytes. Sources are
// read in the widest accesses that their rows are aligned to.

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
  Emitter(CudaKernelBuilder &k, RankedTensorType type, int64_t vectors)
      : k(k), loops(RelayoutLoops::get(type)), vectors(vectors),
        lanes(lanesFor(type)), bytes(bytesOf(type)), total(elementsOf(type)) {
    digits = loops.loops;
    digits.push_back(loops.lanes);
    if (loops.pair) {
      digits.push_back(*loops.pair);
    }
    chunk = alignedLanes();
    storage = k.b.getIntegerType(unsigned(8 * bytes));
    word =
        k.b.getIntegerType(unsigned(8 * std::gcd<int64_t>(4, chunk * bytes)));
  }

  /// Vectors that a thread moves. Several are in flight together, but every SM
  /// keeps four blocks.
  static int64_t vectorsFor(RankedTensorType type, int64_t smCount) {
    int64_t vectors = 4;
    while (vectors > 1 && blocks(type, vectors) < 4 * smCount) {
      vectors /= 2;
    }
    return vectors;
  }
  static int64_t blocks(RankedTensorType type, int64_t vectors) {
    return llvm::divideCeil(elementsOf(type),
                            lanesFor(type) * kThreads * vectors);
  }

  /// A block writes `vectors` runs of kThreads vectors. All loads are before
  /// the first store, and padding is selected, not branched around: they
  /// overlap.
  void emit(KernelEntry entry, bool programmatic) {
    k.allowLaterLaunches(programmatic);
    int64_t run = lanes * kThreads;
    bool isWhole = total % (run * vectors) == 0;
    isWide = total + run * vectors > int64_t(INT32_MAX);
    Value first = k.add(k.mul(index(k.blockIdX()), run * vectors),
                        k.mul(index(k.threadIdX()), lanes));
    struct Move {
      Value at, exists; // null: always
      SmallVector<Source> sources;
      Value vector;
    };
    SmallVector<Move> moves;
    for (int64_t i = 0; i != vectors; ++i) {
      Value at = k.add(first, i * run);
      Value exists = isWhole ? Value() : k.lessThan(at, total);
      moves.push_back({at, exists, locate(entry.parameter(0), at, exists), {}});
    }
    k.waitForEarlierLaunches(programmatic);
    for (Move &move : moves) {
      move.vector = load(move.sources);
    }
    for (Move &move : moves) {
      auto store = [&] {
        k.storeAligned(move.vector,
                       k.advance(entry.parameter(1), move.at, storage));
      };
      if (move.exists) {
        k.ifThen(move.exists, store);
      } else {
        store();
      }
    }
  }

private:
  /// Where one access of `chunk` elements reads. Where it is not `inside`
  /// (null: always) zeros are meant, and any element may be read.
  struct Source {
    Value pointer, inside;
  };

  static int64_t bytesOf(RankedTensorType type) {
    return kernel::getElementBytes(type.getElementType());
  }
  static int64_t elementsOf(RankedTensorType type) {
    return kernel::getBytes(type) / bytesOf(type);
  }
  /// Elements of a vector: a divisor of what is contiguous in the destination,
  /// so that lanes differ in the innermost digit alone.
  static int64_t lanesFor(RankedTensorType type) {
    RelayoutLoops loops = RelayoutLoops::get(type);
    int64_t extent = loops.pair ? loops.pair->extent : loops.lanes.extent;
    return std::gcd<int64_t>(std::max<int64_t>(1, 16 / bytesOf(type)), extent);
  }

  Value index(Value i) {
    return isWide
               ? Value(arith::ExtUIOp::create(k.b, k.loc, k.b.getI64Type(), i))
               : i;
  }
  Value constant(int64_t value) { return isWide ? k.i64(value) : k.i32(value); }
  bool isPadded(int64_t dim) const {
    return dim >= 0 && loops.padded[dim] != loops.shape[dim];
  }
  Value both(Value lhs, Value rhs) {
    return lhs ? Value(arith::AndIOp::create(k.b, k.loc, lhs, rhs)) : rhs;
  }

  /// What is at element number `at` of the destination, if that `exists`.
  SmallVector<Source> locate(Value source, Value at, Value exists) {
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
    Value offset = constant(0), inside = exists;
    for (auto [dim, i] : llvm::enumerate(logical)) {
      offset = k.add(offset, k.mul(i, loops.strides[dim]));
      if (isPadded(int64_t(dim)) && int64_t(dim) != innermost) {
        inside = both(inside, k.lessThan(i, loops.shape[dim]));
      }
    }
    SmallVector<Source> sources;
    for (int64_t lane = 0; lane != lanes; lane += chunk) {
      Value from = k.add(offset, lane * laneStride()), within = inside;
      if (isPadded(innermost)) {
        Value i = k.add(logical[innermost], lane * digits.back().step);
        within = both(within, k.lessThan(i, loops.shape[innermost]));
      }
      if (within) {
        from = arith::SelectOp::create(k.b, k.loc, within, from, constant(0));
      }
      sources.push_back({k.advance(source, from, storage), within});
    }
    return sources;
  }

  Value load(ArrayRef<Source> sources) {
    int64_t words = chunk * bytes * 8 / word.getIntOrFloatBitWidth();
    auto part = VectorType::get(words, word);
    SmallVector<Value> elements;
    for (const Source &source : sources) {
      Value loaded = k.loadAligned(part, source.pointer);
      if (source.inside) {
        loaded = arith::SelectOp::create(k.b, k.loc, source.inside, loaded,
                                         k.zeroVector(word, words));
      }
      for (int64_t i = 0; i != words; ++i) {
        elements.push_back(vector::ExtractOp::create(k.b, k.loc, loaded, i));
      }
    }
    auto type = VectorType::get(int64_t(elements.size()), word);
    return vector::FromElementsOp::create(k.b, k.loc, type, elements);
  }

  int64_t laneStride() const {
    int64_t dim = digits.back().dim;
    return dim < 0 ? 1 : loops.strides[dim] * digits.back().step;
  }

  /// Lanes that one access to the source reads: contiguous, aligned, and all
  /// inside or all in the padding.
  int64_t alignedLanes() const {
    if (laneStride() != 1) {
      return 1;
    }
    int64_t innermost = digits.back().dim, aligned = lanes;
    for (auto [dim, stride] : llvm::enumerate(loops.strides)) {
      if (int64_t(dim) != innermost) {
        aligned = std::gcd(aligned, stride);
      }
    }
    return isPadded(innermost) ? std::gcd(aligned, loops.shape[innermost])
                               : aligned;
  }

  CudaKernelBuilder &k;
  RelayoutLoops loops;
  int64_t vectors, lanes, bytes, total; // bytes of an element
  /// Physical dimensions, outermost first.
  SmallVector<RelayoutLoops::Loop> digits;
  int64_t chunk;
  /// Elements are moved as bits: one, and as many of a chunk as fit 32 bits.
  Type storage, word;
  bool isWide = false;
};

/// Programmatic dependent launch is of sm_90 and later.
bool isProgrammatic(const DeviceProfile &profile) {
  return profile.smVersion >= 90;
}

} // namespace

LogicalResult lowerRelayout(kernel::RelayoutOp op, plan::PlanBuilder &plan,
                            const DeviceProfile &profile) {
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
  launch.grid = {Emitter::blocks(to, Emitter::vectorsFor(to, profile.smCount))};
  launch.threads = kThreads;
  launch.programmatic = isProgrammatic(profile);
  launch.label = "relayout";
  addLaunch(plan, op, plan.kernel(op, ""), launch);
  return success();
}

LogicalResult emitRelayout(plan::KernelOp kernel, const DeviceProfile &profile,
                           ModuleOp device) {
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
  Emitter(k, type, Emitter::vectorsFor(type, profile.smCount))
      .emit(entry, isProgrammatic(profile));
  return success();
}

} // namespace minic::cuda
