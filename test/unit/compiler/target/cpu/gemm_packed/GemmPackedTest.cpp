// SPDX-License-Identifier: Apache-2.0
//
// Packed GEMM kernels against a float64 loop, at awkward shapes.

#include "test/unit/compiler/target/cpu/HostIsas.h"
#include "test/unit/compiler/target/cpu/gemm_packed/DotReference.h"
#include "test/unit/compiler/target/cpu/gemm_packed/GemmRun.h"
#include "test/unit/dialects/kernel/TensorText.h"

#include <cmath>

namespace minic::cpu {
namespace {

using Shape = std::vector<int64_t>;

GemmPackedSchedule schedule(int64_t mr, int64_t nr, bool pack = false,
                            int64_t tc = 0, bool jt = true, bool splitN = true,
                            GemmDot dot = GemmDot::Fma, int64_t ku = 4) {
  return {mr, nr, ku, pack, tc, jt, splitN, dot};
}

bool hostHasPairs() { return getCpuProfile(1).has("avx512bf16"); }
bool hostHasQuads() { return getCpuProfile(1).has("avx512vnni"); }

std::string sumType(const std::string &dtype) {
  return dtype == "i8" ? "i32" : dtype;
}

/// max(linear(x, w, b), 0) with everything in `dtype`, sums of i8 in i32.
void checkLinear(int64_t m, int64_t n, int64_t k, const std::string &dtype,
                 const GemmPackedSchedule &schedule,
                 const std::string &isa = "", int threads = 1) {
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
  run.run(schedule, isa, threads);
  std::string what = std::to_string(m) + "x" + std::to_string(n) + "x" +
                     std::to_string(k) + " " + dtype + " " +
                     toString(schedule) + " " + isa;
  for (int64_t i = 0; i != m; ++i) {
    for (int64_t j = 0; j != n; ++j) {
      Dot sum = dot(run.inputs[0], i * k, 1, run.inputs[1], j * k, 1, k);
      double bias = run.inputs[2].get(j);
      ASSERT_NO_FATAL_FAILURE(
          expectNear(run.results[0], i * n + j, std::max(sum.value + bias, 0.0),
                     sum.magnitude + std::fabs(bias), k, what));
    }
  }
}

TEST(GemmPacked, AwkwardSizes) {
  // Every pair of sizes occurs in some dimension pair; K runs with them.
  const int64_t sizes[] = {1, 2, 3, 7, 17, 31, 63, 65, 127, 257};
  const GemmPackedSchedule schedules[] = {
      schedule(8, 32), schedule(14, 32, true, 2), schedule(6, 64, false, 3),
      schedule(16, 16, true, 0, false)};
  int next = 0;
  for (int64_t m : sizes) {
    for (int64_t n : sizes) {
      int64_t k = sizes[(m + n) % 10];
      ASSERT_NO_FATAL_FAILURE(checkLinear(m, n, k, "f32", schedules[next]));
      next = (next + 1) % 4;
    }
  }
}

TEST(GemmPacked, AllDtypesAndLevels) {
  const int64_t problems[][3] = {{1, 1, 1},   {3, 17, 7},   {17, 31, 63},
                                 {31, 65, 2}, {9, 127, 33}, {65, 3, 257}};
  for (auto [m, n, k] : problems) {
    for (std::string dtype : {"f32", "bf16", "f16"}) {
      for (const std::string &isa : hostIsas()) {
        for (bool pack : {false, true}) {
          ASSERT_NO_FATAL_FAILURE(
              checkLinear(m, n, k, dtype, schedule(6, 32, pack), isa));
        }
      }
    }
    for (bool pack : {false, true}) {
      if (hostHasPairs()) {
        ASSERT_NO_FATAL_FAILURE(
            checkLinear(m, n, k, "bf16",
                        schedule(6, 32, pack, 0, true, true, GemmDot::Pairs)));
      }
    }
  }
}

TEST(GemmPacked, ProductsOfIntegers) {
  // K is whole words, and not by 1, 2 and 3 elements.
  const int64_t problems[][3] = {{1, 1, 1},   {3, 17, 7},    {17, 31, 64},
                                 {31, 65, 2}, {9, 127, 133}, {65, 3, 258}};
  for (auto [m, n, k] : problems) {
    for (const std::string &isa : hostIsas()) {
      ASSERT_NO_FATAL_FAILURE(checkLinear(
          m, n, k, "i8", schedule(6, 32, false, 0, true, true, GemmDot::Pairs),
          isa, 2));
    }
    for (bool pack : {false, true}) {
      if (hostHasQuads()) {
        ASSERT_NO_FATAL_FAILURE(checkLinear(
            m, n, k, "i8", schedule(6, 32, pack, 2, true, true, GemmDot::Quads),
            "", 2));
      }
    }
  }
}

TEST(GemmPacked, LoopOrdersAndSplits) {
  for (bool pack : {false, true}) {
    for (int64_t tc : {0, 1, 3}) {
      for (bool jt : {false, true}) {
        for (bool splitN : {false, true}) {
          GemmPackedSchedule s = schedule(7, 32, pack, tc, jt, splitN);
          ASSERT_NO_FATAL_FAILURE(checkLinear(45, 100, 40, "f32", s, "", 3));
        }
        GemmPackedSchedule alone = schedule(7, 32, pack, tc, jt);
        alone.alone = true;
        ASSERT_NO_FATAL_FAILURE(checkLinear(45, 100, 40, "f32", alone, "", 3));
      }
    }
  }
}

// Behind the last panel, where tiles ask for more, memory ends.
TEST(GemmPacked, TilesFetchTheNextPanel) {
  for (bool pack : {false, true}) {
    for (int64_t tc : {0, 1, 3}) {
      for (int64_t k : {3, 40, 1100}) {
        GemmPackedSchedule s = schedule(7, 32, pack, tc);
        s.prefetch = true;
        for (std::string dtype : {"f32", "bf16"}) {
          ASSERT_NO_FATAL_FAILURE(checkLinear(45, 100, k, dtype, s, "", 2));
        }
        s.splitN = false;
        ASSERT_NO_FATAL_FAILURE(checkLinear(45, 100, k, "f32", s, "", 3));
      }
    }
  }
}

TEST(GemmPacked, InnerUnrollingAndWidePanels) {
  for (int64_t ku : {1, 2, 3, 8}) {
    for (int64_t k : {0, 1, 5, 8, 19}) {
      ASSERT_NO_FATAL_FAILURE(
          checkLinear(5, 33, k, "f32",
                      schedule(5, 32, false, 0, true, true, GemmDot::Fma, ku)));
    }
  }
  for (int64_t nr : {64, 128, 256}) {
    ASSERT_NO_FATAL_FAILURE(
        checkLinear(1, 300, 65, "f32", schedule(1, nr), "", 2));
  }
}

TEST(GemmPacked, LongSumsInChunks) {
  // One off the ends of chunks of 256 words, and of what is unrolled in them.
  const int64_t unrolled[] = {4, 3, 1};
  int next = 0;
  for (int64_t k : {255, 256, 257, 260, 511, 512, 513, 769, 1027}) {
    ASSERT_NO_FATAL_FAILURE(
        checkLinear(7, 33, k, "f32",
                    schedule(6, 32, next % 2 != 0, 0, true, true, GemmDot::Fma,
                             unrolled[next % 3])));
    ++next;
  }
}

TEST(GemmPacked, LongSumsRoundLessThanOneSumOverAll) {
  const int64_t m = 8, n = 32, k = 3072;
  std::vector<std::string> arguments = {tensor({m, k}, "f32"),
                                        tensor({n, k}, "f32")};
  std::string y = tensor({m, n}, "f32");
  GemmRun run(arguments, y,
              "%2 = graph.linear %0, %1 : (" + arguments[0] + ", " +
                  arguments[1] + ") -> " + y + "\nkernel.yield %2 : " + y);
  run.run(schedule(8, 32), "", 1);
  double ours = 0, naive = 0;
  for (int64_t i = 0; i != m * n; ++i) {
    int64_t row = i / n * k, column = i % n * k;
    double exact =
        dot(run.inputs[0], row, 1, run.inputs[1], column, 1, k).value;
    float sum = 0;
    for (int64_t p = 0; p != k; ++p) {
      sum = std::fma(float(run.inputs[0].get(row + p)),
                     float(run.inputs[1].get(column + p)), sum);
    }
    ours += std::pow(run.results[0].get(i) - exact, 2);
    naive += std::pow(sum - exact, 2);
  }
  // 12 chunks: a third of the error, by the square root of their number.
  EXPECT_GT(naive, 0);
  EXPECT_LT(std::sqrt(ours), 0.6 * std::sqrt(naive));
}

/// matmul with optional transposes and batches [2, 3], rhs broadcast.
void checkMatmul(bool transposeLhs, bool transposeRhs, bool batched,
                 const std::string &dtype, const GemmPackedSchedule &schedule,
                 int threads = 1) {
  int64_t m = 19, n = 37, k = 23;
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
  run.run(schedule, "", threads);
  for (int64_t batch = 0; batch != (batched ? 6 : 1); ++batch) {
    for (int64_t i = 0; i != m; ++i) {
      for (int64_t j = 0; j != n; ++j) {
        int64_t lhsAt = batch * m * k + (transposeLhs ? i : i * k);
        int64_t rhsAt = (batch % 3) * n * k + (transposeRhs ? j * k : j);
        Dot sum = dot(run.inputs[0], lhsAt, transposeLhs ? m : 1, run.inputs[1],
                      rhsAt, transposeRhs ? 1 : n, k);
        ASSERT_NO_FATAL_FAILURE(
            expectNear(run.results[0], (batch * m + i) * n + j, sum.value,
                       sum.magnitude, k, dtype + " " + toString(schedule)));
      }
    }
  }
}

/// Whether a linear with an epilogue keeps vectors on the stack while it
/// multiplies. Behind that, where the bias comes, a tile may use it once.
bool spills(const GemmPackedSchedule &schedule) {
  DeviceProfile profile = getCpuProfile(1, "v4");
  profile.features.insert(profile.features.end(),
                          {"+avx512bf16", "+avx512vnni"});
  std::string dtype = schedule.dot == GemmDot::Quads   ? "i8"
                      : schedule.dot == GemmDot::Pairs ? "bf16"
                                                       : "f32";
  std::string x = tensor({56, 64}, dtype), w = tensor({96, 64}, dtype),
              b = tensor({96}, sumType(dtype)),
              y = tensor({56, 96}, sumType(dtype));
  GemmRun run({x, w, b}, y,
              "%3 = graph.linear %0, %1, %2 : (" + x + ", " + w + ", " + b +
                  ") -> " + y + "\n%4 = graph.add %3, %3 : (" + y + ", " + y +
                  ") -> " + y + "\nkernel.yield %4 : " + y);
  auto device = mlir::OwningOpRef<mlir::ModuleOp>(
      mlir::ModuleOp::create(run.fusion.getLoc()));
  emitGemm(run.fusion.getLoc(), *device, "kernel", run.shape,
           *GemmGeometry::get(run.shape, schedule, nullptr));
  auto text = assembleToText(*device, profile);
  EXPECT_TRUE(mlir::succeeded(text));
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(*text).split(lines, '\n');
  auto multiplies = [](llvm::StringRef line) {
    return line.contains("vfmadd") || line.contains("vdpbf16ps") ||
           line.contains("vpdpbusd");
  };
  auto first = llvm::find_if(lines, multiplies);
  auto last = std::find_if(lines.rbegin(), lines.rend(), multiplies).base();
  EXPECT_TRUE(first < last) << "no products";
  return std::any_of(first, last, [](llvm::StringRef line) {
    return line.contains("zmm") && line.contains("(%rsp)");
  });
}

TEST(GemmPacked, SumsStayInRegisters) {
  for (GemmDot dot : {GemmDot::Fma, GemmDot::Pairs}) {
    for (auto [mr, nr] :
         {std::pair(8, 32), {6, 64}, {12, 32}, {4, 64}, {8, 48}, {1, 256}}) {
      EXPECT_FALSE(spills(schedule(mr, nr, false, 0, true, true, dot)))
          << toString(schedule(mr, nr, false, 0, true, true, dot));
    }
  }
  // Quads need a sum more for each column, and a constant.
  for (auto [mr, nr] : {std::pair(8, 32), {10, 32}, {4, 64}, {1, 128}}) {
    EXPECT_FALSE(spills(schedule(mr, nr, false, 0, true, true, GemmDot::Quads)))
        << mr << "x" << nr;
  }
  EXPECT_TRUE(spills(schedule(16, 64))) << "64 sums do not fit 32 registers";
}

TEST(GemmPacked, TransposesAndBatches) {
  for (bool transposeLhs : {false, true}) {
    for (bool transposeRhs : {false, true}) {
      for (bool batched : {false, true}) {
        for (bool pack : {false, true}) {
          for (bool splitN : {false, true}) {
            GemmPackedSchedule s = schedule(8, 16, pack, 2, true, splitN);
            ASSERT_NO_FATAL_FAILURE(
                checkMatmul(transposeLhs, transposeRhs, batched, "f32", s, 4));
            GemmPackedSchedule alone = s;
            alone.alone = splitN; // the order of splitN it has anyway
            ASSERT_NO_FATAL_FAILURE(
                checkMatmul(transposeLhs, transposeRhs, batched, "f16", alone));
            s.dot = hostHasPairs() ? GemmDot::Pairs : GemmDot::Fma;
            if (s.dot == GemmDot::Fma || pack || !transposeLhs) {
              ASSERT_NO_FATAL_FAILURE(
                  checkMatmul(transposeLhs, transposeRhs, batched, "bf16", s));
            }
            s.dot = hostHasQuads() ? GemmDot::Quads : GemmDot::Pairs;
            if (s.dot == GemmDot::Quads ? pack || !transposeLhs
                                        : !pack && !transposeLhs) {
              ASSERT_NO_FATAL_FAILURE(
                  checkMatmul(transposeLhs, transposeRhs, batched, "i8", s));
            }
          }
        }
      }
    }
  }
}

TEST(GemmPacked, EpilogueDagWithSeveralResults) {
  // Row and column broadcasts, a scalar, a residual, a predicate; the
  // contraction's own value is a result too.
  int64_t b = 2, m = 5, n = 21, k = 9;
  std::string y = "tensor<2x5x21xf32>";
  GemmRun run({"tensor<2x5x9xf32>", "tensor<21x9xf32>", "tensor<21xf32>",
               "tensor<2x1x1xf32>", "tensor<5x1xf32>", "tensor<f32>", y},
              "(" + y + ", tensor<2x5x21xbf16>, tensor<2x5x21xi1>)", R"mlir(
    %l = graph.linear %0, %1 : (tensor<2x5x9xf32>, tensor<21x9xf32>) -> tensor<2x5x21xf32>
    %c = graph.add %l, %2 : (tensor<2x5x21xf32>, tensor<21xf32>) -> tensor<2x5x21xf32>
    %d = graph.mul %c, %3 : (tensor<2x5x21xf32>, tensor<2x1x1xf32>) -> tensor<2x5x21xf32>
    %e = graph.add %d, %4 : (tensor<2x5x21xf32>, tensor<5x1xf32>) -> tensor<2x5x21xf32>
    %f = graph.mul %e, %5 : (tensor<2x5x21xf32>, tensor<f32>) -> tensor<2x5x21xf32>
    %g = graph.gelu %f : tensor<2x5x21xf32>
    %h = graph.add %g, %6 : (tensor<2x5x21xf32>, tensor<2x5x21xf32>) -> tensor<2x5x21xf32>
    %i = graph.cast %h : tensor<2x5x21xf32> to tensor<2x5x21xbf16>
    %j = graph.compare gt, %h, %l : (tensor<2x5x21xf32>, tensor<2x5x21xf32>) -> tensor<2x5x21xi1>
    kernel.yield %l, %i, %j : tensor<2x5x21xf32>, tensor<2x5x21xbf16>, tensor<2x5x21xi1>
  )mlir");
  // The epilogue as a loop over rows, and written out (one row per tile).
  for (int64_t mr : {14, 1}) {
    run.run(schedule(mr, 32));
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
        ASSERT_NO_FATAL_FAILURE(
            expectNear(run.results[0], at, l.value, l.magnitude, k, "l"));
        ASSERT_NO_FATAL_FAILURE(
            expectNear(run.results[1], at, h, l.magnitude + 4, k, "h"));
        if (std::fabs(h - l.value) > 1e-5) {
          ASSERT_EQ(run.results[2].get(at), h > l.value);
        }
      }
    }
  }
}

} // namespace
} // namespace minic::cpu
