// SPDX-License-Identifier: Apache-2.0
//
// Matmuls, plain and batched.

#include "test/unit/runtime/device/cuda/cudnn/CudnnGpuTest.h"

namespace minic::runtime {
namespace {

TEST_F(CudnnGpuTest, Matmuls) {
  struct Case {
    DType dtype;
    bool tf32, isTransposed, hasBias;
    int64_t batch, m, n, k;
  };
  for (Case test : {Case{DType::f32, true, true, true, 1, 33, 64, 48},
                    Case{DType::bf16, false, true, true, 1, 64, 96, 128},
                    Case{DType::f16, false, true, false, 1, 16, 64, 64},
                    Case{DType::bf16, false, false, false, 3, 40, 64, 32}}) {
    SCOPED_TRACE(format::EnumNameDType(test.dtype));
    auto [dtype, tf32, isTransposed, hasBias, batch, m, n, k] = test;
    StridedTensor lhs(dtype, {batch, m, k}, {m * k, k, 1});
    StridedTensor rhs(dtype, {batch, k, n},
                      isTransposed ? std::vector<int64_t>{k * n, 1, k}
                                   : std::vector<int64_t>{k * n, n, 1});
    StridedTensor bias(dtype, {1, 1, n}, {n, n, 1});
    StridedTensor result(dtype, {batch, m, n}, {m * n, n, 1});
    lhs.fill(1);
    rhs.fill(2);
    bias.fill(3);
    using namespace minic::testing;
    format::CallT native = libraryCall("cudnn", "matmul");
    setOperand(native, "lhs", lhs.view(Base::input, 0));
    setOperand(native, "rhs", rhs.view(Base::input, 1));
    if (hasBias) {
      setOperand(native, "bias", bias.view(Base::input, 2));
    }
    setOperand(native, "result", result.view(Base::output, 0));
    setText(native, "compute", tf32 ? "tf32" : "f32");
    setScratch(native, {Base::arena, 0, 0}, kArenaBytes);
    PackedTable<format::Call> descriptor(native);
    auto call = createCudnnCall(*descriptor, options());
    ASSERT_TRUE(call.ok()) << call.status();
    std::vector<void *> callers = {upload(lhs), upload(rhs), upload(bias),
                                   upload(result)};
    absl::Status status =
        (*call)->enqueue(stream, LibraryCallFixture::basesOf(callers, 3));
    ASSERT_TRUE(status.ok()) << status;
    ASSERT_TRUE(waitForStream().ok());
    ASSERT_NO_FATAL_FAILURE(download(result, callers[3]));
    int wrong = 0;
    for (int64_t b = 0; b < batch; ++b) {
      for (int64_t i = 0; i < m; ++i) {
        for (int64_t j = 0; j < n; ++j) {
          double sum = 0, magnitude = 0;
          for (int64_t p = 0; p < k; ++p) {
            double product = lhs.at({b, i, p}) * rhs.at({b, p, j});
            sum += product;
            magnitude += std::abs(product);
          }
          sum += hasBias ? bias.at({0, 0, j}) : 0;
          double bound =
              magnitude * (0x1p-24 * (k + 4) + (tf32 ? 2.1 * 0x1p-11 : 0)) +
              1.01 * roundingOf(dtype) * std::abs(sum) +
              0x1p-22 * (magnitude + 1);
          wrong += !(std::abs(result.at({b, i, j}) - sum) <= bound);
        }
      }
    }
    EXPECT_EQ(wrong, 0) << "of " << batch * m * n;
  }
}

} // namespace
} // namespace minic::runtime
