// SPDX-License-Identifier: Apache-2.0
//
// Attention kernels run by the interpreter: fragments, tails, masks, stages,
// at awkward sizes.

#include "test/unit/compiler/target/cuda/attention/AttentionRun.h"

#include <gmock/gmock.h>

using namespace mlir;

namespace minic::cuda {
namespace {

AttentionSchedule schedule(int64_t warps, int64_t rowTiles, int64_t keyBlock,
                           int64_t stages) {
  AttentionSchedule made;
  made.warps = warps;
  made.rowTiles = rowTiles;
  made.keyBlock = keyBlock;
  made.stages = stages;
  return made;
}

const AttentionSchedule kPlain = schedule(4, 1, 64, 2);

TEST(CudaAttention, Computes) {
  AttentionRun(sized(64, 64, 64, 64)).check(kPlain);
}

TEST(CudaAttention, AwkwardLengths) {
  for (int64_t rows : {1, 17, 77}) {
    for (int64_t keys : {1, 17, 77, 197}) {
      AttentionRun(sized(rows, keys, 16, 16)).check(schedule(2, 1, 32, 2));
    }
  }
}

TEST(CudaAttention, HeadSizes) {
  for (int64_t depth : {8, 10, 40, 64, 80, 128, 256}) {
    AttentionRun(sized(17, 33, depth, depth)).check(schedule(2, 1, 32, 1));
  }
  // Rows of 4 bytes' alignment.
  AttentionRun(sized(17, 33, 24, 130)).check(schedule(4, 1, 32, 2));
}

TEST(CudaAttention, Schedules) {
  AttentionCase c = sized(70, 141, 32, 48);
  c.causal = Causality::UpperLeft;
  for (int64_t stages : {1, 2, 3}) {
    AttentionRun(c).check(schedule(2, 2, stages == 1 ? 16 : 64, stages));
    AttentionRun(c).check(schedule(1, 1, 128, stages));
  }
  AttentionRun(c).check(schedule(8, 1, 64, 2));
  c.dtype = "f16";
  AttentionRun(c).check(kPlain);
}

TEST(CudaAttention, HeadsThatShareKeys) {
  AttentionCase c = sized(21, 40, 16, 16);
  c.batch = 2;
  c.heads = 6;
  c.keyHeads = 2;
  c.logSumExp = true;
  for (bool packs : {false, true}) {
    AttentionSchedule s = schedule(2, 1, 32, 2);
    s.packs = packs;
    AttentionRun(c).check(s);
    c.causal = Causality::LowerRight;
    AttentionRun(c).check(s);
    c.window = 9;
    AttentionRun(c).check(s);
  }
}

TEST(CudaAttention, LeavesOutKeys) {
  for (auto [rows, keys] :
       {std::pair<int64_t, int64_t>{77, 77}, {77, 33}, {17, 197}, {1, 70}}) {
    for (Causality causal :
         {Causality::None, Causality::UpperLeft, Causality::LowerRight}) {
      for (int64_t window : {0, 20}) {
        AttentionCase c = sized(rows, keys, 16, 16);
        c.causal = causal;
        c.window = window;
        c.logSumExp = true;
        AttentionRun(c).check(schedule(2, 1, 32, 2));
      }
    }
  }
}

TEST(CudaAttention, ScaleCapAndPeakedScores) {
  AttentionCase c = sized(40, 50, 64, 32);
  c.spread = 40;
  AttentionRun(c).check(kPlain);
  c.scale = -0.3;
  AttentionRun(c).check(kPlain);
  c.softCap = 5;
  c.scale = 0.2;
  c.logSumExp = true;
  AttentionRun(c).check(kPlain);
}

TEST(CudaAttention, Masks) {
  struct Mask {
    std::string type;
    std::vector<int64_t> dims;
  };
  for (int64_t keys : {50, 33}) {
    for (const Mask &mask : {Mask{"i1", {keys}},
                             {"i1", {2, 4, 20, keys}},
                             {"i1", {20, 1}},
                             {"bf16", {2, 1, 1, keys}},
                             {"f32", {4, 20, keys}}}) {
      AttentionCase c = sized(20, keys, 16, 16);
      c.batch = 2;
      c.heads = 4;
      c.keyHeads = 2;
      c.maskType = mask.type;
      c.maskDims = mask.dims;
      c.logSumExp = true;
      AttentionSchedule packed = schedule(2, 1, 32, 1);
      packed.packs = true;
      AttentionRun(c).check(packed);
      c.causal = Causality::UpperLeft;
      AttentionRun(c).check(schedule(2, 1, 32, 2));
    }
  }
}

TEST(CudaAttention, RowsWithoutKeys) {
  AttentionCase c = sized(20, 40, 16, 16);
  c.logSumExp = true;
  c.maskType = "i1";
  c.maskDims = {20, 40};
  AttentionRun bits(c);
  for (int64_t i = 0; i != 3 * 40; ++i) {
    bits.run.inputs[3].set(i, -1);
  }
  bits.check(kPlain);
  c.maskType = "f32";
  AttentionRun added(c);
  for (int64_t i = 0; i != 3 * 40; ++i) {
    added.run.inputs[3].set(i, -INFINITY);
  }
  added.check(kPlain);
}

TEST(CudaAttention, CountsKeysAtRunTime) {
  for (const char *type : {"i32", "i64"}) {
    AttentionCase c = sized(9, 70, 16, 16);
    c.batch = 4;
    c.lengthType = type;
    c.logSumExp = true;
    for (Causality causal : {Causality::None, Causality::LowerRight}) {
      c.causal = causal;
      AttentionRun run(c);
      const double lengths[] = {0, 33, -5, 1000};
      for (int64_t b = 0; b != 4; ++b) {
        run.run.inputs[3].set(b, lengths[b]);
      }
      // Behind the last key there may be anything.
      for (int64_t s = 33; s != 70; ++s) {
        run.run.inputs[1].set((70 + s) * 16, std::nan(""));
        run.run.inputs[2].set((70 + s) * 16, INFINITY);
      }
      run.check(schedule(1, 1, 32, 2));
    }
  }
}

// Keys left out have no influence, whatever they are; others have.
TEST(CudaAttention, NanOfKeys) {
  for (auto [keyWarps, columns] :
       {std::pair<int64_t, int64_t>{1, 16}, {1, 32}, {2, 16}}) {
    AttentionCase c = sized(20, 40, 16, columns);
    c.causal = Causality::UpperLeft;
    AttentionRun run(c);
    run.run.inputs[1].set(15 * 16 + 3, std::nan(""));
    run.run.inputs[2].set(12 * columns + 5, std::nan(""));
    run.run.inputs[2].set(18 * columns + 7, -INFINITY);
    AttentionSchedule s = schedule(2, 1, 32, 1);
    s.keyWarps = keyWarps;
    ASSERT_NO_FATAL_FAILURE(run.by(s));
    for (int64_t t = 0; t != 20; ++t) {
      ExpectedAttention::Row want = ExpectedAttention(c, run.run).row(0, 0, t);
      for (int64_t e = 0; e != columns; ++e) {
        double got = run.run.results[0].get(t * columns + e);
        bool isNan = t >= 15 || (t >= 12 && e == 5);
        ASSERT_EQ(std::isnan(got), isNan) << t << ", " << e;
        if (!isNan) {
          ASSERT_NEAR(got, want.values[size_t(e)], 0.02);
        }
      }
    }
  }
}

TEST(CudaAttention, SharesKeysAmongWarpsAndBlocks) {
  AttentionCase c = sized(3, 300, 32, 40);
  c.batch = 2;
  c.heads = 4;
  c.keyHeads = 2;
  c.lengthType = "i32";
  c.logSumExp = true;
  for (auto [warps, keyWarps, split] :
       {std::tuple<int64_t, int64_t, int64_t>{1, 4, 1}, {1, 1, 3}, {2, 2, 5}}) {
    for (Causality causal : {Causality::None, Causality::LowerRight}) {
      c.causal = causal;
      AttentionRun run(c);
      run.run.inputs[3].set(0, 300);
      run.run.inputs[3].set(1, 70);
      AttentionSchedule s = schedule(warps, 1, 64, 2);
      s.keyWarps = keyWarps;
      s.split = split;
      s.packs = true;
      run.check(s);
      if (split > 1) {
        s.clustered = true;
        run.check(s);
      }
    }
  }
}

// With one stage and one block of keys for each block of threads, keys and
// values are copied at once; some blocks have none.
TEST(CudaAttention, HasOneBlockOfKeys) {
  AttentionCase c = sized(1, 300, 64, 64);
  c.batch = 2;
  c.lengthType = "i32";
  AttentionRun run(c);
  run.run.inputs[3].set(0, 300);
  run.run.inputs[3].set(1, 70);
  for (int64_t keyWarps : {1, 4}) {
    AttentionSchedule s = schedule(1, 1, 64, 1);
    s.keyWarps = keyWarps;
    s.split = 5;
    run.check(s);
    s.clustered = true;
    run.check(s);
  }
}

// Parts are merged sixteen at a time.
TEST(CudaAttention, MergesManyParts) {
  AttentionCase c = sized(2, 650, 16, 16);
  c.logSumExp = true;
  c.causal = Causality::LowerRight;
  AttentionRun run(c);
  for (int64_t split : {16, 18, 32, 37}) {
    AttentionSchedule s = schedule(1, 1, 16, 2);
    s.split = split;
    run.check(s);
  }
}

// Heads that are columns of a projection, and results that become its rows.
TEST(CudaAttention, MovedOperandsAndResults) {
  AttentionCase c = sized(9, 9, 16, 16);
  c.heads = c.keyHeads = 3;
  std::string columns = tensor({1, 9, 3 * 16}, "bf16"),
              split = tensor({1, 9, 3, 16}, "bf16"),
              heads = tensor({1, 3, 9, 16}, "bf16");
  std::string body;
  for (std::string name : {"0", "1", "2"}) {
    body += "%s" + name + " = graph.reshape %" + name + " : " + columns +
            " to " + split + "\n%h" + name + " = graph.transpose %s" + name +
            " [0, 2, 1, 3] : " + split + " -> " + heads + "\n";
  }
  body += "%a = graph.attention %h0, %h1, %h2 : (" + heads + ", " + heads +
          ", " + heads + ") -> " + heads +
          "\n%t = graph.transpose %a [0, 2, 1, 3] : " + heads + " -> " + split +
          "\n%r = graph.reshape %t : " + split + " to " + columns +
          "\nkernel.yield %r : " + columns;
  InterpretedFusion run({columns, columns, columns}, columns, body);
  Implementation offer =
      offerDense(run.fusion, "attention",
                 toAttr(kPlain, run.fusion.getContext()), toString(kPlain));
  ASSERT_NO_FATAL_FAILURE(
      run.run(AttentionFamily(), offer, *getCudaProfile("h200")));
  // The reference reads dense heads.
  AttentionRun dense(c);
  auto at = [](int64_t h, int64_t t, int64_t d) {
    return (t * 3 + h) * 16 + d;
  };
  for (size_t i = 0; i != 3; ++i) {
    for (int64_t h = 0; h != 3; ++h) {
      for (int64_t t = 0; t != 9; ++t) {
        for (int64_t d = 0; d != 16; ++d) {
          dense.run.inputs[i].set((h * 9 + t) * 16 + d,
                                  run.inputs[i].get(at(h, t, d)));
        }
      }
    }
  }
  dense.run.results = std::move(run.results);
  ExpectedAttention(c, dense.run)
      .check([&](int64_t, int64_t h, int64_t t, int64_t e) {
        return at(h, t, e);
      });
}

} // namespace
} // namespace minic::cuda
