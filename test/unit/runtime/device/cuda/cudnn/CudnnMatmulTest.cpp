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
    auto view = [&](format::Base base, uint32_t index,
                    std::vector<int64_t> dims, std::vector<int64_t> strides) {
      auto made = std::make_unique<format::TensorViewT>();
      made->address = std::make_unique<format::Address>(base, index, 0);
      made->dtype = test.dtype;
      made->dims = std::move(dims);
      made->strides = std::move(strides);
      return made;
    };
    auto [dtype, tf32, isTransposed, hasBias, batch, m, n, k] = test;
    HostTensor lhs(dtype, {batch, m, k}, {m * k, k, 1});
    HostTensor rhs(dtype, {batch, k, n},
                   isTransposed ? std::vector<int64_t>{k * n, 1, k}
                                : std::vector<int64_t>{k * n, n, 1});
    HostTensor bias(dtype, {1, 1, n}, {n, n, 1});
    HostTensor result(dtype, {batch, m, n}, {m * n, n, 1});
    lhs.fill(1);
    rhs.fill(2);
    bias.fill(3);
    format::CudnnMatmulT native;
    native.lhs = view(format::Base::input, 0, lhs.dims, lhs.strides);
    native.rhs = view(format::Base::input, 1, rhs.dims, rhs.strides);
    if (hasBias) {
      native.bias = view(format::Base::input, 2, bias.dims, bias.strides);
    }
    native.result = view(format::Base::output, 0, result.dims, result.strides);
    native.compute =
        tf32 ? format::ComputeType::tf32 : format::ComputeType::f32;
    native.scratch =
        std::make_unique<format::Address>(format::Base::arena, 0, 0);
    native.scratch_bytes = kArenaBytes;
    Packed<format::CudnnMatmul> descriptor(native);
    auto call = createCudnnMatmul(*descriptor, options());
    ASSERT_TRUE(call.ok()) << call.status();
    std::vector<void *> callers = {upload(lhs), upload(rhs), upload(bias),
                                   upload(result)};
    ASSERT_TRUE(memory->fill(callers[3], 0xff, result.bytes.size()).ok());
    PlanBases bases;
    bases.arena = static_cast<std::byte *>(arena);
    bases.callers = callers.data();
    bases.inputCount = 3;
    absl::Status status = (*call)->enqueue(memory->stream(), bases);
    ASSERT_TRUE(status.ok()) << status;
    ASSERT_TRUE(memory->waitForStream("run a matmul").ok());
    ASSERT_TRUE(
        memory->copyOut(result.bytes.data(), callers[3], result.bytes.size())
            .ok());
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
