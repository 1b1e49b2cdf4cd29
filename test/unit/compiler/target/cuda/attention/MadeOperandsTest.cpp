// SPDX-License-Identifier: Apache-2.0
//
// Attention that makes its operands, run by the interpreter: new keys and
// values that it leaves in its caches, a turned query, a length that it counts.

#include "compiler/target/cuda/ConstantOperands.h"
#include "compiler/target/cuda/attention/AttentionGeometry.h"
#include "test/unit/compiler/target/cuda/attention/AttentionRun.h"

namespace minic::cuda {
namespace {

/// A step of decoding: `fresh` new rows at `position` of caches of `keys` rows,
/// keys turned before.
struct Step {
  int64_t batch = 1, heads = 4, keyHeads = 2, keys = 70, depth = 16, fresh = 1;
  int64_t position = 40, length = 41;
  bool turnsQuery = false, countsKeys = false;
  /// Keys are copied before earlier launches are done.
  bool isEarly = false;

  std::string query() const {
    return tensor({batch, heads, fresh, depth}, "bf16");
  }
  std::string cache() const {
    return tensor({batch, keyHeads, keys, depth}, "bf16");
  }
  std::string rows() const {
    return tensor({batch, keyHeads, fresh, depth}, "bf16");
  }
  std::string angles() const { return tensor({depth / 2}, "bf16"); }
  std::string lengths() const { return tensor({batch}, "i32"); }
  static std::string call(const std::string &name, const std::string &operands,
                          const std::string &operandTypes,
                          const std::string &type) {
    return name + " = graph." + operands + " : (" + operandTypes + ") -> " +
           type + "\n";
  }
  std::vector<std::string> arguments() const {
    return {query(), cache(),       cache(),  lengths(), rows(),
            rows(),  "tensor<i64>", angles(), angles()};
  }
  std::string results() const {
    return "(" + query() + ", " + cache() + ", " + cache() + ")";
  }
  std::string body() const {
    auto update = [&](const std::string &name, const std::string &operands) {
      return name + " = graph.cache_update " + operands +
             " at %6 axis = 2 {graph.in_place} : (" + cache() + ", " + rows() +
             ", tensor<i64>) -> " + cache() + "\n";
    };
    std::string both = ", " + angles() + ", " + angles();
    std::string text = call("%t", "rotary %4, %7, %8", rows() + both, rows()) +
                       update("%k", "%1, %t") + update("%v", "%2, %5");
    if (turnsQuery) {
      text += call("%q", "rotary %0, %7, %8", query() + both, query());
    }
    if (countsKeys) {
      text += call("%n", "add %3, %3", lengths() + ", " + lengths(), lengths());
    }
    return text +
           call("%y",
                std::string("attention ") + (turnsQuery ? "%q" : "%0") +
                    ", %k, %v key_length " + (countsKeys ? "%n" : "%3"),
                query() + ", " + cache() + ", " + cache() + ", " + lengths(),
                query()) +
           "kernel.yield %y, %k, %v : " + query() + ", " + cache() + ", " +
           cache();
  }

  /// Element `d` of row `row` of input `number`, turned.
  double turned(InterpretedFusion &run, size_t number, int64_t row,
                int64_t d) const {
    int64_t pairs = depth / 2, pair = d % pairs, own = row * depth;
    double cosine = run.inputs[7].get(pair), sine = run.inputs[8].get(pair);
    double other = run.inputs[number].get(own + (d + pairs) % depth);
    return run.inputs[number].get(own + d) * cosine +
           (d < pairs ? -other : other) * sine;
  }

  /// What the step leaves of keys and values, and makes of query and lengths.
  void update(InterpretedFusion &run) const {
    int64_t begin = std::clamp<int64_t>(position, 0, keys - fresh);
    for (int64_t row = 0; row != batch * keyHeads * fresh; ++row) {
      for (int64_t d = 0; d != depth; ++d) {
        int64_t to = ((row / fresh) * keys + begin + row % fresh) * depth + d;
        run.inputs[1].set(to, turned(run, 4, row, d));
        run.inputs[2].set(to, run.inputs[5].get(row * depth + d));
      }
    }
    std::vector<double> query;
    for (int64_t i = 0; turnsQuery && i != run.inputs[0].elements(); ++i) {
      query.push_back(turned(run, 0, i / depth, i % depth));
    }
    for (auto [i, element] : llvm::enumerate(query)) {
      run.inputs[0].set(int64_t(i), element);
    }
    for (int64_t b = 0; countsKeys && b != batch; ++b) {
      run.inputs[3].set(b, double(length));
    }
  }

