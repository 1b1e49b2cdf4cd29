// SPDX-License-Identifier: Apache-2.0
//
// What tests of rows kernels have in common: a kernel run by the interpreter,
// and what a row becomes, in float64.

#ifndef MINIC_TEST_UNIT_COMPILER_TARGET_CUDA_ROWS_ROWSCASE_H
#define MINIC_TEST_UNIT_COMPILER_TARGET_CUDA_ROWS_ROWSCASE_H

#include "compiler/target/OfferFusion.h"
#include "compiler/target/cuda/rows/RowSchedule.h"
#include "compiler/target/cuda/rows/RowsFamily.h"
#include "test/unit/compiler/target/cuda/InterpretedFusion.h"
#include "test/unit/dialects/kernel/TensorText.h"

#include <cmath>

namespace minic::cuda {

/// How far a value may be from `expected` after one rounding to `dtype`.
inline double tolerance(double expected, const std::string &dtype) {
  double unit = dtype == "bf16" ? 0x1p-8 : dtype == "f16" ? 0x1p-11 : 0x1p-21;
  return unit * std::abs(expected) + 2e-6;
}

inline void runBy(const RowSchedule &schedule, InterpretedFusion &run) {
  Implementation offer =
      offerDense(run.fusion, "rows", toAttr(schedule, run.fusion.getContext()),
                 toString(schedule));
  run.run(RowsFamily(), offer, *getCudaProfile("h200"));
  for (const KernelResources &kernel : run.resources) {
    EXPECT_EQ(kernel.spillBytes, 0) << kernel.entry;
  }
}

using Row = std::vector<double>;
using RowFunction = std::function<Row(const Row &)>;

/// Every row of result number `result`, as `function` makes it of a row of the
/// first operand.
inline void checkRows(InterpretedFusion &run, size_t result, int64_t columns,
                      const std::string &dtype, const RowFunction &function) {
  cpu::TestTensor &from = run.inputs[0], &to = run.results[result];
  for (int64_t row = 0; row != from.elements() / columns; ++row) {
    Row x;
    for (int64_t i = 0; i != columns; ++i) {
      x.push_back(from.get(row * columns + i));
    }
    Row expected = function(x);
    auto count = int64_t(expected.size());
    for (int64_t i = 0; i != count; ++i) {
      double got = to.get(row * count + i), want = expected[size_t(i)];
      ASSERT_NEAR(got, want, tolerance(want, dtype)) << row << ", " << i;
    }
  }
  EXPECT_TRUE(to.guardIntact());
}

inline Row softmax(const Row &x) {
  double most = *std::max_element(x.begin(), x.end()), sum = 0;
  Row y;
  for (double each : x) {
    sum += y.emplace_back(std::exp(each - most));
  }
  for (double &each : y) {
    each /= sum;
  }
  return y;
}

/// Softmax down each of `columns` of a [length, columns] tensor: neighbours in
/// memory are of different rows.
inline void checkSoftmaxAcross(const RowSchedule &schedule, int64_t length,
                               int64_t columns) {
  SCOPED_TRACE(toString(schedule));
  std::string x = tensor({length, columns}, "f32");
  InterpretedFusion run({x}, x,
                        "%y = graph.softmax %0 axis = 0 : " + x +
                            "\nkernel.yield %y : " + x);
  ASSERT_NO_FATAL_FAILURE(runBy(schedule, run));
  cpu::TestTensor &from = run.inputs[0], &to = run.results[0];
  for (int64_t column = 0; column != columns; ++column) {
    Row row;
    for (int64_t i = 0; i != length; ++i) {
      row.push_back(from.get(i * columns + column));
    }
    Row expected = softmax(row);
    for (int64_t i = 0; i != length; ++i) {
      ASSERT_NEAR(to.get(i * columns + column), expected[size_t(i)], 1e-6)
          << i << ", " << column;
    }
  }
  EXPECT_TRUE(to.guardIntact());
}

inline Row normalize(const Row &x, bool isCentred) {
  double mean = 0, power = 0;
  for (double each : x) {
    mean += isCentred ? each / double(x.size()) : 0;
  }
  for (double each : x) {
    power += (each - mean) * (each - mean) / double(x.size());
  }
  Row y;
  for (double each : x) {
    y.push_back((each - mean) / std::sqrt(power + 1e-5));
  }
  return y;
}

} // namespace minic::cuda

#endif // MINIC_TEST_UNIT_COMPILER_TARGET_CUDA_ROWS_ROWSCASE_H
