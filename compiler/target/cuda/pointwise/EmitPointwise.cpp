// SPDX-License-Identifier: Apache-2.0
//
// Elements are numbered as the results lie in memory. A vector of them is one
// access to a tensor that is read in the same order, and one per lane to
// others.

#include "compiler/target/cuda/pointwise/EmitPointwise.h"

#include "compiler/target/codegen/GatheredIndex.h"
#include "compiler/target/codegen/StatusReport.h"
#include "compiler/target/cuda/KernelAbi.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <utility>

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
    for (const PointwiseLoops::Read &read : loops.reads) {
      reads.push_back(
          k.advance(entry.parameter(read.argument), read.offset, read.storage));
    }
    for (size_t i = 0; i != dtypes.size(); ++i) {
      results.push_back(entry.parameter(operands + int64_t(i)));
    }
    if (loops.gathers()) {
      statusWord = entry.parameter(operands + int64_t(dtypes.size()));
    }
    int64_t block = schedule.blockElements();
    // Element numbers go a block past the end.
    isWide = total + block > int64_t(INT32_MAX);
    Value first = k.mul(index(k.blockIdX()), block);
    Value own = k.add(first, k.mul(index(k.threadIdX()), schedule.vector));
    if (bound) {
      Value word = entry.parameter(operands + int64_t(dtypes.size()) +
                                   (loops.gathers() ? 1 : 0));
      Value needed = index(bound->emitCount(k, word, total));
      auto ofRun = scf::IfOp::create(k.b, k.loc, k.lessThan(first, needed),
                                     /*withElse=*/false);
      k.b.setInsertionPointToStart(ofRun.thenBlock());
    }
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

  /// The block that the elements end in.
  void emitLastBlock(Value own) {
    Value end = k.add(own, schedule.unroll * stride());
    k.forLoop(own, end, stride(), [&](Value at) {
      int64_t whole = total / schedule.vector * schedule.vector;
      k.ifThen(k.lessThan(at, whole),
               [&] { emitVectors(at, 1, schedule.vector); });
      if (whole == total) {
        return;
      }
      // One thread has the elements that are no vector.
      Value isRest = arith::CmpIOp::create(k.b, k.loc, arith::CmpIPredicate::eq,
                                           at, constant(whole));
      k.ifThen(isRest, [&] {
        k.forLoop(constant(whole), constant(total), 1,
                  [&](Value element) { emitVectors(element, 1, 1); });
      });
    });
  }

  /// Row-major position of element number `element` in every loop.
  SmallVector<Value> delinearize(Value element) {
    size_t rank = loops.extents.size();
    SmallVector<Value> indices(rank);
    for (size_t d = rank; d-- > 0;) {
      indices[d] = d == 0 ? element : k.rem(element, loops.extents[d]);
      element = k.div(element, loops.extents[d]);
    }
    return indices;
  }

  Value offsetOf(const PointwiseLoops::Read &read, ArrayRef<Value> indices) {
    Value offset = constant(0);
    for (auto [i, step] : llvm::zip_equal(indices, read.strides)) {
      offset = k.add(offset, k.mul(i, step));
    }
    return offset;
  }

  /// True where the operand is read in the order of the elements.
  bool isDense(const PointwiseLoops::Read &read) const {
    int64_t expected = 1;
    for (size_t d = loops.extents.size(); d-- > 0;) {
      if (loops.extents[d] != 1 && read.strides[d] != expected) {
        return false;
      }
      expected *= loops.extents[d];
    }
    return true;
  }

  static bool isConstant(const PointwiseLoops::Read &read) {
    return !read.gathered &&
           llvm::all_of(read.strides, [](int64_t s) { return s == 0; });
  }

  /// True where lanes of one vector never cross a row, so that all of them are
  /// at one offset plus multiples of the innermost stride.
  bool staysInRow(int64_t lanes) const { return loops.columns() % lanes == 0; }

  /// One aligned access can read all lanes.
  bool isContiguous(const PointwiseLoops::Read &read, int64_t lanes) const {
    if (read.offset % lanes != 0 ||
        (read.gathered && read.gathered->stride % lanes != 0)) {
      return false;
    }
    if (isDense(read)) {
      return true;
    }
    return staysInRow(lanes) && read.strides.back() == 1 &&
           llvm::all_of(ArrayRef(read.strides).drop_back(),
                        [&](int64_t s) { return s % lanes == 0; });
  }

  /// Where `read` begins for `element`: at the row that data choose, in 64 bits
  /// since tables may be larger than results.
  Value baseFor(size_t number, Value element) {
    const PointwiseLoops::Read &read = loops.reads[number];
    if (!read.gathered) {
      return reads[number];
    }
    const PointwiseLoops::Read &which = loops.reads[read.gathered->index];
    Value loaded = k.toCompute(loadOne(which, reads[read.gathered->index],
                                       offsetOf(which, delinearize(element))),
                               which.storage);
    GatheredIndex index = GatheredIndex::get(k, loaded, read.gathered->extent);
    isOutside = isOutside ? Value(arith::OrIOp::create(k.b, k.loc, isOutside,
                                                       index.isOutside))
                          : index.isOutside;
    return k.advance(reads[number], k.mul(index.value, read.gathered->stride),
                     read.storage);
  }

  Value loadOne(const PointwiseLoops::Read &read, Value base, Value offset) {
    Type memory = KernelBuilder::memoryType(read.storage);
    return k.loadAligned(memory, k.advance(base, offset, read.storage));
  }

  /// The operand's value for `lanes` elements from `element` on, whose first
  /// one is read from `base` on.
  Value load(size_t number, Value element, Value base, int64_t lanes) {
    const PointwiseLoops::Read &read = loops.reads[number];
    if (isConstant(read)) {
      Value value = k.toCompute(loadOne(read, base, constant(0)), read.storage);
      return lanes == 1 ? value : k.splat(value, lanes);
    }
    auto offsetAt = [&](Value at) {
      return isDense(read) ? at : offsetOf(read, delinearize(at));
    };
    if (lanes == 1) {
      return k.toCompute(loadOne(read, base, offsetAt(element)), read.storage);
    }
    auto type = VectorType::get(lanes, KernelBuilder::memoryType(read.storage));
    if (isContiguous(read, lanes)) {
      Value pointer = k.advance(base, offsetAt(element), read.storage);
      return k.toCompute(k.loadAligned(type, pointer), read.storage);
    }
    if (staysInRow(lanes) && read.strides.back() == 0) {
      Value value = loadOne(read, base, offsetAt(element));
      return k.splat(k.toCompute(value, read.storage), lanes);
    }
    SmallVector<Value> elements;
    Value start = staysInRow(lanes) ? offsetAt(element) : Value();
    for (int64_t lane = 0; lane != lanes; ++lane) {
      Value at = k.add(element, lane);
      Value offset =
          start ? k.add(start, lane * read.strides.back()) : offsetAt(at);
      Value own = start || lane == 0 ? base : baseFor(number, at);
      elements.push_back(loadOne(read, own, offset));
    }
    Value vector = vector::FromElementsOp::create(k.b, k.loc, type, elements);
    return k.toCompute(vector, read.storage);
  }

  /// `count` vectors of `lanes` elements, a stride of the block apart. All
  /// loads come first, so that they are in flight together.
  void emitVectors(Value first, int64_t count, int64_t lanes) {
    SmallVector<Value> starts;
    for (int64_t i = 0; i != count; ++i) {
      starts.push_back(k.add(first, i * stride()));
    }
    // Indices before what they choose.
    std::vector<SmallVector<Value>> bases(count);
    for (int64_t i = 0; i != count; ++i) {
      for (size_t number = 0; number != loops.reads.size(); ++number) {
        bases[i].push_back(baseFor(number, starts[i]));
      }
    }
    std::vector<SmallVector<Value>> values(count);
    for (bool loading : {true, false}) {
      for (int64_t i = 0; i != count; ++i) {
        values[i].resize(loops.nodes.size());
        for (auto [n, node] : llvm::enumerate(loops.nodes)) {
          if (loading && !node.op) {
            values[i][n] =
                load(node.read, starts[i], bases[i][node.read], lanes);
          } else if (!loading && node.op) {
            auto operands = llvm::map_to_vector(
                node.operands, [&](size_t input) { return values[i][input]; });
            values[i][n] =
                cast<graph::PointwiseOpInterface>(node.op).emitScalar(k.b,
                                                                      operands);
          }
        }
      }
    }
    for (int64_t i = 0; i != count; ++i) {
      for (auto [node, type, base] :
           llvm::zip_equal(loops.results, dtypes, results)) {
        k.storeAligned(k.toStorage(values[i][node], type),
                       k.advance(base, starts[i], type));
      }
    }
    if (isOutside) {
      emitReport(k, statusWord, std::exchange(isOutside, Value()));
    }
  }

  CudaKernelBuilder &k;
  const PointwiseLoops &loops;
  const PointwiseSchedule &schedule;
  ArrayRef<Type> dtypes;
  const std::optional<RunBound> bound;
  const int64_t total;
  Value statusWord; // null where nothing is gathered
  /// Of the vectors at hand, whether an index was; null for none.
  Value isOutside;
  bool isWide = false; // element numbers need 64 bits
  SmallVector<Value> reads, results;
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
