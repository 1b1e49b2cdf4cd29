// SPDX-License-Identifier: Apache-2.0
//
// Points are numbered as the results lie in memory. A vector of them is one
// access to a tensor that is accessed in the same order, and one per lane to
// others.

#include "compiler/target/cuda/pointwise/EmitPointwise.h"

#include "compiler/target/codegen/StatusReport.h"
#include "compiler/target/cuda/pointwise/PointAccess.h"
#include "compiler/target/cuda/pointwise/TurnedPoints.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <array>
#include <optional>

using namespace mlir;

namespace minic::cuda {

namespace {

class Emitter {
public:
  Emitter(CudaKernelBuilder &k, const PointwiseLoops &loops,
          const PointwiseSchedule &schedule, ArrayRef<Type> dtypes,
          const std::optional<RunBound> &bound)
      : k(k), loops(loops), schedule(schedule), dtypes(dtypes), bound(bound),
        total(loops.rows() * loops.columns()) {}

  void emit(KernelEntry entry, int64_t operands) {
    k.allowLaterLaunches(schedule.programmatic);
    k.waitForEarlierLaunches(schedule.programmatic);
    SmallVector<Value> tensors;
    for (int64_t i = 0; i != operands + int64_t(dtypes.size()); ++i) {
      tensors.push_back(entry.parameter(i));
    }
    if (loops.gathers()) {
      statusWord = entry.parameter(int64_t(tensors.size()));
    }
    int64_t block = schedule.blockElements();
    // Point numbers go a block past the end.
    isWide = total + block > int64_t(INT32_MAX) || reachesFar(loops);
    Value first = k.mul(index(k.blockIdX()), block);
    Value own = k.add(first, k.mul(index(k.threadIdX()), schedule.vector));
    if (bound) {
      Value word =
          entry.parameter(int64_t(tensors.size()) + (loops.gathers() ? 1 : 0));
      Value needed = index(bound->emitCount(k, word, total));
      auto ofRun = scf::IfOp::create(k.b, k.loc, k.lessThan(first, needed),
                                     /*withElse=*/false);
      k.b.setInsertionPointToStart(ofRun.thenBlock());
    }
    access.emplace(k, loops, dtypes, tensors);
    if (schedule.turned) {
      emitSquare();
      return;
    }
    isUpdateOutside = access->moveToUpdates();
    if (total % block == 0) {
      emitVectors(own, schedule.unroll, schedule.vector);
      return;
    }
    Value isWhole = k.lessThan(first, total / block * block);
    auto branch = scf::IfOp::create(k.b, k.loc, isWhole, /*withElse=*/true);
    OpBuilder::InsertionGuard guard(k.b);
    k.b.setInsertionPointToStart(branch.thenBlock());
    emitVectors(own, schedule.unroll, schedule.vector);
    k.b.setInsertionPointToStart(branch.elseBlock());
    emitLastBlock(own);
  }

private:
  Value index(Value i) {
    return isWide
               ? Value(arith::ExtUIOp::create(k.b, k.loc, k.b.getI64Type(), i))
               : i;
  }
  Value constant(int64_t value) { return isWide ? k.i64(value) : k.i32(value); }
  int64_t stride() const { return schedule.threads * schedule.vector; }

  /// The block that the points end in.
  void emitLastBlock(Value own) {
    Value end = k.add(own, schedule.unroll * stride());
    k.forLoop(own, end, stride(), [&](Value at) {
      int64_t whole = total / schedule.vector * schedule.vector;
      k.ifThen(k.lessThan(at, whole),
               [&] { emitVectors(at, 1, schedule.vector); });
      if (whole == total) {
        return;
      }
      // One thread has the points that are no vector.
      Value isRest = arith::CmpIOp::create(k.b, k.loc, arith::CmpIPredicate::eq,
                                           at, constant(whole));
      k.ifThen(isRest, [&] {
        k.forLoop(constant(whole), constant(total), 1,
                  [&](Value point) { emitVectors(point, 1, 1); });
      });
    });
  }

  /// Both elements of each lane's pair; only the first where there are none.
  using Elements = std::array<Value, 2>;

  /// What node `n` computes of the values of earlier nodes.
  Elements compute(const PointwiseLoops::Node &node,
                   ArrayRef<Elements> values) {
    Elements made;
    for (size_t which = 0; which != elements(); ++which) {
      auto operands = llvm::map_to_vector(
          node.operands, [&](size_t input) { return values[input][which]; });
      made[which] = isa<graph::RotaryOp>(node.op)
                        ? rotate(operands, /*isSecond=*/which == 1)
                        : cast<graph::PointwiseOpInterface>(node.op).emitScalar(
                              k.b, operands);
    }
    return made;
  }