  void check(const AttentionSchedule &schedule) const {
    SCOPED_TRACE(toString(schedule));
    InterpretedFusion run(arguments(), results(), body());
    for (int64_t b = 0; b != batch; ++b) {
      run.inputs[3].set(b, double(countsKeys ? length / 2 : length));
    }
    run.inputs[6].set(0, double(position));
    if (isEarly) {
      noteConstantOperands(run.fusion, {1, 2, 3, 6});
    }
    Implementation offer = offerDense(run.fusion, "attention",
                                      toAttr(schedule, run.fusion.getContext()),
                                      toString(schedule));
    ASSERT_NO_FATAL_FAILURE(
        run.run(AttentionFamily(), offer, *getCudaProfile("h200")));
    // What is copied ahead is not asked for ahead as well.
    llvm::StringRef ptx = run.ptx;
    EXPECT_EQ(isEarly, ptx.find("cp.async") < ptx.find("griddepcontrol.wait"));
    EXPECT_FALSE(isEarly && ptx.contains("prefetch.global.L2"));
    bool isOutside = position < 0 || position > keys - fresh;
    EXPECT_EQ(run.lastWord(), isOutside ? 1u : 0u);
    update(run);
    for (size_t cache : {1, 2}) {
      for (int64_t i = 0; i != run.inputs[cache].elements(); ++i) {
        // Turned in f32 and rounded once, but for what cancels.
        ASSERT_NEAR(run.results[cache].get(i), run.inputs[cache].get(i), 0x1p-7)
            << "cache " << cache << " element " << i;
      }
    }
    AttentionCase c;
    c.batch = batch;
    c.heads = heads;
    c.keyHeads = keyHeads;
    c.rows = fresh;
    c.keys = keys;
    c.depth = c.valueDepth = depth;
    c.lengthType = "i32";
    ASSERT_NO_FATAL_FAILURE(ExpectedAttention(c, run).check());
  }
};

AttentionSchedule split(int64_t keyWarps, int64_t keyBlock, int64_t parts,
                        bool clustered) {
  AttentionSchedule made;
  made.warps = 1;
  made.keyWarps = keyWarps;
  made.keyBlock = keyBlock;
  made.stages = 1;
  made.split = parts;
  made.clustered = clustered;
  made.programmatic = true;
  return made;
}

TEST(CudaMadeOperands, ReadsWhatItWrites) {
  Step step;
  for (int64_t position : {0, 31, 32, 69}) {
    step.position = position;
    step.length = position + 1;
    step.check(split(1, 32, 1, false));
    step.check(split(2, 32, 3, false));
    step.check(split(2, 32, 2, true));
  }
}

TEST(CudaMadeOperands, SharesHeadsAndStages) {
  Step step;
  step.batch = 2;
  for (bool packs : {false, true}) {
    AttentionSchedule schedule = split(1, 32, 2, false);
    schedule.packs = packs;
    step.check(schedule);
    schedule.stages = 2;
    schedule.split = 1;
    step.check(schedule);
  }
}

TEST(CudaMadeOperands, SeveralRows) {
  Step step;
  step.fresh = 3;
  step.depth = 64; // more elements than threads have at a time
  step.position = 62;
  step.length = 65;
  step.check(split(1, 32, 3, false));
}

// A new row is kept whether or not this step sees it.
TEST(CudaMadeOperands, BeyondTheLength) {
  Step step;
  step.position = 60;
  step.length = 20;
  step.check(split(1, 32, 3, false));
  step.length = 0;
  step.check(split(1, 32, 2, true));
}

TEST(CudaMadeOperands, ClampsAndReportsPositions) {
  Step step;
  step.length = 70;
  for (int64_t position : {-1, 70}) {
    step.position = position;
    step.check(split(1, 32, 2, false));
  }
}

// Of fewer rows than a tile has, and of several tiles.
TEST(CudaMadeOperands, TurnsTheQuery) {
  Step step;
  step.turnsQuery = true;
  step.check(split(1, 32, 2, false));
  step.check(split(2, 32, 2, true));
  step.heads = 24;
  step.fresh = 2;
  for (bool packs : {false, true}) {
    AttentionSchedule schedule = split(1, 32, 2, false);
    schedule.packs = packs;
    step.check(schedule);
    schedule.stages = 2;
    step.check(schedule);
  }
}

TEST(CudaMadeOperands, CountsKeys) {
  Step step;
  step.batch = 2;
  step.turnsQuery = step.countsKeys = true;
  step.position = 41;
  step.length = 42;
  step.check(split(1, 32, 3, false));
}

// New rows belong over what was copied, in whichever block has their place.
TEST(CudaMadeOperands, CopiesKeysEarly) {
  Step step;
  step.isEarly = true;
  for (int64_t position : {0, 31, 32, 69}) {
    step.position = position;
    step.length = position + 1;
    step.check(split(1, 32, 3, false));
    step.check(split(2, 32, 4, true));
  }
  step.position = 60; // not seen by this step
  step.length = 20;
  step.check(split(1, 32, 3, false));
  step.position = 100;
  step.length = 70;
  step.check(split(1, 32, 3, false));
  step.turnsQuery = true;
  step.fresh = 3;
  step.batch = 2;
  step.position = 30; // in two blocks
  step.length = 33;
  step.check(split(1, 32, 3, false));
  step.keys = 20;
  step.position = 4;
  step.length = 7;
  step.check(split(1, 32, 1, false));
}

TEST(CudaMadeOperands, RefusesWarpGroups) {
  Step step;
  step.fresh = 64;
  step.keys = 128;
  ParsedFusion parsed(step.arguments(), step.results(), step.body());
  std::string reason;
  auto attention = matchAttention(parsed.get(), reason);
  ASSERT_TRUE(succeeded(attention)) << reason;
  AttentionSchedule schedule;
  schedule.wgmma = true;
  EXPECT_TRUE(failed(AttentionGeometry::get(*attention, schedule, reason)));
  EXPECT_EQ(reason, "wgmma and operands to make");
}

} // namespace
} // namespace minic::cuda
