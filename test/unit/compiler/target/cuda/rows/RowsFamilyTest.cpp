// SPDX-License-Identifier: Apache-2.0
//
// Rows kernels run by the interpreter, for every way to spread a row over
// threads: awkward sizes, fused neighbours, several results; and what is
// offered for which body.

#include "test/unit/compiler/target/cuda/rows/RowsCase.h"

#include <gmock/gmock.h>

#include <numeric>

using namespace mlir;
using testing::HasSubstr;
using testing::SizeIs;

namespace minic::cuda {
namespace {

/// Part of a warp, a warp, several, several rows per block; rows read again.
std::vector<RowSchedule> schedulesFor(int64_t columns) {
  int64_t vector = std::gcd(columns, int64_t(8));
  std::vector<RowSchedule> all;
  for (auto [threads, rows] :
       {std::pair<int64_t, int64_t>{4, 8}, {32, 2}, {128, 2}}) {
    int64_t unroll = (columns / vector + threads - 1) / threads;
    if (unroll * vector <= 32) {
      all.push_back({threads, rows, vector, unroll, /*keeps=*/true,
                     /*programmatic=*/true});
    }
    all.push_back({threads, rows, vector, 2, /*keeps=*/false});
  }
  return all;
}

TEST(CudaRows, ComputesSoftmax) {
  for (auto [rows, columns, dtype] :
       {std::tuple<int64_t, int64_t, std::string>{3, 64, "bf16"},
        {9, 7, "f32"},
        {2, 33, "f16"},
        {5, 1, "f32"},
        {1, 1000, "bf16"},
        {3, 1048, "f32"}}) {
    for (const RowSchedule &schedule : schedulesFor(columns)) {
      std::string x = tensor({rows, columns}, dtype);
      SCOPED_TRACE(x);
      InterpretedFusion run({x}, x,
                            "%y = graph.softmax %0 axis = 1 : " + x +
                                "\nkernel.yield %y : " + x);
      ASSERT_NO_FATAL_FAILURE(runBy(schedule, run));
      ASSERT_NO_FATAL_FAILURE(checkRows(run, 0, columns, dtype, softmax));
    }
  }
}

/// x + r kept, its norm scaled and shifted, and cast.
TEST(CudaRows, NormalizesASumThatItKeeps) {
  for (int64_t columns : {96, 77, 1030}) {
    for (const RowSchedule &schedule : schedulesFor(columns)) {
      std::string x = tensor({5, columns}, "bf16"),
                  w = tensor({columns}, "bf16"),
                  y = tensor({5, columns}, "f32");
      InterpretedFusion run(
          {x, x, w, w}, "(" + x + ", " + y + ")",
          "%s = graph.add %0, %1 : " + x +
              "\n%n = graph.layer_norm %s scale %2 bias %3 axis = 1 : (" + x +
              ", " + w + ", " + w + ") -> " + x + "\n%c = graph.cast %n : " +
              x + " to " + y + "\nkernel.yield %s, %c : " + x + ", " + y);
      ASSERT_NO_FATAL_FAILURE(runBy(schedule, run));
      for (int64_t row = 0; row != 5; ++row) {
        Row sum;
        for (int64_t i = 0; i != columns; ++i) {
          int64_t at = row * columns + i;
          sum.push_back(run.inputs[0].get(at) + run.inputs[1].get(at));
          ASSERT_NEAR(run.results[0].get(at), sum.back(),
                      tolerance(sum.back(), "bf16"));
        }
        Row norm = normalize(sum, /*isCentred=*/true);
        for (int64_t i = 0; i != columns; ++i) {
          double want =
              norm[size_t(i)] * run.inputs[2].get(i) + run.inputs[3].get(i);
          ASSERT_NEAR(run.results[1].get(row * columns + i), want,
                      0x1p-8 * (std::abs(want) + 0.01));
        }
      }
    }
  }
}

TEST(CudaRows, KeepsTheVarianceOfAFarMean) {
  std::string x = tensor({3, 768}, "f32");
  for (const RowSchedule &schedule : schedulesFor(768)) {
    InterpretedFusion run({x}, x,
                          "%n = graph.layer_norm %0 axis = 1 : (" + x +
                              ") -> " + x + "\nkernel.yield %n : " + x);
    for (int64_t i = 0; i != run.inputs[0].elements(); ++i) {
      run.inputs[0].set(i, run.inputs[0].get(i) + 58.0); // 100 deviations
    }
    ASSERT_NO_FATAL_FAILURE(runBy(schedule, run));
    for (int64_t row = 0; row != 3; ++row) {
      Row from;
      for (int64_t i = 0; i != 768; ++i) {
        from.push_back(run.inputs[0].get(row * 768 + i));
      }
      Row want = normalize(from, /*isCentred=*/true);
      for (int64_t i = 0; i != 768; ++i) {
        // The mean is rounded to 2^-18.
        ASSERT_NEAR(run.results[0].get(row * 768 + i), want[size_t(i)], 2e-5);
      }
    }
  }
}

TEST(CudaRows, ComputesRmsNormAndGroupNorm) {
  for (const RowSchedule &schedule : schedulesFor(40)) {
    std::string x = tensor({6, 40}, "f16"), w = tensor({40}, "f16");
    InterpretedFusion run({x, w}, x,
                          "%y = graph.rms_norm %0 scale %1 axis = 1 : (" + x +
                              ", " + w + ") -> " + x +
                              "\nkernel.yield %y : " + x);
    ASSERT_NO_FATAL_FAILURE(runBy(schedule, run));
    checkRows(run, 0, 40, "f16", [&](const Row &row) {
      Row y = normalize(row, /*isCentred=*/false);
      for (size_t i = 0; i != y.size(); ++i) {
        y[i] *= run.inputs[1].get(int64_t(i));
      }
      return y;
    });
  }
  // 4 channels of 10 in 2 groups: a vector crosses channels.
  for (int64_t vector : {1, 2}) {
    std::string x = tensor({3, 4, 10}, "f32"), w = tensor({4}, "f32");
    InterpretedFusion run({x, w}, x,
                          "%y = graph.group_norm %0 scale %1 groups = 2 : (" +
                              x + ", " + w + ") -> " + x +
                              "\nkernel.yield %y : " + x);
    ASSERT_NO_FATAL_FAILURE(
        runBy({4, 8, vector, 20 / 4 / vector + 1, true}, run));
    int64_t row = 0;
    checkRows(run, 0, 20, "f32", [&](const Row &x) {
      Row y = normalize(x, /*isCentred=*/true);
      for (size_t i = 0; i != y.size(); ++i) {
        y[i] *= run.inputs[1].get(row % 2 * 2 + int64_t(i) / 10);
      }
      ++row;
      return y;
    });
  }
}

TEST(CudaRows, NormalizesGroupsOfChannelsThatAreLast) {
  // 12 pixels of 2 groups of 4 channels.
  std::string x = tensor({1, 3, 4, 8}, "f32"), t = tensor({1, 8, 3, 4}, "f32"),
              w = tensor({8}, "f32");
  for (int64_t vector : {1, 2, 4}) {
    InterpretedFusion run(
        {x, w}, x,
        "%t = graph.transpose %0 [0, 3, 1, 2] : " + x + " -> " + t +
            "\n%n = graph.group_norm %t scale %1 groups = 2 : (" + t + ", " +
            w + ") -> " + t + "\n%y = graph.transpose %n [0, 2, 3, 1] : " + t +
            " -> " + x + "\n%s = graph.abs %y : " + x +
            "\nkernel.yield %s : " + x);
    ASSERT_NO_FATAL_FAILURE(
        runBy({4, 8, vector, 48 / 4 / vector + 1, true}, run));
    for (int64_t group : {0, 1}) {
      Row row;
      for (int64_t i = 0; i != 48; ++i) {
        row.push_back(run.inputs[0].get(i / 4 * 8 + group * 4 + i % 4));
      }
      Row want = normalize(row, /*isCentred=*/true);
      for (int64_t i = 0; i != 48; ++i) {
        double scale = run.inputs[1].get(group * 4 + i % 4);
        ASSERT_NEAR(run.results[0].get(i / 4 * 8 + group * 4 + i % 4),
                    std::abs(want[size_t(i)] * scale), 1e-5);
      }
    }
  }
}

TEST(CudaRows, ReducesRows) {
  for (int64_t columns : {8, 33, 1000}) {
    for (const RowSchedule &schedule : schedulesFor(columns)) {
      std::string x = tensor({7, columns}, "f32"), y = tensor({7}, "f32"),
                  i = tensor({7}, "i64");
      InterpretedFusion run(
          {x}, "(" + y + ", " + y + ", " + y + ")",
          "%a = graph.abs %0 : " + x + "\n%s = graph.reduce mean, %a [1] : " +
              x + " -> " + y + "\n%m = graph.reduce max, %0 [1] : " + x +
              " -> " + y + "\n%i = graph.arg_reduce max, %0 axis = 1 : " + x +
              " -> " + i + "\n%f = graph.cast %i : " + i + " to " + y +
              "\nkernel.yield %s, %m, %f : " + y + ", " + y + ", " + y);
      ASSERT_NO_FATAL_FAILURE(runBy(schedule, run));
      checkRows(run, 0, columns, "f32", [](const Row &x) -> Row {
        double sum = 0;
        for (double each : x) {
          sum += std::abs(each);
        }
        return {sum / double(x.size())};
      });
      checkRows(run, 1, columns, "f32", [](const Row &x) -> Row {
        return {*std::max_element(x.begin(), x.end())};
      });
      checkRows(run, 2, columns, "f32", [](const Row &x) -> Row {
        return {double(std::max_element(x.begin(), x.end()) - x.begin())};
      });
    }
  }
}

TEST(CudaRows, ReducesAcrossRows) {
  std::string x = tensor({20, 12}, "bf16"), y = tensor({12}, "f32");
  for (const RowSchedule &schedule :
       {RowSchedule{1, 32, 1, 8, false}, {8, 8, 1, 3, true}}) {
    std::string wide = tensor({20, 12}, "f32");
    InterpretedFusion run({x}, y,
                          "%c = graph.cast %0 : " + x + " to " + wide +
                              "\n%s = graph.reduce sum, %c [0] : " + wide +
                              " -> " + y + "\nkernel.yield %s : " + y);
    ASSERT_NO_FATAL_FAILURE(runBy(schedule, run));
    for (int64_t i = 0; i != 12; ++i) {
      double sum = 0;
      for (int64_t j = 0; j != 20; ++j) {
        sum += run.inputs[0].get(j * 12 + i);
      }
      ASSERT_NEAR(run.results[0].get(i), sum, 1e-5);
    }
  }
}

RowSchedule acrossRows(int64_t threads, int64_t groups, int64_t across,
                       int64_t split = 1, bool keeps = false,
                       bool cluster = true) {
  RowSchedule made = {threads, groups, 1, keeps ? 4 : 3, keeps};
  made.across = across;
  made.split = split;
  made.cluster = cluster && split > 1;
  return made;
}

/// Groups that fill the last block, and that do not; threads within a warp,
/// several warps, a cluster, and launches; the scale has one element for each
/// row, the shift one for all.
TEST(CudaRows, HasSeveralRowsInEachThread) {
  std::string x = tensor({3, 5, 7, 24}, "bf16"), s = tensor({24}, "bf16"),
              t = tensor({}, "bf16"), f = tensor({3, 5, 7, 24}, "f32"),
              y = tensor({3, 1, 1, 24}, "f32");
  for (const RowSchedule &schedule :
       {acrossRows(16, 2, 8), acrossRows(32, 4, 4), acrossRows(64, 1, 2),
        acrossRows(8, 8, 8, 4), acrossRows(64, 2, 8, 2),
        acrossRows(8, 4, 8, 3, false, /*cluster=*/false),
        acrossRows(64, 2, 4, 2, false, /*cluster=*/false)}) {
    SCOPED_TRACE(toString(schedule));
    InterpretedFusion run(
        {x, s, t}, y,
        "%m = graph.mul %0, %1 : (" + x + ", " + s + ") -> " + x +
            "\n%a = graph.add %m, %2 : (" + x + ", " + t + ") -> " + x +
            "\n%c = graph.cast %a : " + x + " to " + f +
            "\n%s = graph.reduce mean, %c [1, 2] {keep_dims} : " + f + " -> " +
            y + "\nkernel.yield %s : " + y);
    ASSERT_NO_FATAL_FAILURE(runBy(schedule, run));
    for (int64_t image = 0; image != 3; ++image) {
      for (int64_t i = 0; i != 24; ++i) {
        double sum = 0;
        for (int64_t j = 0; j != 35; ++j) {
          sum += run.inputs[0].get((image * 35 + j) * 24 + i) *
                     run.inputs[1].get(i) +
                 run.inputs[2].get(0);
        }
        ASSERT_NEAR(run.results[0].get(image * 24 + i), sum / 35, 1e-5);
      }
    }
    EXPECT_TRUE(run.results[0].guardIntact());
  }
}

/// Two passes, whose results are columns; rows that threads keep, and read
/// again.
TEST(CudaRows, NormalizesSeveralRowsInEachThread) {
  for (const RowSchedule &schedule :
       {acrossRows(16, 4, 4), acrossRows(16, 2, 4, 1, /*keeps=*/true),
        acrossRows(8, 8, 4, 4),
        acrossRows(8, 4, 4, 3, false, /*cluster=*/false)}) {
    ASSERT_NO_FATAL_FAILURE(checkSoftmaxAcross(schedule, 61, 40));
  }
}

/// Sixteen bytes for each load of every tensor, where rows are neighbours in
/// all of them.
TEST(CudaRows, OffersSeveralRowsInEachThread) {
  auto widest = [](const std::vector<int64_t> &shape, const std::string &dtype,
                   const std::string &reduce = "reduce mean, %0 [1]",
                   std::string result = "") {
    std::string x = tensor(shape, dtype);
    result = tensor({shape[0], shape[2]}, result.empty() ? dtype : result);
    InterpretedFusion run({x}, result,
                          "%y = graph." + reduce + " : " + x + " -> " + result +
                              "\nkernel.yield %y : " + result);
    int64_t most = 0;
    for (const Implementation &each :
         RowsFamily().enumerate(run.fusion, *getCudaProfile("h200"))) {
      auto schedule =
          parseRowSchedule(each.impl.getSchedule(), run.fusion.getLoc());
      most = std::max(most, schedule->across);
      EXPECT_EQ(toAttr(*schedule, run.fusion.getContext()),
                each.impl.getSchedule());
    }
    return most;
  };
  EXPECT_EQ(widest({32, 784, 240}, "bf16"), 8);
  EXPECT_EQ(widest({32, 784, 240}, "f32"), 4);
  EXPECT_EQ(widest({32, 784, 236}, "bf16"), 4);
  EXPECT_EQ(widest({32, 784, 237}, "bf16"), 1);
  // It needs to know where a column is.
  EXPECT_EQ(
      widest({32, 784, 240}, "bf16", "arg_reduce max, %0 axis = 1", "i64"), 1);
}

TEST(CudaRows, PropagatesNan) {
  std::string x = tensor({4, 32}, "f32");
  for (const RowSchedule &schedule : schedulesFor(32)) {
    InterpretedFusion run({x}, x,
                          "%y = graph.softmax %0 axis = 1 : " + x +
                              "\nkernel.yield %y : " + x);
    run.inputs[0].set(40, std::nan(""));
    for (int64_t i = 64; i != 96; ++i) {
      run.inputs[0].set(i, -INFINITY);
    }
    run.inputs[0].set(97, -INFINITY);
    ASSERT_NO_FATAL_FAILURE(runBy(schedule, run));
    for (int64_t i = 0; i != 128; ++i) {
      bool isNan = i / 32 == 1 || i / 32 == 2;
      EXPECT_EQ(std::isnan(run.results[0].get(i)), isNan) << i;
    }
    EXPECT_EQ(run.results[0].get(97), 0);
  }
}

// A row is divided by multiplying with a reciprocal, which must not overflow.
TEST(CudaRows, DividesByNumbersOfAnySize) {
  std::string x = tensor({8, 8}, "f32"), row = tensor({8, 1}, "f32");
  InterpretedFusion run({x}, x,
                        "%m = graph.reduce max, %0 [1] {keep_dims} : " + x +
                            " -> " + row + "\n%y = graph.div %0, %m : (" + x +
                            ", " + row + ") -> " + x +
                            "\nkernel.yield %y : " + x);
  const double sizes[] = {1, 3e-45, 1e-39, 3e38, 0x1p-100, 0x1p+101, 0, 7};
  for (int64_t i = 0; i != 64; ++i) {
    run.inputs[0].set(i, sizes[i / 8] * (1 - double(i % 8) / 8));
  }
  ASSERT_NO_FATAL_FAILURE(runBy(schedulesFor(8)[0], run));
  for (int64_t i = 0; i != 64; ++i) {
    double greatest = run.inputs[0].get(i / 8 * 8);
    double want = run.inputs[0].get(i) / greatest, got = run.results[0].get(i);
    if (greatest == 0) {
      EXPECT_TRUE(std::isnan(got)) << i;
    } else {
      EXPECT_NEAR(got, want, 0x1p-23 * std::abs(want)) << i;
    }
  }
}

std::vector<Implementation> offersFor(const std::string &x,
                                      const std::string &op) {
  ParsedFusion parsed({x}, x,
                      "%r = " + op + " : " + x + "\nkernel.yield %r : " + x);
  DeviceProfile profile = *getCudaProfile("h200");
  EXPECT_EQ(RowsFamily().reject(parsed.get(), profile), std::nullopt);
  return RowsFamily().enumerate(parsed.get(), profile);
}

TEST(CudaRows, OffersFewSchedulesThatMoveSixteenBytes) {
  auto offers =
      offersFor(tensor({8192, 4096}, "bf16"), "graph.softmax %0 axis = 1");
  EXPECT_THAT(offers, SizeIs(testing::AllOf(testing::Ge(2), testing::Le(8))));
  EXPECT_EQ(offers.front().name, "rows 256x1 8x2 pdl");
  // 128 MB at the speed of memory.
  EXPECT_GT(offers.front().estimateUs, 25);
  EXPECT_LT(offers.front().estimateUs, 40);
}

TEST(CudaRows, ReadsRowsAgainThatNoThreadsHold) {
  auto offers =
      offersFor(tensor({512, 50257}, "bf16"), "graph.softmax %0 axis = 1");
  EXPECT_THAT(offers.front().name, HasSubstr("again"));
}

TEST(CudaRows, SaysWhatIsNoSchedule) {
  ParsedFusion parsed({"tensor<4x6xf32>"}, "tensor<4x6xf32>",
                      "%r = graph.softmax %0 axis = 1 : tensor<4x6xf32>\n"
                      "kernel.yield %r : tensor<4x6xf32>");
  std::string said;
  ScopedDiagnosticHandler handler(
      parsed.get().getContext(),
      [&](Diagnostic &diagnostic) { said = diagnostic.str(); });
  auto lower = [&](const RowSchedule &schedule) {
    kernel::FusionOp fusion = parsed.get();
    implement(fusion, offerDense(fusion, "rows",
                                 toAttr(schedule, fusion.getContext()), ""));
    LaunchRecorder plan(fusion.getContext());
    EXPECT_TRUE(failed(RowsFamily().lower(fusion, plan)));
    return said;
  };
  EXPECT_THAT(lower({3, 32, 1, 2}), HasSubstr("rows expects a schedule"));
  EXPECT_THAT(lower({32, 1, 4, 2}),
              HasSubstr("vectors of 4 do not divide rows of 6"));
  EXPECT_THAT(lower({1, 32, 2, 2}), HasSubstr("threads keep 4 of 6 columns"));
  EXPECT_THAT(lower(acrossRows(16, 2, 4)),
              HasSubstr("4 rows of a thread are no vectors of an operand"));
  EXPECT_THAT(lower(acrossRows(16, 2, 8)),
              HasSubstr("8 rows of a thread are not of one loop"));
  EXPECT_THAT(lower({16, 2, 2, 3, false, false, 1, false, /*across=*/4}),
              HasSubstr("rows expects a schedule"));
}

} // namespace
} // namespace minic::cuda
