// SPDX-License-Identifier: Apache-2.0
//
// Schedules as attributes and as text, and what they must fit.

#include "compiler/target/cuda/rows/RowSchedule.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace minic::cuda {

/// Whether a vector of `lanes` neighbouring rows begins where it is aligned, or
/// all of them have one element. `strides` are of all loops.
static bool takesNeighbours(const RowFusion &rows, int64_t offset,
                            ArrayRef<int64_t> strides, int64_t lanes) {
  if (strides[rows.rowLoops - 1] == 0) {
    return true;
  }
  for (auto [loop, stride] : llvm::enumerate(strides)) {
    if (loop + 1 != rows.rowLoops && stride % lanes != 0) {
      return false;
    }
  }
  return strides[rows.rowLoops - 1] == 1 && offset % lanes == 0;
}

/// Why a thread cannot have `across` rows at once; empty where it can.
static std::string mismatchAcross(const RowFusion &rows, int64_t across) {
  std::string text = std::to_string(across) + " rows of a thread ";
  if (rows.rowLoops == 0 || rows.extents[rows.rowLoops - 1] % across != 0) {
    return text + "are not of one loop";
  }
  for (const RowFusion::Read &read : rows.reads) {
    if (!takesNeighbours(rows, read.offset, read.strides, across)) {
      return text + "are no vectors of an operand";
    }
  }
  for (const RowFusion::Result &result : rows.results) {
    if (result.strides[rows.rowLoops - 1] != 1 ||
        !takesNeighbours(rows, 0, result.strides, across)) {
      return text + "are no vectors of a result";
    }
  }
  for (const RowFusion::Node &node : rows.nodes) {
    if (rows.isReduction(node) &&
        cast<graph::ReductionOpInterface>(node.op).needsIndices()) {
      return text + "do not know where their columns are";
    }
  }
  return {};
}

std::string mismatch(const RowFusion &rows, const RowSchedule &schedule) {
  if (schedule.across > 1) {
    std::string reason = mismatchAcross(rows, schedule.across);
    if (!reason.empty()) {
      return reason;
    }
  }
  if (rows.extents.back() % schedule.vector != 0) {
    return "vectors of " + std::to_string(schedule.vector) +
           " do not divide rows of " + std::to_string(rows.extents.back());
  }
  if (schedule.keeps && schedule.step() < rows.columns()) {
    return "threads keep " + std::to_string(schedule.step()) + " of " +
           std::to_string(rows.columns()) + " columns";
  }
  // A column's number stays below 2^31 when the last step goes beyond the row.
  if (schedule.step() > INT32_MAX / 2) {
    return std::to_string(schedule.step()) + " columns at a time";
  }
  if (schedule.blocks(rows) > INT32_MAX) {
    return std::to_string(schedule.blocks(rows)) + " blocks";
  }
  return {};
}

std::string toString(const RowSchedule &schedule) {
  auto text = [](int64_t value) { return std::to_string(value); };
  std::string shared =
      schedule.split == 1
          ? ""
          : (schedule.cluster ? " cluster=" : " split=") + text(schedule.split);
  return "rows " + text(schedule.threads) + "x" + text(schedule.rows) + " " +
         text(schedule.vector) + "x" + text(schedule.unroll) +
         (schedule.across > 1 ? " across=" + text(schedule.across) : "") +
         (schedule.keeps ? "" : " again") + shared +
         (schedule.programmatic ? " pdl" : "");
}

DictionaryAttr toAttr(const RowSchedule &schedule, MLIRContext *context) {
  Builder b(context);
  auto number = [&](StringRef name, int64_t value) {
    return b.getNamedAttr(name, b.getI64IntegerAttr(value));
  };
  SmallVector<NamedAttribute> fields = {
      number("cluster", schedule.cluster),  number("keep", schedule.keeps),
      number("pdl", schedule.programmatic), number("rows", schedule.rows),
      number("split", schedule.split),      number("threads", schedule.threads),
      number("unroll", schedule.unroll),    number("vector", schedule.vector)};
  // Others keep the attribute that records of before have.
  if (schedule.across > 1) {
    fields.push_back(number("across", schedule.across));
  }
  return b.getDictionaryAttr(fields);
}

/// Blocks of a cluster: a power of two that any device with clusters takes, and
/// a thread for each to send it what its row's others know.
static bool isCluster(const RowSchedule &schedule) {
  return llvm::isPowerOf2_64(schedule.split) && schedule.split > 1 &&
         schedule.split <= std::min<int64_t>(8, schedule.threads);
}

FailureOr<RowSchedule> parseRowSchedule(DictionaryAttr attr, Location loc) {
  RowSchedule schedule;
  bool hasAcross = attr && attr.contains("across");
  bool isKnown = attr && attr.size() == (hasAcross ? 9 : 8);
  auto read = [&](StringRef name, int64_t least, int64_t most) {
    auto value = attr ? attr.getAs<IntegerAttr>(name) : IntegerAttr();
    isKnown =
        isKnown && value && value.getInt() >= least && value.getInt() <= most;
    return isKnown ? value.getInt() : least;
  };
  schedule.across = hasAcross ? read("across", 2, 8) : 1;
  schedule.cluster = read("cluster", 0, 1) != 0;
  schedule.keeps = read("keep", 0, 1) != 0;
  schedule.programmatic = read("pdl", 0, 1) != 0;
  schedule.rows = read("rows", 1, 1024);
  schedule.split = read("split", 1, 4096);
  schedule.threads = read("threads", 1, 1024);
  schedule.unroll = read("unroll", 1, 64);
  schedule.vector = read("vector", 1, 16);
  isKnown = isKnown && llvm::isPowerOf2_64(schedule.threads) &&
            llvm::isPowerOf2_64(schedule.vector) &&
            llvm::isPowerOf2_64(schedule.rows) &&
            llvm::isPowerOf2_64(schedule.across) &&
            (schedule.across == 1 || schedule.vector == 1) &&
            schedule.blockThreads() >= 32 && schedule.blockThreads() <= 1024 &&
            (!schedule.cluster || isCluster(schedule));
  if (!isKnown) {
    return emitError(loc,
                     "rows expects a schedule {cluster, keep, pdl, rows, "
                     "split, threads, unroll, vector} of 32 to 1024 threads, "
                     "clusters of 2, 4 or 8 blocks, with across no vectors, "
                     "got ")
           << attr;
  }
  return schedule;
}

} // namespace minic::cuda
