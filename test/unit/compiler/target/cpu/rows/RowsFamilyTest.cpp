// SPDX-License-Identifier: Apache-2.0
//
// Bodies over rows, compiled and run, against float64 loops of the test.

#include "compiler/target/cpu/rows/RowsFamily.h"

#include "compiler/target/cpu/rows/RowSchedule.h"
#include "test/unit/compiler/target/cpu/LoweredFusion.h"
#include "test/unit/compiler/target/cpu/pointwise/DenseTensor.h"
#include "test/unit/dialects/kernel/ParsedFusion.h"

#include "mlir/AsmParser/AsmParser.h"

#include "gmock/gmock.h"

#include <functional>

using ::testing::HasSubstr;

namespace minic::cpu {
namespace {

using Tensors = std::vector<DenseTensor>;
using Row = std::vector<double>;

DenseTensor filled(const std::string &dtype, std::vector<int64_t> dims,
                   uint32_t seed) {
  DenseTensor tensor(dtype, std::move(dims));
  tensor.fill(seed);
  return tensor;
}

std::vector<std::string> typesOf(const Tensors &tensors) {
  std::vector<std::string> types;
  for (const DenseTensor &tensor : tensors) {
    types.push_back(tensor.type());
  }
  return types;
}

/// Runs every implementation of a body, and those whose rows are in pieces,
/// some of them empty; `check` looks at the results of each.
void forEachSchedule(Tensors &inputs, Tensors &results, const std::string &body,
                     const std::function<void()> &check,
                     const std::string &isa = "") {
  std::string types;
  for (const DenseTensor &result : results) {
    types += (types.empty() ? "" : ", ") + result.type();
  }
  types = results.size() == 1 ? types : "(" + types + ")";
  std::vector<void *> addresses;
  for (Tensors *tensors : {&inputs, &results}) {
    for (DenseTensor &tensor : *tensors) {
      addresses.push_back(tensor.data());
    }
  }
  size_t count = 1;
  for (size_t which = 0; which != count; ++which) {
    ParsedFusion parsed(typesOf(inputs), types, body);
    auto all = RowsFamily().enumerate(parsed.get(), getCpuProfile(2, isa));
    count = all.size();
    SCOPED_TRACE(all[which].name + " of " + types + " " + isa);
    runFusion(RowsFamily(), parsed.get(), addresses, which, isa);
    check();
    if (testing::Test::HasFailure()) {
      return;
    }
  }
  for (bool keeps : {false, true}) {
    ParsedFusion parsed(typesOf(inputs), types, body);
    kernel::FusionOp fusion = parsed.get();
    RowSchedule pieces{1, keeps, /*pieces=*/5};
    SCOPED_TRACE(toString(pieces) + " of " + types + " " + isa);
    mlir::MLIRContext *context = fusion.getContext();
    fusion.setImplAttr(
        kernel::ImplAttr::get(context, "rows", toAttr(pieces, context)));
    for (DenseTensor &result : results) {
      for (int64_t i = 0; i != result.count(); ++i) {
        result.set(i, 77);
      }
    }
    runImplemented(RowsFamily(), fusion, addresses, getCpuProfile(2, isa));
    check();
  }
}

Row rowOf(const DenseTensor &tensor, int64_t row, int64_t columns) {
  Row values;
  for (int64_t i = 0; i != columns; ++i) {
    values.push_back(tensor.get(row * columns + i));
  }
  return values;
}

double meanOf(const Row &row, const std::function<double(double)> &f) {
  double sum = 0;
  for (double x : row) {
    sum += f(x);
  }
  return sum / double(row.size());
}

Row softmaxOf(const Row &row) {
  double greatest = *std::max_element(row.begin(), row.end());
  double sum = meanOf(row, [&](double x) { return std::exp(x - greatest); }) *
               double(row.size());
  Row result;
  for (double x : row) {
    result.push_back(std::exp(x - greatest) / sum);
  }
  return result;
}

/// (x - mean) / sqrt(variance + 1e-5).
Row normOf(const Row &row) {
  double mean = meanOf(row, [](double x) { return x; });
  double variance =
      meanOf(row, [&](double x) { return (x - mean) * (x - mean); });
  Row result;
  for (double x : row) {
    result.push_back((x - mean) / std::sqrt(variance + 1e-5));
  }
  return result;
}

void expectNear(const DenseTensor &got, int64_t i, double want, double slack) {
  ASSERT_NEAR(got.get(i), want, std::fabs(want) * got.roundoff() + slack)
      << "element " << i;
}

//===----------------------------------------------------------------------===//
// Softmax and norms
//===----------------------------------------------------------------------===//

void checkSoftmax(const std::string &dtype, int64_t rows, int64_t columns,
                  const std::string &isa = "") {
  Tensors inputs, results;
  inputs.push_back(filled(dtype, {rows, columns}, uint32_t(columns)));
  results.emplace_back(dtype, std::vector<int64_t>{rows, columns});
  std::string type = inputs[0].type();
  forEachSchedule(
      inputs, results,
      "%y = graph.softmax %0 axis = 1 : " + type +
          "\nkernel.yield %y : " + type,
      [&] {
        for (int64_t r = 0; r != rows; ++r) {
          Row want = softmaxOf(rowOf(inputs[0], r, columns));
          for (int64_t i = 0; i != columns; ++i) {
            expectNear(results[0], r * columns + i, want[i], want[i] * 1e-6);
          }
        }
      },
      isa);
}

TEST(RowsFamily, SoftmaxOfAnyWidth) {
  for (int64_t columns : {1, 2, 7, 15, 16, 17, 33, 63, 64, 65, 1000, 4097}) {
    checkSoftmax("f32", 5, columns);
  }
  for (std::string dtype : {"bf16", "f16"}) {
    for (int64_t columns : {1, 7, 33, 1000}) {
      checkSoftmax(dtype, 3, columns);
    }
  }
  checkSoftmax("f32", 2, 50257);
  checkSoftmax("f32", 1, 50257);
}

TEST(RowsFamily, SoftmaxWithoutAvx512) {
  for (std::string dtype : {"f32", "bf16", "f16"}) {
    for (int64_t columns : {1, 7, 33, 40, 1000}) {
      checkSoftmax(dtype, 3, columns, "v3");
    }
  }
}

/// The residual sum is kept, in its dtype; the mean is 100 times sigma.
void checkResidualNorm(const std::string &dtype, int64_t columns,
                       const std::string &isa = "") {
  Tensors inputs, results;
  int64_t rows = 4;
  inputs.push_back(filled(dtype, {rows, columns}, 1));
  inputs.push_back(filled(dtype, {rows, columns}, 2));
  inputs.push_back(filled(dtype, {columns}, 3));
  inputs.push_back(filled(dtype, {columns}, 4));
  double far = dtype == "f32" ? 100 : 2;
  for (int64_t i = 0; i != inputs[1].count(); ++i) {
    inputs[1].set(i, far + inputs[1].get(i));
  }
  results.emplace_back(dtype, inputs[0].dims);
  results.emplace_back("f32", inputs[0].dims);
  std::string t = inputs[0].type(), v = inputs[2].type();
  std::string wide = results[1].type();
  forEachSchedule(
      inputs, results,
      "%s = graph.add %0, %1 : " + t +
          "\n%n = graph.layer_norm %s scale %2 bias %3 axis = 1 : (" + t +
          ", " + v + ", " + v + ") -> " + t + "\n%w = graph.cast %n : " + t +
          " to " + wide + "\nkernel.yield %s, %w : " + t + ", " + wide,
      [&] {
        for (int64_t r = 0; r != rows; ++r) {
          Row sum = rowOf(inputs[0], r, columns);
          for (int64_t i = 0; i != columns; ++i) {
            sum[i] += inputs[1].get(r * columns + i);
          }
          Row norm = normOf(sum);
          for (int64_t i = 0; i != columns; ++i) {
            expectNear(results[0], r * columns + i, sum[i], 0);
            double want = norm[i] * inputs[2].get(i) + inputs[3].get(i);
            double cast = std::fabs(want) * inputs[0].roundoff();
            // A mean of 100 leaves f32 17 bits of a deviation.
            expectNear(results[1], r * columns + i, want, 1e-4 + cast);
          }
        }
      },
      isa);
}

TEST(RowsFamily, NormOfAResidualThatIsKept) {
  for (std::string dtype : {"f32", "bf16", "f16"}) {
    for (int64_t columns : {7, 33, 768, 1000}) {
      checkResidualNorm(dtype, columns);
    }
    checkResidualNorm(dtype, 77, "v3");
  }
}

TEST(RowsFamily, ReadsEachChannelsScale) {
  Tensors inputs, results;
  inputs.push_back(filled("f32", {2, 6, 37}, 1));
  inputs.push_back(filled("f32", {6}, 2));
  results.emplace_back("f32", inputs[0].dims);
  forEachSchedule(
      inputs, results,
      "%e = graph.exp %0 : tensor<2x6x37xf32>\n"
      "%y = graph.group_norm %e scale %1 groups = 2 : (tensor<2x6x37xf32>, "
      "tensor<6xf32>) -> tensor<2x6x37xf32>\n"
      "kernel.yield %y : tensor<2x6x37xf32>",
      [&] {
        for (int64_t r = 0; r != 4; ++r) {
          Row row = rowOf(inputs[0], r, 3 * 37);
          for (double &x : row) {
            x = std::exp(x);
          }
          Row want = normOf(row);
          for (int64_t i = 0; i != 3 * 37; ++i) {
            double scale = inputs[1].get(r % 2 * 3 + i / 37);
            expectNear(results[0], r * 3 * 37 + i, want[i] * scale, 1e-5);
          }
        }
      });
}

TEST(RowsFamily, TakesRowsAlongAnyAxis) {
  Tensors inputs, results;
  inputs.push_back(filled("bf16", {2, 19, 5}, 1));
  results.emplace_back("bf16", inputs[0].dims);
  forEachSchedule(inputs, results,
                  "%y = graph.softmax %0 axis = 1 : tensor<2x19x5xbf16>\n"
                  "kernel.yield %y : tensor<2x19x5xbf16>",
                  [&] {
                    for (int64_t r = 0; r != 10; ++r) {
                      Row row;
                      int64_t first = r / 5 * 95 + r % 5;
                      for (int64_t i = 0; i != 19; ++i) {
                        row.push_back(inputs[0].get(first + i * 5));
                      }
                      Row want = softmaxOf(row);
                      for (int64_t i = 0; i != 19; ++i) {
                        expectNear(results[0], first + i * 5, want[i], 1e-6);
                      }
                    }
                  });
}

TEST(RowsFamily, NanAndInfinitiesStayInTheirRow) {
  constexpr double inf = INFINITY;
  for (int64_t columns : {3, 40}) {
    Tensors inputs, results;
    inputs.push_back(filled("f32", {5, columns}, 1));
    results.emplace_back("f32", inputs[0].dims);
    results.emplace_back("f32", std::vector<int64_t>{5});
    inputs[0].set(columns + 1, NAN);
    inputs[0].set(2 * columns, inf);
    inputs[0].set(4 * columns, -inf);
    for (int64_t i = 0; i != columns; ++i) {
      inputs[0].set(3 * columns + i, -inf);
    }
    std::string type = inputs[0].type();
    forEachSchedule(
        inputs, results,
        "%y = graph.softmax %0 axis = 1 : " + type +
            "\n%m = graph.reduce max, %0 [1] : " + type +
            " -> tensor<5xf32>\nkernel.yield %y, %m : " + type +
            ", tensor<5xf32>",
        [&] {
          for (int64_t i = 0; i != columns; ++i) {
            EXPECT_FALSE(std::isnan(results[0].get(i)));
            EXPECT_TRUE(std::isnan(results[0].get(columns + i)));
            EXPECT_TRUE(std::isnan(results[0].get(3 * columns + i)));
            EXPECT_FALSE(std::isnan(results[0].get(4 * columns + i)));
          }
          EXPECT_TRUE(std::isnan(results[0].get(2 * columns)));
          EXPECT_EQ(results[0].get(4 * columns), 0);
          EXPECT_TRUE(std::isnan(results[1].get(1)));
          EXPECT_EQ(results[1].get(2), inf);
          EXPECT_EQ(results[1].get(3), -inf);
        });
  }
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

TEST(RowsFamily, ReducesToResultsOfOneElementPerRow) {
  for (int64_t columns : {1, 7, 33, 1000, 50257}) {
    Tensors inputs, results;
    inputs.push_back(filled("f32", {3, columns}, 1));
    for (const char *dtype : {"f32", "f32", "i64"}) {
      results.emplace_back(dtype, std::vector<int64_t>{3});
    }
    std::string type = inputs[0].type();
    forEachSchedule(
        inputs, results,
        "%e = graph.exp %0 : " + type + "\n%s = graph.reduce mean, %e [1] : " +
            type + " -> tensor<3xf32>\n%l = graph.log %s : tensor<3xf32>\n" +
            "%m = graph.reduce min, %0 [1] : " + type + " -> tensor<3xf32>\n" +
            "%i = graph.arg_reduce max, %0 axis = 1 : " + type +
            " -> tensor<3xi64>\n"
            "kernel.yield %l, %m, %i : tensor<3xf32>, tensor<3xf32>, "
            "tensor<3xi64>",
        [&] {
          for (int64_t r = 0; r != 3; ++r) {
            Row row = rowOf(inputs[0], r, columns);
            double mean = meanOf(row, [](double x) { return std::exp(x); });
            expectNear(results[0], r, std::log(mean), 2e-6);
            EXPECT_EQ(results[1].get(r),
                      *std::min_element(row.begin(), row.end()));
            EXPECT_EQ(results[2].get(r),
                      std::max_element(row.begin(), row.end()) - row.begin());
          }
        });
  }
}

TEST(RowsFamily, ReducesOverOuterDimensionsAndIntegers) {
  for (std::string dtype : {"i64", "i32", "f16"}) {
    Tensors inputs, results;
    inputs.push_back(filled(dtype, {3, 5, 21, 2}, 2));
    results.emplace_back(dtype, std::vector<int64_t>{5, 2});
    forEachSchedule(
        inputs, results,
        "%r = graph.reduce sum, %0 [0, 2] : " + inputs[0].type() + " -> " +
            results[0].type() + "\nkernel.yield %r : " + results[0].type(),
        [&] {
          for (int64_t i = 0; i != 10; ++i) {
            double want = 0;
            for (int64_t p = 0; p != 63; ++p) {
              int64_t outer = p / 21 * 5 + i / 2;
              want += inputs[0].get((outer * 21 + p % 21) * 2 + i % 2);
            }
            expectNear(results[0], i, want, dtype == "f16" ? 1e-5 : 0);
          }
        });
  }
}

TEST(RowsFamily, SpreadsARowsValueOverItsColumns) {
  Tensors inputs, results;
  inputs.push_back(filled("f32", {3, 21}, 1));
  results.emplace_back("f32", inputs[0].dims);
  forEachSchedule(
      inputs, results,
      "%m = graph.reduce max, %0 [1] {keep_dims} : tensor<3x21xf32> -> "
      "tensor<3x1xf32>\n"
      "%y = graph.broadcast %m : tensor<3x1xf32> to tensor<3x21xf32>\n"
      "kernel.yield %y : tensor<3x21xf32>",
      [&] {
        for (int64_t i = 0; i != 63; ++i) {
          Row row = rowOf(inputs[0], i / 21, 21);
          EXPECT_EQ(results[0].get(i),
                    *std::max_element(row.begin(), row.end()));
        }
      });
}

//===----------------------------------------------------------------------===//
// What it offers, and refuses
//===----------------------------------------------------------------------===//

std::string reasonAgainst(const std::string &body) {
  ParsedFusion parsed({"tensor<4x8xf32>"}, "tensor<4x8xf32>", body);
  return RowsFamily()
      .reject(parsed.get(), getCpuProfile(2, ""))
      .value_or("none");
}

bool offersPieces(int64_t rows, int64_t columns, int threads) {
  std::string type = "tensor<" + std::to_string(rows) + "x" +
                     std::to_string(columns) + "xf32>";
  ParsedFusion parsed({type}, type,
                      "%y = graph.softmax %0 axis = 1 : " + type +
                          "\nkernel.yield %y : " + type);
  auto offers = RowsFamily().enumerate(parsed.get(), getCpuProfile(threads));
  return llvm::any_of(offers, [](const Implementation &each) {
    return llvm::StringRef(each.name).starts_with("rows pieces=");
  });
}

TEST(RowsFamily, CutsFewLongRowsForThreads) {
  EXPECT_TRUE(offersPieces(1, 50257, 2));
  EXPECT_TRUE(offersPieces(3, 1 << 20, 4));
  EXPECT_FALSE(offersPieces(1, 50257, 1));
  EXPECT_FALSE(offersPieces(2, 50257, 2));
  EXPECT_FALSE(offersPieces(1, 1000, 2));
}

TEST(RowsFamily, SaysWhyNot) {
  EXPECT_EQ(reasonAgainst("%r = graph.relu %0 : tensor<4x8xf32>\n"
                          "kernel.yield %r : tensor<4x8xf32>"),
            "no reduction in the body");
  EXPECT_NE(reasonAgainst("%r = graph.cumsum %0 axis = 1 : tensor<4x8xf32>\n"
                          "kernel.yield %r : tensor<4x8xf32>"),
            "none");
}

TEST(RowsFamily, RefusesASchedule) {
  std::string type = "tensor<4x8xf32>";
  for (std::string schedule :
       {"{tile = 4 : i64}", "{keep = true, pieces = 1 : i64, tile = 0 : i64}",
        "{keep = 1 : i64, pieces = 1 : i64, tile = 4 : i64}",
        "{keep = true, pieces = 2 : i64, tile = 2 : i64}",
        "{keep = false, pieces = 0 : i64, tile = 1 : i64}"}) {
    ParsedFusion parsed({type}, type,
                        "%y = graph.softmax %0 axis = 1 : " + type +
                            "\nkernel.yield %y : " + type);
    kernel::FusionOp fusion = parsed.get();
    mlir::MLIRContext *context = fusion.getContext();
    auto attr = mlir::cast<mlir::DictionaryAttr>(
        mlir::parseAttribute(schedule, context));
    fusion.setImplAttr(kernel::ImplAttr::get(context, "rows", attr));
    RecordingPlanBuilder plan(context);
    std::string message;
    mlir::ScopedDiagnosticHandler handler(context, [&](mlir::Diagnostic &d) {
      message = d.str();
      return mlir::success();
    });
    EXPECT_TRUE(mlir::failed(RowsFamily().lower(fusion, plan)));
    EXPECT_THAT(message, HasSubstr("rows expects a schedule {keep = true or "
                                   "false, pieces = N, tile = M}"));
  }
}

} // namespace
} // namespace minic::cpu
