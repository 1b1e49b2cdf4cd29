// SPDX-License-Identifier: Apache-2.0
//
// Kernels of runs that have fewer rows than their bucket: rows of the run are
// as ever, and tiles behind them are neither computed nor written.

#include "dialects/kernel/RunRows.h"
#include "compiler/target/OfferFusion.h"
#include "compiler/target/cuda/attention/AttentionFamily.h"
#include "compiler/target/cuda/attention/AttentionSchedule.h"
#include "compiler/target/cuda/gemm_sm80/GemmSm80Family.h"
#include "compiler/target/cuda/gemm_sm80/GemmSm80Schedule.h"
#include "compiler/target/cuda/gemm_sm90/GemmSm90Family.h"
#include "compiler/target/cuda/gemm_sm90/GemmSm90Schedule.h"
#include "compiler/target/cuda/loops/LoopsFamily.h"
#include "compiler/target/cuda/loops/LoopsSchedule.h"
#include "compiler/target/cuda/pointwise/PointwiseFamily.h"
#include "compiler/target/cuda/pointwise/PointwiseSchedule.h"
#include "compiler/target/cuda/rows/RowSchedule.h"
#include "compiler/target/cuda/rows/RowsFamily.h"
#include "test/unit/compiler/target/cuda/InterpretedFusion.h"
#include "test/unit/dialects/kernel/TensorText.h"

#include <gtest/gtest.h>

#include <numeric>
#include <set>

using namespace mlir;

namespace minic::cuda {
namespace {

class RunRowsTest : public ::testing::Test {
protected:
  /// The fusion's results in a bucket of `size` rows; `rows` of them in a run.
  void make(const std::vector<std::string> &arguments,
            const std::string &results, const std::string &body, int64_t size) {
    run = std::make_unique<InterpretedFusion>(arguments, results, body);
    this->size = size;
    Builder b(run->fusion.getContext());
    kernel::RunRows{b.getStringAttr("T"), size}.set(run->fusion);
  }

  /// Pieces of `tile` elements of the results are computed together.
  void check(const KernelFamily &family, const Implementation &offer,
             int64_t tile) {
    SCOPED_TRACE(offer.name);
    DeviceProfile profile = *getCudaProfile("h200");
    run->runSize = 0;
    ASSERT_NO_FATAL_FAILURE(run->run(family, offer, profile));
    std::vector<cpu::TestTensor> all = std::move(run->results);
    for (int64_t rows : {int64_t(1), size / 2 - 1, size / 2, size - 1, size}) {
      SCOPED_TRACE(rows);
      run->runSize = uint32_t(rows);
      ASSERT_NO_FATAL_FAILURE(run->run(family, offer, profile));
      for (size_t i = 0; i != all.size(); ++i) {
        compare(run->results[i], all[i], rows, tile);
      }
    }
  }

  void compare(cpu::TestTensor &got, cpu::TestTensor &whole, int64_t rows,
               int64_t tile) {
    int64_t needed = whole.elements() / size * rows;
    int64_t end = (needed + tile - 1) / tile * tile;
    auto *a = reinterpret_cast<const unsigned char *>(got.data());
    auto *b = reinterpret_cast<const unsigned char *>(whole.data());
    int64_t bytes = whole.elementBytes();
    EXPECT_EQ(std::memcmp(a, b, size_t(needed * bytes)), 0);
    for (int64_t i = end * bytes; i < whole.elements() * bytes; ++i) {
      ASSERT_EQ(a[i], 0xff) << "written behind the run, byte " << i;
    }
  }

  Implementation offer(StringRef family, DictionaryAttr schedule,
                       std::string name) {
    return offerDense(run->fusion, family, schedule, std::move(name));
  }

