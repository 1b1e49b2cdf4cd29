// SPDX-License-Identifier: Apache-2.0
//
// Attention in all its ways, compiled and run, against float64 loops of the
// test.

#include "test/unit/compiler/target/cpu/attention/AttentionRun.h"

#include "mlir/AsmParser/AsmParser.h"

#include "gmock/gmock.h"

using ::testing::HasSubstr;

namespace minic::cpu {
namespace {

TEST(AttentionFamily, EverySchedule) {
  check({.heads = 3,
         .keyHeads = 3,
         .rows = 197,
         .keys = 197,
         .depth = 40,
         .causal = "upper_left",
         .hasLogSumExp = true},
        "", /*allSchedules=*/true);
  check({.heads = 2,
         .keyHeads = 1,
         .rows = 77,
         .keys = 600,
         .valueDepth = 24,
         .dtype = "f16",
         .maskType = "i1",
         .mask = {77, 600}},
        "", /*allSchedules=*/true);
}

TEST(AttentionFamily, EveryScheduleOfAFewQueries) {
  for (std::string dtype : {"f32", "bf16"}) {
    check({.batch = 2,
           .heads = 6,
           .keyHeads = 2,
           .rows = 3,
           .keys = 203,
           .depth = 40,
           .valueDepth = 72,
           .dtype = dtype,
           .window = 90,
           .causal = "lower_right",
           .lengths = {203, 60},
           .hasLogSumExp = true},
          "", /*allSchedules=*/true);
    check({.heads = 3,
           .keyHeads = 3,
           .keys = 600,
           .depth = 256,
           .valueDepth = 256,
           .dtype = dtype},
          "", /*allSchedules=*/true);
  }
  check({.heads = 4,
         .keyHeads = 2,
         .rows = 5,
         .keys = 77,
         .depth = 9,
         .valueDepth = 3,
         .maskType = "i1",
         .mask = {4, 5, 77}},
        "", /*allSchedules=*/true);
  check({.batch = 2,
         .heads = 4,
         .keyHeads = 4,
         .rows = 2,
         .keys = 33,
         .softCap = 2,
         .maskType = "f32",
         .mask = {2, 1, 1, 33}},
        "", /*allSchedules=*/true);
  check({.heads = 4,
         .keyHeads = 2,
         .rows = 2,
         .keys = 40,
         .depth = 20,
         .valueDepth = 20,
         .dtype = "f16",
         .maskType = "f16",
         .mask = {40}},
        "v3", /*allSchedules=*/true);
}

/// Of all schedules of `c`, whether some split its keys.
bool isSplit(const AttentionCase &c) {
  AttentionTensors tensors(c);
  ParsedFusion parsed(typesOf(tensors.inputs), tensors.resultTypes(),
                      tensors.body());
  for (const Implementation &each :
       AttentionFamily().enumerate(parsed.get(), getCpuProfile(2))) {
    if (each.name.find(" split=2") != std::string::npos) {
      return true;
    }
  }
  return false;
}

TEST(AttentionFamily, KeysAreSplitWhereTilesAreFew) {
  AttentionCase one = {.keys = 333, .depth = 24, .valueDepth = 20};
  EXPECT_TRUE(isSplit(one));
  check(one, "", /*allSchedules=*/true);
  one.dtype = "bf16";
  one.rows = 5;
  one.causal = "lower_right";
  EXPECT_TRUE(isSplit(one));
  check(one, "", /*allSchedules=*/true);
  EXPECT_FALSE(isSplit({.heads = 2, .keyHeads = 2, .keys = 333}));
  EXPECT_FALSE(isSplit({.keys = 100})) << "too few keys";
  // All tiles of 40 queries are one, whose lanes are queries.
  check({.heads = 3, .keyHeads = 3, .rows = 16, .keys = 300}, "",
        /*allSchedules=*/true);
}

TEST(AttentionFamily, APartMayHaveNoKey) {
  for (int64_t length : {0, 1, 20, 170, 333}) {
    check({.keys = 333, .lengths = {length}}, "", /*allSchedules=*/true);
    check({.rows = 2, .keys = 333, .lengths = {length}, .hasLogSumExp = true},
          "", /*allSchedules=*/true);
  }
  check({.rows = 3, .keys = 333, .window = 7, .causal = "lower_right"}, "",
        /*allSchedules=*/true);
}

TEST(AttentionFamily, AnyLengths) {
  for (int64_t keys : {1, 17, 77, 197}) {
    check({.heads = 3, .keyHeads = 3, .rows = keys, .keys = keys, .depth = 40});
  }
  check({.batch = 2, .rows = 33, .keys = 600, .valueDepth = 24});
}

TEST(AttentionFamily, AnyDepth) {
  for (int64_t depth : {7, 64, 80, 128, 256}) {
    check({.heads = 2,
           .keyHeads = 2,
           .rows = 18,
           .keys = 70,
           .depth = depth,
           .valueDepth = depth});
  }
  check({.rows = 50, .keys = 13, .depth = 1, .valueDepth = 1});
}

TEST(AttentionFamily, HalfPrecision) {
  for (std::string dtype : {"bf16", "f16"}) {
    check({.heads = 2,
           .keyHeads = 1,
           .rows = 19,
           .keys = 150,
           .depth = 20,
           .valueDepth = 40,
           .dtype = dtype,
           .causal = "lower_right"});
    check({.batch = 2,
           .rows = 5,
           .keys = 17,
           .dtype = dtype,
           .maskType = dtype,
           .mask = {5, 17}});
  }
}

TEST(AttentionFamily, CausalTilesAndWindows) {
  for (std::string causal : {"upper_left", "lower_right"}) {
    for (auto [rows, keys] :
         {std::pair(197, 197), std::pair(70, 150), std::pair(150, 70)}) {
      check({.heads = 2,
             .keyHeads = 2,
             .rows = rows,
             .keys = keys,
             .causal = causal,
             .hasLogSumExp = true});
      check({.rows = rows,
             .keys = keys,
             .window = 9,
             .causal = causal,
             .hasLogSumExp = true});
    }
  }
  check({.heads = 12, .keyHeads = 4, .rows = 30, .keys = 200, .window = 40});
}

TEST(AttentionFamily, HeadsThatShareKeys) {
  check({.batch = 2,
         .heads = 12,
         .keyHeads = 3,
         .rows = 7,
         .keys = 33,
         .causal = "upper_left"});
  check({.heads = 8,
         .keyHeads = 1,
         .rows = 1,
         .keys = 77,
         .depth = 64,
         .valueDepth = 64,
         .causal = "lower_right",
         .lengths = {50}});
}

TEST(AttentionFamily, MasksOfKeysAndOfQueries) {
  struct Mask {
    std::vector<int64_t> shape;
    int64_t keyHeads = 4;
  };
  std::vector<Mask> masks = {{{2, 1, 1, 70}}, {{70}},
                             {{19, 70}},      {{4, 1, 70}},
                             {{4, 1, 70}, 2}, {{2, 4, 19, 70}, 2},
                             {{2, 1, 19, 1}}};
  for (std::string type : {"i1", "f32"}) {
    for (const Mask &mask : masks) {
      check({.batch = 2,
             .heads = 4,
             .keyHeads = mask.keyHeads,
             .rows = 19,
             .keys = 70,
             .maskType = type,
             .mask = mask.shape,
             .hasLogSumExp = true});
    }
  }
  check({.heads = 2,
         .keyHeads = 2,
         .rows = 70,
         .keys = 200,
         .causal = "upper_left",
         .maskType = "i1",
         .mask = {70, 200},
         .hasLogSumExp = true});
}

TEST(AttentionFamily, RunTimeLengths) {
  check({.batch = 3,
         .heads = 2,
         .keyHeads = 2,
         .rows = 20,
         .keys = 100,
         .lengths = {0, 37, 1000},
         .hasLogSumExp = true});
  check({.batch = 2,
         .heads = 2,
         .keyHeads = 1,
         .rows = 3,
         .keys = 64,
         .window = 20,
         .causal = "lower_right",
         .lengths = {-5, 50},
         .hasLogSumExp = true});
}

TEST(AttentionFamily, ScoresFarApart) {
  check({.rows = 40,
         .keys = 300,
         .depth = 40,
         .scale = 20,
         .hasLogSumExp = true});
  check({.rows = 40, .keys = 70, .softCap = 0.5, .hasLogSumExp = true});
  check({.rows = 20, .keys = 70, .scale = 0.001});
}

TEST(AttentionFamily, WithoutAvx512) {
  check({.heads = 4,
         .keyHeads = 2,
         .rows = 37,
         .keys = 85,
         .depth = 20,
         .valueDepth = 40,
         .causal = "upper_left",
         .maskType = "f32",
         .mask = {37, 85},
         .hasLogSumExp = true},
        "v3");
  for (std::string dtype : {"bf16", "f16"}) {
    check({.rows = 18, .keys = 37, .depth = 9, .dtype = dtype, .lengths = {30}},
          "v3");
  }
}

// Queries, keys and values of one projection, and a result with heads beside
// each other: nothing is moved.
TEST(AttentionFamily, ReadsAndWritesThroughViews) {
  for (int64_t rows : {40, 3}) {
    AttentionTensors plain({.batch = 2,
                            .heads = 4,
                            .keyHeads = 4,
                            .rows = rows,
                            .keys = rows,
                            .depth = 16,
                            .valueDepth = 16});
    std::string t = std::to_string(rows);
    DenseTensor projection("f32", {2, rows, 192});
    DenseTensor result("f32", {2, rows, 64});
    // Where element i of [2, 4, rows, 16] is in [2, rows, width].
    auto place = [&](int64_t i, int64_t width) {
      int64_t e = i % 16, row = i / 16 % rows, head = i / 16 / rows % 4;
      return (i / 64 / rows * rows + row) * width + head * 16 + e;
    };
    for (int64_t which = 0; which != 3; ++which) {
      for (int64_t i = 0; i != plain.inputs[0].count(); ++i) {
        projection.set(place(i, 192) + which * 64,
                       plain.inputs[size_t(which)].get(i));
      }
    }
    std::string heads = "tensor<2x4x" + t + "x16xf32>";
    std::string all = "tensor<3x2x4x" + t + "x16xf32>";
    std::string one = "tensor<1x2x4x" + t + "x16xf32>";
    std::string body =
        "%r = graph.reshape %0 : " + projection.type() + " to tensor<2x" + t +
        "x3x4x16xf32>\n%t = graph.transpose %r [2, 0, 3, 1, 4] : tensor<2x" +
        t + "x3x4x16xf32> -> " + all + "\n";
    for (int64_t which = 0; which != 3; ++which) {
      std::string n = std::to_string(which), next = std::to_string(which + 1);
      body += "%s" + n + " = graph.slice %t [" + n + ", 0, 0, 0, 0] to [" +
              next + ", 2, 4, " + t + ", 16] by [1, 1, 1, 1, 1] : " + all +
              " -> " + one + "\n%h" + n + " = graph.reshape %s" + n + " : " +
              one + " to " + heads + "\n";
    }
    body += "%y = graph.attention %h0, %h1, %h2 : (" + heads + ", " + heads +
            ", " + heads + ") -> " + heads +
            "\n%z = graph.transpose %y [0, 2, 1, 3] : " + heads +
            " -> tensor<2x" + t +
            "x4x16xf32>\n%w = graph.reshape %z : "
            "tensor<2x" +
            t + "x4x16xf32> to " + result.type() +
            "\nkernel.yield %w : " + result.type();
    ParsedFusion parsed({projection.type()}, result.type(), body);
    runFusion(AttentionFamily(), parsed.get(),
              {projection.data(), result.data()});
    for (int64_t i = 0; i != plain.results[0].count(); ++i) {
      plain.results[0].set(i, result.get(place(i, 64)));
    }
    plain.check();
  }
}

//===----------------------------------------------------------------------===//
// NaN and infinities
//===----------------------------------------------------------------------===//

TEST(AttentionFamily, KeysLeftOutHaveNoInfluenceOnAFewQueries) {
  AttentionTensors tensors({.heads = 2,
                            .keyHeads = 2,
                            .rows = 4,
                            .keys = 80,
                            .causal = "upper_left"});
  for (int64_t s = 4; s != 80; ++s) {
    tensors.inputs[2].set(s * 8, NAN);
    tensors.inputs[1].set((80 + s) * 8, HUGE_VAL);
    tensors.inputs[2].set((80 + s) * 8, HUGE_VAL);
  }
  run(tensors, "", /*allSchedules=*/true);
}

TEST(AttentionFamily, KeysLeftOutHaveNoInfluence) {
  AttentionTensors tensors({.heads = 2,
                            .keyHeads = 2,
                            .rows = 40,
                            .keys = 80,
                            .causal = "upper_left"});
  int64_t last = 79 * 8; // behind every query
  int64_t middle = 25 * 8;
  AttentionCase half = tensors.c;
  half.dtype = "bf16";
  AttentionTensors halves(half);
  for (double bad : {double(NAN), HUGE_VAL}) {
    for (AttentionTensors *each : {&tensors, &halves}) {
      each->inputs[1].set(last, bad);
      each->inputs[2].set(last + 1, bad);
      run(*each);
    }
  }
  // What queries from number 25 on see; earlier ones do not.
  tensors.inputs[2].set(middle, NAN);
  tensors.inputs[1].set(640 + middle, NAN);
  std::vector<void *> addresses;
  for (auto *each : {&tensors.inputs, &tensors.results}) {
    for (DenseTensor &tensor : *each) {
      addresses.push_back(tensor.data());
    }
  }
  ParsedFusion parsed(typesOf(tensors.inputs), tensors.resultTypes(),
                      tensors.body());
  runFusion(AttentionFamily(), parsed.get(), addresses);
  for (int64_t t = 0; t != 40; ++t) {
    EXPECT_EQ(std::isnan(tensors.results[0].get(t * 8)), t >= 25) << t;
    EXPECT_FALSE(std::isnan(tensors.results[0].get(t * 8 + 1))) << t;
    EXPECT_EQ(std::isnan(tensors.results[0].get((40 + t) * 8 + 3)), t >= 25)
        << t;
  }
}

TEST(AttentionFamily, NanAndInfiniteScoresAreTheirQuerysOwn) {
  AttentionTensors tensors(
      {.rows = 20, .keys = 150, .maskType = "f32", .mask = {20, 150}});
  tensors.inputs[0].set(3 * 8, NAN);
  tensors.inputs[3].set(5 * 150 + 100, HUGE_VAL);
  for (int64_t s = 0; s != 150; ++s) {
    tensors.inputs[3].set(7 * 150 + s, -HUGE_VAL);
  }
  tensors.inputs[3].set(9 * 150 + 4, -HUGE_VAL);
  std::vector<void *> addresses;
  for (auto *each : {&tensors.inputs, &tensors.results}) {
    for (DenseTensor &tensor : *each) {
      addresses.push_back(tensor.data());
    }
  }
  ParsedFusion parsed(typesOf(tensors.inputs), tensors.resultTypes(),
                      tensors.body());
  runFusion(AttentionFamily(), parsed.get(), addresses);
  for (int64_t t = 0; t != 20; ++t) {
    if (t == 3 || t == 5) {
      EXPECT_TRUE(std::isnan(tensors.results[0].get(t * 8)));
    } else {
      tensors.checkRow(0, 0, t);
    }
  }
}

//===----------------------------------------------------------------------===//
// What it refuses
//===----------------------------------------------------------------------===//

TEST(AttentionFamily, SaysWhyNot) {
  std::string t = "tensor<1x2x4x8xf32>", moved = "tensor<1x2x8x4xf32>";
  ParsedFusion parsed({t, t, t}, moved,
                      "%y = graph.attention %0, %1, %2 : (" + t + ", " + t +
                          ", " + t + ") -> " + t +
                          "\n%z = graph.transpose %y [0, 1, 3, 2] : " + t +
                          " -> " + moved + "\nkernel.yield %z : " + moved);
  DeviceProfile profile = getCpuProfile(2);
  EXPECT_EQ(AttentionFamily().reject(parsed.get(), profile),
            "elements of a row of the result are no neighbours");
}

TEST(AttentionFamily, RefusesASchedule) {
  AttentionTensors tensors({.rows = 4, .keys = 4});
  for (std::string schedule :
       {"{keys = 64 : i64, rows = 64 : i64, split = 1 : i64}",
        "{keys = 0 : i64, rows = 64 : i64, split = 1 : i64, step = 6 : i64}",
        "{keys = 64 : i64, rows = 24 : i64, split = 1 : i64, step = 6 : i64}",
        "{keys = 64 : i64, rows = 8 : i64, split = 1 : i64, step = 6 : i64}",
        "{keys = 64 : i64, rows = 64 : i64, split = 1 : i64, step = 100 : i64}",
        "{keys = 64 : i64, rows = 64 : i64, split = 0 : i64, step = 6 : i64}",
        "{keys = 64 : i64, rows = 8 : i64, split = 1 : i64, step = 16 : i64, "
        "tiles}",
        "{keys = 64 : i64, rows = 64 : i64, split = 1 : i64, step = 6 : i64, "
        "tiles}",
        "{keys = 64 : i64, rows = 64 : i64, split = 17 : i64, step = 6 : "
        "i64}"}) {
    ParsedFusion parsed(typesOf(tensors.inputs), tensors.resultTypes(),
                        tensors.body());
    kernel::FusionOp fusion = parsed.get();
    mlir::MLIRContext *context = fusion.getContext();
    auto attr = mlir::cast<mlir::DictionaryAttr>(
        mlir::parseAttribute(schedule, context));
    fusion.setImplAttr(kernel::ImplAttr::get(context, "attention", attr));
    RecordingPlanBuilder plan(context);
    std::string message;
    mlir::ScopedDiagnosticHandler handler(context, [&](mlir::Diagnostic &d) {
      message = d.str();
      return mlir::success();
    });
    EXPECT_TRUE(mlir::failed(AttentionFamily().lower(fusion, plan)));
    EXPECT_THAT(message, HasSubstr("attention expects a schedule {keys = N"));
  }
}

} // namespace
} // namespace minic::cpu