  /// (own, partner, cosine, sine), as the op says it.
  Value rotate(ArrayRef<Value> operands, bool isSecond) {
    Value sine = operands[3];
    if (!isSecond) {
      sine = arith::NegFOp::create(k.b, k.loc, sine);
    }
    Value turned = arith::MulFOp::create(k.b, k.loc, operands[0], operands[2]);
    Value added = arith::MulFOp::create(k.b, k.loc, operands[1], sine);
    return arith::AddFOp::create(k.b, k.loc, turned, added);
  }

  size_t elements() const { return size_t(loops.elementsPerPoint()); }

  /// The thread's square of points.
  void emitSquare() {
    auto turned = TurnedPoints::get(loops, dtypes, schedule.vector);
    Value square = k.add(k.mul(index(k.blockIdX()), schedule.threads),
                         index(k.threadIdX()));
    auto emitIt = [&] {
      emitVectors(turned->firstPoint(k, square), schedule.vector,
                  schedule.vector, turned);
    };
    if (turned->squares() % schedule.threads == 0) {
      return emitIt();
    }
    k.ifThen(k.lessThan(square, turned->squares()), emitIt);
  }

  /// `count` vectors of `lanes` points, a stride of the block apart, or those
  /// of a square. All loads come first, so that they are in flight together.
  void emitVectors(Value first, int64_t count, int64_t lanes,
                   const std::optional<TurnedPoints> &turned = {}) {
    int64_t apart = turned ? turned->pointStride() : stride();
    std::vector<PointVector> points;
    for (int64_t i = 0; i != count; ++i) {
      points.push_back({k.add(first, i * apart), lanes});
    }
    // Indices before what they choose.
    for (PointVector &each : points) {
      access->findRows(each);
    }
    if (turned) {
      access->loadTurned(points, turned->turned);
    }
    std::vector<std::vector<Elements>> values(count);
    for (bool loading : {true, false}) {
      for (int64_t i = 0; i != count; ++i) {
        values[i].resize(loops.nodes.size());
        for (auto [n, node] : llvm::enumerate(loops.nodes)) {
          if (node.op) {
            if (!loading) {
              values[i][n] = compute(node, values[i]);
            }
            continue;
          }
          for (size_t which = 0; loading && which != elements(); ++which) {
            values[i][n][which] =
                access->load(node.read, points[i], int64_t(which));
          }
        }
      }
    }
    for (int64_t i = 0; i != count; ++i) {
      for (auto [r, write] : llvm::enumerate(loops.results)) {
        access->store(r, points[i],
                      ArrayRef(values[i][write.node]).take_front(elements()));
      }
    }
    Value isOutside = isUpdateOutside;
    for (PointVector &each : points) {
      isOutside = access->either(isOutside, each.isOutside);
    }
    if (isOutside) {
      emitReport(k, statusWord, isOutside);
    }
  }

  CudaKernelBuilder &k;
  const PointwiseLoops &loops;
  const PointwiseSchedule &schedule;
  ArrayRef<Type> dtypes;
  const std::optional<RunBound> bound;
  const int64_t total;
  Value statusWord; // null where nothing is gathered
  /// Whether the position of an update was; null for none. It is said at the
  /// end so that no load waits for it.
  Value isUpdateOutside;
  bool isWide = false; // point numbers and offsets need 64 bits
  std::optional<PointAccess> access;
};

} // namespace

void emitPointwise(ModuleOp device, Location loc, StringRef name,
                   const PointwiseLoops &loops,
                   const PointwiseSchedule &schedule, int64_t operands,
                   ArrayRef<Type> dtypes,
                   const std::optional<RunBound> &bound) {
  OpBuilder builder(device.getContext());
  KernelLaunchBounds bounds;
  bounds.threads = schedule.threads;
  bounds.pointers = operands + int64_t(dtypes.size()) +
                    (loops.gathers() ? 1 : 0) + (bound ? 1 : 0);
  KernelEntry entry = KernelEntry::create(builder, loc, device, name, bounds);
  CudaKernelBuilder k(builder, loc);
  Emitter(k, loops, schedule, dtypes, bound).emit(entry, operands);
}

} // namespace minic::cuda