  std::unique_ptr<InterpretedFusion> run;
  int64_t size = 0;
};

std::string linear(int64_t m, int64_t n, int64_t k, const std::string &dtype) {
  std::string x = tensor({m, k}, dtype), w = tensor({n, k}, dtype),
              y = tensor({m, n}, dtype);
  return "%l = graph.linear %0, %1 : (" + x + ", " + w + ") -> " + y +
         "\n%r = graph.relu %l : " + y + "\nkernel.yield %r : " + y;
}

/// Alone, and blocks that share a tile: by counters in memory, as a cluster.
TEST_F(RunRowsTest, gemmSm80) {
  for (auto [splits, clustered] :
       {std::pair(1, false), std::pair(2, false), std::pair(2, true)}) {
    GemmSm80Schedule schedule;
    schedule.bm = 32, schedule.bn = 32, schedule.bk = 32;
    schedule.splitK = splits, schedule.clustered = clustered;
    schedule.group = 2;
    make({tensor({80, 128}, "bf16"), tensor({64, 128}, "bf16")},
         tensor({80, 64}, "bf16"), linear(80, 64, 128, "bf16"), 80);
    check(GemmSm80Family(),
          offer("gemm_sm80", toAttribute(schedule, run->fusion.getContext()),
                toString(schedule)),
          schedule.bm * 64);
  }
}

GemmSm90Schedule sm90(int64_t bm, int64_t bn, bool tma) {
  GemmSm90Schedule made;
  made.bm = bm, made.bn = bn, made.warpGroupsM = 1, made.stages = 3;
  made.tma = tma;
  return made;
}

/// Copies by all threads and by TMA, splits, clusters that share operands.
TEST_F(RunRowsTest, gemmSm90) {
  GemmSm90Schedule split = sm90(64, 32, false), alongM = sm90(64, 32, true),
                   alongN = alongM, early = alongM;
  split.splitK = 2;
  alongM.multicastM = 2, alongM.group = 2;
  alongN.multicastN = 2, alongN.group = 1;
  early.programmatic = true;
  for (const GemmSm90Schedule &schedule :
       {sm90(64, 32, false), sm90(64, 32, true), split, alongM, alongN,
        early}) {
    make({tensor({256, 128}, "bf16"), tensor({64, 128}, "bf16")},
         tensor({256, 64}, "bf16"), linear(256, 64, 128, "bf16"), 128);
    // Neighbours of a cluster end together.
    check(GemmSm90Family(),
          offer("gemm_sm90", toAttribute(schedule, run->fusion.getContext()),
                toString(schedule)),
          schedule.bm * schedule.multicastM * 64);
  }
}

/// Blocks that stay: fewer tiles than blocks, as many and more; groups of rows.
TEST_F(RunRowsTest, gemmSm90PingPong) {
  for (auto [blocks, group] :
       {std::pair(3, 8), std::pair(2, 1), std::pair(5, 2), std::pair(8, 3)}) {
    GemmSm90Schedule schedule = sm90(64, 32, true);
    schedule.pingPongBlocks = blocks;
    schedule.group = group;
    make({tensor({320, 128}, "bf16"), tensor({96, 128}, "bf16")},
         tensor({320, 96}, "bf16"), linear(320, 96, 128, "bf16"), 320);
    check(GemmSm90Family(),
          offer("gemm_sm90", toAttribute(schedule, run->fusion.getContext()),
                toString(schedule)),
          schedule.bm * 96);
  }
}

TEST_F(RunRowsTest, pointwise) {
  std::string x = tensor({40, 24}, "f32");
  for (const PointwiseSchedule &schedule :
       std::vector<PointwiseSchedule>{{1, 1, 32}, {4, 2, 32}, {8, 1, 64}}) {
    make({x}, x, "%r = graph.exp %0 : " + x + "\nkernel.yield %r : " + x, 20);
    check(PointwiseFamily(),
          offer("pointwise", toAttr(schedule, run->fusion.getContext()),
                toString(schedule)),
          schedule.blockElements());
  }
}

/// Points are pairs, of which a row has 12.
TEST_F(RunRowsTest, rotary) {
  std::string x = tensor({1, 20, 2, 24}, "f32"), angles = tensor({12}, "f32");
  for (bool isInterleaved : {false, true}) {
    for (const PointwiseSchedule &schedule :
         std::vector<PointwiseSchedule>{{1, 1, 32}, {2, 2, 32}, {4, 1, 64}}) {
      make({x, angles, angles}, x,
           "%r = graph.rotary %0, %1, %2" +
               std::string(isInterleaved ? " {interleaved}" : "") + " : (" + x +
               ", " + angles + ", " + angles + ") -> " + x +
               "\nkernel.yield %r : " + x,
           20);
      // A block that begins ahead of the end may write the second halves of
      // rows that it only has the first ones of.
      check(PointwiseFamily(),
            offer("pointwise", toAttr(schedule, run->fusion.getContext()),
                  toString(schedule)),
            std::lcm(2 * schedule.blockElements(), int64_t(24)));
    }
  }
}

TEST_F(RunRowsTest, rows) {
  std::string x = tensor({24, 96}, "f32");
  make({x}, x,
       "%r = graph.softmax %0 axis = 1 : " + x + "\nkernel.yield %r : " + x,
       24);
  size_t checked = 0;
  for (Implementation &each :
       RowsFamily().enumerate(run->fusion, *getCudaProfile("h200"))) {
    auto schedule =
        parseRowSchedule(each.impl.getSchedule(), run->fusion.getLoc());
    ASSERT_TRUE(succeeded(schedule));
    if (checked++ < 4) {
      check(RowsFamily(), each, schedule->rows * 96);
    }
  }
}

/// Queries by their batch: keys split among blocks, causal, by wgmma.
/// Of each image 16 channels, which lie behind each other.
TEST_F(RunRowsTest, rowsAcross) {
  std::string x = tensor({24, 35, 16}, "f32"), y = tensor({24, 16}, "f32");
  for (auto [groups, split] : {std::pair(4, 1), std::pair(8, 2)}) {
    RowSchedule schedule = {16, groups, 1, 2, /*keeps=*/false};
    schedule.across = 4;
    schedule.split = split;
    schedule.cluster = split > 1;
    make({x}, y,
         "%r = graph.reduce mean, %0 [1] : " + x + " -> " + y +
             "\nkernel.yield %r : " + y,
         24);
    check(RowsFamily(),
          offer("rows", toAttr(schedule, run->fusion.getContext()),
                toString(schedule)),
          schedule.blockRows());
  }
}

TEST_F(RunRowsTest, attention) {
  for (const char *causal : {"", " {causal = #graph.causal<upper_left>}"}) {
    std::string q = tensor({5, 2, 40, 64}, "bf16");
    make({q, q, q}, q,
         "%a = graph.attention %0, %1, %2" + std::string(causal) + " : (" + q +
             ", " + q + ", " + q + ") -> " + q + "\nkernel.yield %a : " + q,
         5);
    std::set<std::string> seen;
    for (Implementation &each :
         AttentionFamily().enumerate(run->fusion, *getCudaProfile("h200"))) {
      auto schedule =
          parseAttentionSchedule(each.impl.getSchedule(), run->fusion.getLoc());
      ASSERT_TRUE(succeeded(schedule));
      std::string kind =
          std::to_string(schedule->wgmma) + std::to_string(schedule->split > 1);
      if (seen.insert(kind).second) {
        check(AttentionFamily(), each, /*tile=*/1);
      }
    }
    EXPECT_GT(seen.size(), 1u);
  }
}

/// A thread for each element, and several that share one.
TEST_F(RunRowsTest, loops) {
  std::string x = tensor({40, 7}, "f32");
  for (int64_t threads : {1, 8}) {
    make({x}, x,
         "%r = graph.cumsum %0 axis = 1 : " + x + "\nkernel.yield %r : " + x,
         40);
    LoopsSchedule schedule;
    schedule.threads = threads;
    schedule.block = 32;
    check(LoopsFamily(),
          offer("loops", toAttr(schedule, run->fusion.getContext()),
                toString(schedule)),
          schedule.blockElements());
  }
}

/// Rows that are no pieces of the results are computed as ever.
TEST_F(RunRowsTest, othersComputeAll) {
  std::string x = tensor({6, 5}, "f32");
  make({x}, x, "%r = graph.exp %0 : " + x + "\nkernel.yield %r : " + x, 4);
  LaunchRecorder plan(run->fusion.getContext());
  PointwiseSchedule schedule{1, 1, 32};
  implement(run->fusion,
            offer("pointwise", toAttr(schedule, run->fusion.getContext()),
                  toString(schedule)));
  ASSERT_TRUE(succeeded(PointwiseFamily().lower(run->fusion, plan)));
  plan.module->walk([&](plan::LaunchOp launch) {
    EXPECT_EQ(launch.getAddresses().size(), 2u);
  });
}

} // namespace
} // namespace minic::cuda
