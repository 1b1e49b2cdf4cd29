// SPDX-License-Identifier: Apache-2.0
//
// Rows that several blocks share, in one launch after the other or in clusters,
// run by the interpreter: more blocks than columns, rows that are none, results
// per row and per column; and where such schedules are offered.

#include "test/unit/compiler/target/cuda/rows/RowsCase.h"

#include <gmock/gmock.h>

#include <numeric>

using namespace mlir;
using testing::HasSubstr;
using testing::Not;

namespace minic::cuda {
namespace {

/// A warp or several, one row or two of a block; rows kept and read again.
std::vector<RowSchedule> sharedBy(int64_t columns) {
  int64_t vector = std::gcd(columns, int64_t(4));
  std::vector<RowSchedule> all;
  for (auto [threads, rows, split, cluster] :
       {std::tuple<int64_t, int64_t, int64_t, bool>{64, 1, 3, false},
        {16, 4, 40, false},
        {32, 1, 2, true},
        {64, 2, 8, true}}) {
    RowSchedule schedule{threads,         rows,
                         vector,          2,
                         /*keeps=*/false, /*programmatic=*/true,
                         split,           cluster};
    all.push_back(schedule);
    schedule.unroll =
        (columns / vector + threads * split - 1) / (threads * split);
    if (schedule.unroll * vector <= 32) {
      schedule.keeps = true;
      all.push_back(schedule);
    }
  }
  return all;
}

TEST(CudaSplitRows, ComputesSoftmax) {
  for (auto [rows, columns, dtype] :
       {std::tuple<int64_t, int64_t, std::string>{3, 1, "f32"},
        {1, 7, "bf16"},
        {2, 97, "f32"},
        {5, 1000, "f16"},
        {3, 2080, "f32"}}) {
    for (const RowSchedule &schedule : sharedBy(columns)) {
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

// As a model's logits, by the schedules that a device would be given.
TEST(CudaSplitRows, ComputesWhatIsOffered) {
  std::string x = tensor({1, 50257}, "bf16"), y = tensor({1, 50257}, "f32");
  InterpretedFusion run({x}, y,
                        "%c = graph.cast %0 : " + x + " to " + y +
                            "\n%y = graph.softmax %c axis = 1 : " + y +
                            "\nkernel.yield %y : " + y);
  DeviceProfile profile = *getCudaProfile("h200");
  int64_t shared = 0;
  for (const Implementation &offer :
       RowsFamily().enumerate(run.fusion, profile)) {
    bool isShared = offer.name.find("split=") != std::string::npos ||
                    offer.name.find("cluster=") != std::string::npos;
    if (isShared) {
      ++shared;
      InterpretedFusion each({x}, y,
                             "%c = graph.cast %0 : " + x + " to " + y +
                                 "\n%y = graph.softmax %c axis = 1 : " + y +
                                 "\nkernel.yield %y : " + y);
      ASSERT_NO_FATAL_FAILURE(each.run(RowsFamily(), offer, profile));
      ASSERT_NO_FATAL_FAILURE(checkRows(each, 0, 50257, "f32", softmax));
    }
  }
  EXPECT_GE(shared, 2);
}

/// x + r kept, its norm scaled and shifted.
TEST(CudaSplitRows, NormalizesASumThatItKeeps) {
  for (int64_t columns : {77, 1032}) {
    for (const RowSchedule &schedule : sharedBy(columns)) {
      std::string x = tensor({3, columns}, "bf16"),
                  w = tensor({columns}, "bf16");
      InterpretedFusion run(
          {x, x, w, w}, "(" + x + ", " + x + ")",
          "%s = graph.add %0, %1 : " + x +
              "\n%n = graph.layer_norm %s scale %2 bias %3 axis = 1 : (" + x +
              ", " + w + ", " + w + ") -> " + x +
              "\nkernel.yield %s, %n : " + x + ", " + x);
      ASSERT_NO_FATAL_FAILURE(runBy(schedule, run));
      for (int64_t row = 0; row != 3; ++row) {
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

TEST(CudaSplitRows, ReducesRows) {
  for (int64_t columns : {1, 33, 1000}) {
    for (const RowSchedule &schedule : sharedBy(columns)) {
      std::string x = tensor({7, columns}, "f32"), y = tensor({7}, "f32"),
                  i = tensor({7}, "i64");
      InterpretedFusion run(
          {x}, "(" + y + ", " + y + ", " + i + ")",
          "%a = graph.abs %0 : " + x + "\n%s = graph.reduce mean, %a [1] : " +
              x + " -> " + y + "\n%m = graph.reduce max, %0 [1] : " + x +
              " -> " + y + "\n%e = graph.exp %m : " + y +
              "\n%i = graph.arg_reduce max, %0 axis = 1 : " + x + " -> " + i +
              "\nkernel.yield %s, %e, %i : " + y + ", " + y + ", " + i);
      ASSERT_NO_FATAL_FAILURE(runBy(schedule, run));
      checkRows(run, 0, columns, "f32", [](const Row &x) -> Row {
        double sum = 0;
        for (double each : x) {
          sum += std::abs(each);
        }
        return {sum / double(x.size())};
      });
      checkRows(run, 1, columns, "f32", [](const Row &x) -> Row {
        return {std::exp(*std::max_element(x.begin(), x.end()))};
      });
      checkRows(run, 2, columns, "f32", [](const Row &x) -> Row {
        return {double(std::max_element(x.begin(), x.end()) - x.begin())};
      });
    }
  }
}

// Two passes that end in reductions, and none behind them.
TEST(CudaSplitRows, ComputesVariances) {
  for (const RowSchedule &schedule : sharedBy(780)) {
    std::string x = tensor({3, 780}, "f32"), y = tensor({3, 1}, "f32");
    InterpretedFusion run(
        {x}, y,
        "%m = graph.reduce mean, %0 [1] {keep_dims} : " + x + " -> " + y +
            "\n%c = graph.sub %0, %m : (" + x + ", " + y + ") -> " + x +
            "\n%s = graph.mul %c, %c : " + x +
            "\n%v = graph.reduce mean, %s [1] {keep_dims} : " + x + " -> " + y +
            "\nkernel.yield %v : " + y);
    for (int64_t i = 0; i != run.inputs[0].elements(); ++i) {
      run.inputs[0].set(i, run.inputs[0].get(i) + 58.0);
    }
    ASSERT_NO_FATAL_FAILURE(runBy(schedule, run));
    checkRows(run, 0, 780, "f32", [](const Row &x) -> Row {
      double mean = 0, power = 0;
      for (double each : x) {
        mean += each / double(x.size());
      }
      for (double each : x) {
        power += (each - mean) * (each - mean) / double(x.size());
      }
      return {power};
    });
  }
}

TEST(CudaSplitRows, ReducesAcrossRows) {
  std::string x = tensor({201, 12}, "bf16"), y = tensor({12}, "f32");
  for (const RowSchedule &schedule :
       {RowSchedule{1, 32, 1, 8, false, false, 5},
        {16, 16, 1, 2, false, true, 9},
        {2, 16, 1, 2, false, true, 43}, // parts in groups, and a rest
        {8, 8, 1, 16, true, true, 2, /*cluster=*/true},
        {16, 16, 1, 8, false, true, 4, /*cluster=*/true}}) {
    std::string wide = tensor({201, 12}, "f32");
    InterpretedFusion run({x}, y,
                          "%c = graph.cast %0 : " + x + " to " + wide +
                              "\n%s = graph.reduce sum, %c [0] : " + wide +
                              " -> " + y + "\nkernel.yield %s : " + y);
    ASSERT_NO_FATAL_FAILURE(runBy(schedule, run));
    for (int64_t i = 0; i != 12; ++i) {
      double sum = 0;
      for (int64_t j = 0; j != 201; ++j) {
        sum += run.inputs[0].get(j * 12 + i);
      }
      ASSERT_NEAR(run.results[0].get(i), sum, 1e-4);
    }
  }
}

TEST(CudaSplitRows, AddsIntegers) {
  std::string x = tensor({2, 500}, "i64"), y = tensor({2}, "i64");
  for (const RowSchedule &schedule : sharedBy(500)) {
    InterpretedFusion run({x}, y,
                          "%s = graph.reduce sum, %0 [1] : " + x + " -> " + y +
                              "\nkernel.yield %s : " + y);
    ASSERT_NO_FATAL_FAILURE(runBy(schedule, run));
    checkRows(run, 0, 500, "f32", [](const Row &x) -> Row {
      return {std::accumulate(x.begin(), x.end(), 0.0)};
    });
  }
}

TEST(CudaSplitRows, PropagatesNan) {
  std::string x = tensor({4, 320}, "f32");
  for (const RowSchedule &schedule : sharedBy(320)) {
    InterpretedFusion run({x}, x,
                          "%y = graph.softmax %0 axis = 1 : " + x +
                              "\nkernel.yield %y : " + x);
    run.inputs[0].set(400, std::nan(""));
    run.inputs[0].set(970, -INFINITY);
    ASSERT_NO_FATAL_FAILURE(runBy(schedule, run));
    for (int64_t i = 0; i != 1280; ++i) {
      EXPECT_EQ(std::isnan(run.results[0].get(i)), i / 320 == 1) << i;
    }
    EXPECT_EQ(run.results[0].get(970), 0);
  }
}

std::vector<Implementation> offersFor(const std::string &x,
                                      const std::string &y,
                                      const std::string &op,
                                      const std::string &device = "h200") {
  ParsedFusion parsed({x}, y, "%r = " + op + "\nkernel.yield %r : " + y);
  return RowsFamily().enumerate(parsed.get(), *getCudaProfile(device));
}

std::vector<Implementation> softmaxOffers(std::vector<int64_t> shape,
                                          const std::string &device = "h200") {
  std::string x = tensor(shape, "bf16");
  return offersFor(x, x, "graph.softmax %0 axis = 1 : " + x, device);
}

TEST(CudaSplitRows, AreChosenWhereRowsAreFewAndLong) {
  EXPECT_THAT(softmaxOffers({1, 50257}).front().name, HasSubstr("cluster=8"));
  EXPECT_THAT(softmaxOffers({4, 262144}).front().name, HasSubstr("cluster=8"));
  // No clusters there.
  EXPECT_THAT(softmaxOffers({2, 1 << 20}, "a100").front().name,
              HasSubstr("split="));
  std::string x = tensor({1 << 22}, "f32"), y = "tensor<f32>";
  auto sums = offersFor(x, y, "graph.reduce sum, %0 [0] : " + x + " -> " + y);
  EXPECT_THAT(sums.front().name, HasSubstr("split=264"));
  EXPECT_LT(sums.front().estimateUs, 10);
}

TEST(CudaSplitRows, ComputesSoftmaxAcrossRows) {
  for (const RowSchedule &schedule :
       {RowSchedule{16, 16, 1, 2, false, false, 3},
        {16, 16, 1, 8, false, true, 4, /*cluster=*/true}}) {
    ASSERT_NO_FATAL_FAILURE(checkSoftmaxAcross(schedule, 97, 20));
  }
}

TEST(CudaSplitRows, AreClustersAcrossFewRows) {
  std::string x = tensor({1, 56, 56, 144}, "bf16"),
              y = tensor({1, 1, 1, 144}, "bf16");
  auto means = offersFor(
      x, y, "graph.reduce mean, %0 [1, 2] {keep_dims} : " + x + " -> " + y);
  EXPECT_THAT(means.front().name, HasSubstr("cluster="));
}

/// Of the mean over the pixels of such an NHWC image.
static std::vector<Implementation> meanOffers(int64_t images, int64_t pixels,
                                              int64_t channels) {
  std::string x = tensor({images, pixels, pixels, channels}, "bf16"),
              y = tensor({images, channels}, "bf16");
  return offersFor(x, y, "graph.reduce mean, %0 [1, 2] : " + x + " -> " + y);
}

static double expectedUs(const std::vector<Implementation> &offers,
                         llvm::StringRef name) {
  auto found = llvm::find_if(
      offers, [&](const Implementation &offer) { return offer.name == name; });
  EXPECT_NE(found, offers.end()) << name.str();
  return found == offers.end() ? 0 : found->estimateUs;
}

TEST(CudaSplitRows, AreOfferedWhereBlocksOfManyNeighboursAreFew) {
  // 144 blocks of 32 channels, 72 of 64.
  std::vector<std::string> names;
  for (const Implementation &offer : meanOffers(32, 56, 144)) {
    names.push_back(offer.name);
  }
  EXPECT_THAT(names,
              testing::Contains("rows 32x8 1x8 across=8 again split=7 pdl"));
  // The first few without overlap, too; so many blocks crowd with it.
  EXPECT_EQ(names.front(), "rows 32x8 1x8 across=8 again split=7");
  EXPECT_THAT(meanOffers(32, 7, 1152).front().name, HasSubstr(" pdl"));
  EXPECT_EQ(llvm::count_if(names,
                           [](const std::string &name) {
                             return name.find(" pdl") == std::string::npos;
                           }),
            3);
}

TEST(CudaSplitRows, TakeLessWhereABlockReadsMoreOfAPixel) {
  auto offers = meanOffers(32, 28, 240);
  EXPECT_LT(expectedUs(offers, "rows 32x8 1x8 across=8 again pdl"),
            expectedUs(offers, "rows 64x4 1x8 across=8 again pdl"));
  EXPECT_LT(expectedUs(offers, "rows 32x8 1x8 across=8 again pdl"),
            expectedUs(offers, "rows 128x2 1x7 across=8 again pdl"));
}

TEST(CudaSplitRows, AreNotOfferedWhereRowsAreManyOrShort) {
  for (std::vector<int64_t> shape :
       {std::vector<int64_t>{8192, 4096}, {200, 50257}, {1, 4096}, {7, 1000}}) {
    for (const Implementation &offer : softmaxOffers(shape)) {
      EXPECT_THAT(offer.name, Not(HasSubstr("split=")));
      EXPECT_THAT(offer.name, Not(HasSubstr("cluster=")));
    }
  }
}

TEST(CudaSplitRows, SaysWhatIsNoSchedule) {
  ParsedFusion parsed({"tensor<4x8xf32>"}, "tensor<4x8xf32>",
                      "%r = graph.softmax %0 axis = 1 : tensor<4x8xf32>\n"
                      "kernel.yield %r : tensor<4x8xf32>");
  std::string said;
  ScopedDiagnosticHandler handler(
      parsed.get().getContext(),
      [&](Diagnostic &diagnostic) { said = diagnostic.str(); });
  auto lower = [&](int64_t threads, int64_t unroll, int64_t split,
                   bool cluster) {
    RowSchedule schedule{threads, 1, 4, unroll, false, false, split, cluster};
    kernel::FusionOp fusion = parsed.get();
    implement(fusion, offerDense(fusion, "rows",
                                 toAttr(schedule, fusion.getContext()), ""));
    LaunchRecorder plan(fusion.getContext());
    EXPECT_TRUE(failed(RowsFamily().lower(fusion, plan)));
    return said;
  };
  EXPECT_THAT(lower(32, 1, 1, true), HasSubstr("clusters of 2, 4 or 8 blocks"));
  EXPECT_THAT(lower(32, 1, 16, true), HasSubstr("rows expects a schedule"));
  EXPECT_THAT(lower(32, 1, 5000, false), HasSubstr("rows expects a schedule"));
  EXPECT_THAT(lower(1024, 64, 4096, false),
              HasSubstr("rows 1024x1 4x64 again split=4096: 1073741824 columns "
                        "at a time"));
}

} // namespace
} // namespace minic::cuda
