// SPDX-License-Identifier: Apache-2.0
//
// GEMM kernels of AMX tiles, and their forms without, against a float64 loop at
// awkward shapes. What runs needs a machine with AMX.

#include "test/unit/compiler/target/cpu/gemm_amx/AmxHost.h"
#include "test/unit/compiler/target/cpu/gemm_packed/DotReference.h"
#include "test/unit/compiler/target/cpu/gemm_packed/GemmRun.h"
#include "test/unit/dialects/kernel/TensorText.h"

#include <cmath>
#include <limits>

namespace minic::cpu {
namespace {

using Shape = std::vector<int64_t>;

using GemmAmxTest = AmxHost;

GemmAmxSchedule schedule(bool pack, int64_t mc = 0, int64_t resident = 18,
                         int64_t rows = 2, bool prefetch = false,
                         bool splitN = true) {
  return {pack, mc, resident, rows, prefetch, splitN};
}

std::string sumType(const std::string &dtype) {
  return dtype == "i8" ? "i32" : dtype;
}

/// max(linear(x, w, b), b - b) of bf16 or i8, by tiles and without them.
void checkLinear(int64_t m, int64_t n, int64_t k,
                 const GemmAmxSchedule &schedule, int threads = 1,
                 const std::string &dtype = "bf16") {
  std::string y = tensor({m, n}, sumType(dtype));
  std::vector<std::string> arguments = {tensor({m, k}, dtype),
                                        tensor({n, k}, dtype),
                                        tensor({n}, sumType(dtype))};
  GemmRun run(arguments, y,
              "%3 = graph.linear %0, %1, %2 : (" + arguments[0] + ", " +
                  arguments[1] + ", " + arguments[2] + ") -> " + y +
                  "\n%z = graph.sub %2, %2 : (" + arguments[2] + ", " +
                  arguments[2] + ") -> " + arguments[2] +
                  "\n%4 = graph.max %3, %z : (" + y + ", " + arguments[2] +
                  ") -> " + y + "\nkernel.yield %4 : " + y);
  for (bool withTiles : {true, false}) {
    run.run(schedule, amxProfile(), withTiles, threads);
    std::string what = std::to_string(m) + "x" + std::to_string(n) + "x" +
                       std::to_string(k) + " " + toString(schedule) +
                       (withTiles ? "" : " without AMX");
    for (int64_t i = 0; i != m; ++i) {
      for (int64_t j = 0; j != n; ++j) {
        Dot sum = dot(run.inputs[0], i * k, 1, run.inputs[1], j * k, 1, k);
        double bias = run.inputs[2].get(j);
        ASSERT_NO_FATAL_FAILURE(expectNear(
            run.results[0], i * n + j, std::max(sum.value + bias, 0.0),
            sum.magnitude + std::fabs(bias), k, what));
      }
    }
  }
}

TEST_F(GemmAmxTest, AwkwardSizes) {
  const int64_t sizes[] = {1, 2, 15, 17, 33, 65, 127};
  const GemmAmxSchedule schedules[] = {schedule(true), schedule(true, 1, 0, 4),
                                       schedule(true, 2, 3, 1, true),
                                       schedule(true, 0, 12, 32, true, false)};
  int next = 0;
  for (int64_t m : sizes) {
    for (int64_t n : sizes) {
      int64_t k = sizes[(m + n) % 7];
      // Each size in either dtype.
      ASSERT_NO_FATAL_FAILURE(checkLinear(m, n, k, schedules[next], 3,
                                          (m + n) % 4 != 0 ? "bf16" : "i8"));
      next = (next + 1) % 4;
    }
  }
}

TEST_F(GemmAmxTest, RowsInPlace) {
  for (int64_t k : {32, 64, 320, 1024}) {
    for (int64_t m : {1, 5, 16, 17, 31, 32, 64, 96}) {
      for (int64_t resident : {0, 5, 18}) {
        ASSERT_NO_FATAL_FAILURE(
            checkLinear(m, 70, k, schedule(false, 2, resident), 2));
        if (k % 64 == 0) {
          ASSERT_NO_FATAL_FAILURE(
              checkLinear(m, 70, k, schedule(false, 2, resident), 2, "i8"));
        }
      }
    }
  }
}

TEST_F(GemmAmxTest, LongK) {
  for (int64_t k : {513, 544, 1000}) {
    for (bool prefetch : {false, true}) {
      for (int64_t rows : {1, 2, 4}) {
        ASSERT_NO_FATAL_FAILURE(
            checkLinear(45, 100, k, schedule(true, 0, 18, rows, prefetch)));
        ASSERT_NO_FATAL_FAILURE(
            checkLinear(45, 100, 2 * k - 3,
                        schedule(true, 0, 18, rows, prefetch), 1, "i8"));
      }
    }
  }
}

TEST_F(GemmAmxTest, LoopOrdersAndSplits) {
  for (int64_t mc : {0, 1, 3}) {
    for (bool splitN : {false, true}) {
      for (int threads : {1, 3, 7}) {
        GemmAmxSchedule s = schedule(true, mc, 18, 2, true, splitN);
        ASSERT_NO_FATAL_FAILURE(checkLinear(149, 100, 40, s, threads));
      }
    }
    GemmAmxSchedule alone = schedule(true, mc);
    alone.alone = true;
    ASSERT_NO_FATAL_FAILURE(checkLinear(149, 100, 40, alone, 3));
  }
}

/// What follows a row in memory, and what packing pads with, is no factor.
TEST_F(GemmAmxTest, NoNumberLeaksIntoAnotherRow) {
  int64_t m = 40, n = 40, k = 33;
  std::string x = tensor({m, k}, "bf16"), w = tensor({n, k}, "bf16"),
              y = tensor({m, n}, "bf16");
  GemmRun run({x, w}, y,
              "%l = graph.linear %0, %1 : (" + x + ", " + w + ") -> " + y +
                  "\nkernel.yield %l : " + y);
  for (int64_t row = 1; row < m; row += 2) {
    for (int64_t i = 0; i != k; ++i) {
      run.inputs[0].set(row * k + i, std::numeric_limits<double>::quiet_NaN());
    }
  }
  for (int64_t column = 0; column < n; column += 2) {
    run.inputs[1].set(column * k, std::numeric_limits<double>::infinity());
  }
  for (bool withTiles : {true, false}) {
    run.run(schedule(true), amxProfile(), withTiles);
    for (int64_t i = 0; i != m; ++i) {
      for (int64_t j = 0; j != n; ++j) {
        double got = run.results[0].get(i * n + j);
        ASSERT_EQ(std::isnan(got), i % 2 == 1) << i << ", " << j;
        ASSERT_EQ(std::isinf(got), i % 2 == 0 && j % 2 == 0) << i << ", " << j;
      }
    }
  }
}

/// matmul with optional transposes and batches [2, 3], rhs broadcast.
void checkMatmul(bool transposeLhs, bool transposeRhs, bool batched, int64_t k,
                 const GemmAmxSchedule &schedule, int threads,
                 const std::string &dtype) {
  int64_t m = 39, n = 37;
  Shape lhs = transposeLhs ? Shape{k, m} : Shape{m, k};
  Shape rhs = transposeRhs ? Shape{n, k} : Shape{k, n};
  Shape result = {m, n};
  if (batched) {
    lhs.insert(lhs.begin(), {2, 3});
    rhs.insert(rhs.begin(), {3});
    result.insert(result.begin(), {2, 3});
  }
  std::string y = tensor(result, sumType(dtype));
  std::vector<std::string> arguments = {tensor(lhs, dtype), tensor(rhs, dtype)};
  std::string flags;
  if (transposeLhs || transposeRhs) {
    flags = std::string(" {") + (transposeLhs ? "transpose_lhs" : "") +
            (transposeLhs && transposeRhs ? ", " : "") +
            (transposeRhs ? "transpose_rhs" : "") + "}";
  }
  GemmRun run(arguments, y,
              "%2 = graph.matmul %0, %1" + flags + " : (" + arguments[0] +
                  ", " + arguments[1] + ") -> " + y +
                  "\nkernel.yield %2 : " + y);
  for (bool withTiles : {true, false}) {
    run.run(schedule, amxProfile(), withTiles, threads);
    for (int64_t batch = 0; batch != (batched ? 6 : 1); ++batch) {
      for (int64_t i = 0; i != m; ++i) {
        for (int64_t j = 0; j != n; ++j) {
          int64_t lhsAt = batch * m * k + (transposeLhs ? i : i * k);
          int64_t rhsAt = (batch % 3) * n * k + (transposeRhs ? j * k : j);
          Dot sum = dot(run.inputs[0], lhsAt, transposeLhs ? m : 1,
                        run.inputs[1], rhsAt, transposeRhs ? 1 : n, k);
          ASSERT_NO_FATAL_FAILURE(expectNear(
              run.results[0], (batch * m + i) * n + j, sum.value, sum.magnitude,
              k, toString(schedule) + " k=" + std::to_string(k)));
        }
      }
    }
  }
}

TEST_F(GemmAmxTest, TransposesAndBatches) {
  for (bool transposeLhs : {false, true}) {
    for (bool transposeRhs : {false, true}) {
      for (bool batched : {false, true}) {
        for (bool splitN : {false, true}) {
          for (int64_t k : {23, 32, 71}) {
            for (const char *dtype : {"bf16", "i8"}) {
              ASSERT_NO_FATAL_FAILURE(checkMatmul(
                  transposeLhs, transposeRhs, batched, k,
                  schedule(true, 1, 2, 2, false, splitN), 4, dtype));
            }
          }
        }
      }
    }
  }
}

TEST_F(GemmAmxTest, EpilogueDagWithSeveralResults) {
  // Row and column broadcasts, a scalar, a residual, a predicate; the
  // contraction's own value is a result too.
  int64_t b = 2, m = 25, n = 41, k = 39;
  std::string y = "tensor<2x25x41xf32>", a = "tensor<2x25x41xbf16>";
  GemmRun run({"tensor<2x25x39xbf16>", "tensor<41x39xbf16>", "tensor<41xf32>",
               "tensor<2x1x1xf32>", "tensor<25x1xf32>", "tensor<f32>", y},
              "(" + a + ", tensor<2x25x41xf32>, tensor<2x25x41xi1>)", R"mlir(
    %l = graph.linear %0, %1 : (tensor<2x25x39xbf16>, tensor<41x39xbf16>) -> tensor<2x25x41xbf16>
    %x = graph.cast %l : tensor<2x25x41xbf16> to tensor<2x25x41xf32>
    %c = graph.add %x, %2 : (tensor<2x25x41xf32>, tensor<41xf32>) -> tensor<2x25x41xf32>
    %d = graph.mul %c, %3 : (tensor<2x25x41xf32>, tensor<2x1x1xf32>) -> tensor<2x25x41xf32>
    %e = graph.add %d, %4 : (tensor<2x25x41xf32>, tensor<25x1xf32>) -> tensor<2x25x41xf32>
    %f = graph.mul %e, %5 : (tensor<2x25x41xf32>, tensor<f32>) -> tensor<2x25x41xf32>
    %g = graph.gelu %f : tensor<2x25x41xf32>
    %h = graph.add %g, %6 : (tensor<2x25x41xf32>, tensor<2x25x41xf32>) -> tensor<2x25x41xf32>
    %j = graph.compare gt, %h, %x : (tensor<2x25x41xf32>, tensor<2x25x41xf32>) -> tensor<2x25x41xi1>
    kernel.yield %l, %h, %j : tensor<2x25x41xbf16>, tensor<2x25x41xf32>, tensor<2x25x41xi1>
  )mlir");
  for (bool withTiles : {true, false}) {
    run.run(schedule(true), amxProfile(), withTiles);
    if (testing::Test::HasFatalFailure()) {
      return;
    }
    for (int64_t row = 0; row != b * m; ++row) {
      for (int64_t j = 0; j != n; ++j) {
        Dot l = dot(run.inputs[0], row * k, 1, run.inputs[1], j * k, 1, k);
        double x =
            (l.value + run.inputs[2].get(j)) * run.inputs[3].get(row / m) +
            run.inputs[4].get(row % m);
        x *= run.inputs[5].get(0);
        double h = 0.5 * x * (1 + std::erf(x / std::sqrt(2.0))) +
                   run.inputs[6].get(row * n + j);
        int64_t at = row * n + j;
        // The sums may be rounded on their way, where they are stored.
        double rounded = 4e-3 * std::fabs(l.value);
        ASSERT_NO_FATAL_FAILURE(
            expectNear(run.results[0], at, l.value, l.magnitude, k, "l"));
        ASSERT_NEAR(run.results[1].get(at), h,
                    2 * rounded + 1e-5 * (l.magnitude + 4));
        if (std::fabs(h - l.value) > 3 * rounded + 1e-4) {
          ASSERT_EQ(run.results[2].get(at), h > l.value);
        }
      }
    }
  }
}

} // namespace
} // namespace minic::cpu
