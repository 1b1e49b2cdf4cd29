// SPDX-License-Identifier: Apache-2.0
//
// CublasFixture: runs products on poisoned outputs and compares them. With
// MINIC_TEST_ON_GPU by the real libraries, else by fakes of the driver and
// them.

#ifndef MINIC_TEST_UNIT_RUNTIME_DEVICE_CUDA_CUBLAS_CUBLASFIXTURE_H
#define MINIC_TEST_UNIT_RUNTIME_DEVICE_CUDA_CUBLAS_CUBLASFIXTURE_H

#include "runtime/device/cuda/CublasLibrary.h"
#include "test/unit/runtime/device/cuda/LibraryCallFixture.h"
#include "test/unit/runtime/device/cuda/cublas/ProductCase.h"

#ifndef MINIC_TEST_ON_GPU
#include "test/unit/runtime/device/cuda/FakeCuda.h"
#include "test/unit/runtime/device/cuda/cublas/FakeCublas.h"

#include <dlfcn.h>
#endif

#include <gmock/gmock.h>

namespace minic::runtime {

using minic::testing::PackedTable;

class CublasFixture : public LibraryCallFixture {
protected:
#ifndef MINIC_TEST_ON_GPU
  /// Of the library that minic opens, as CMakeLists.txt tells it.
  static minic::testing::FakeCublas &fake() {
    void *library = dlopen(MINIC_FAKE_CUBLAS, RTLD_NOW);
    auto *get = reinterpret_cast<decltype(&::minicFakeCublas)>(
        dlsym(library, "minicFakeCublas"));
    return *get();
  }
#endif

  void SetUp() override {
#ifndef MINIC_TEST_ON_GPU
    minic::testing::fakeCuda();
    fake() = {};
#endif
    GpuOrSkip::SetUp();
    if (IsSkipped() || HasFatalFailure()) {
      return;
    }
    for (absl::Status status :
         {CublasLibrary::open().status(), CublasltLibrary::open().status()}) {
      if (!status.ok()) {
        return giveUp(status.ToString());
      }
    }
    allocateArena(kArenaBytes);
  }

  LibraryCallOptions options(const std::string &version = "",
                             bool strict = false) {
    return {*context, version, strict, 0, constants, nullptr};
  }

  absl::StatusOr<std::unique_ptr<LibraryCall>>
  makeMatmul(const ProductCase &test, const ProductCase::Data &data,
             const std::string &version = "", bool strict = false) {
    matmuls.push_back(
        std::make_unique<PackedTable<format::Call>>(test.matmul(data)));
    return createCublasltMatmul(**matmuls.back(), options(version, strict));
  }

  /// Runs `call` on `data`, whose outputs are NaN, and fetches them.
  void run(LibraryCall &call, ProductCase::Data &data) {
    std::vector<void *> callers = {upload(data.lhs),    upload(data.rhs),
                                   upload(data.bias),   upload(data.addend),
                                   upload(data.result), upload(data.aux)};
    absl::Status status = call.enqueue(stream, basesOf(callers, 4));
    ASSERT_TRUE(status.ok()) << status;
    ASSERT_TRUE(waitForStream().ok());
    ASSERT_NO_FATAL_FAILURE(download(data.result, callers[4]));
    ASSERT_NO_FATAL_FAILURE(download(data.aux, callers[5]));
  }

  /// Compares every element. `approximation`: what the activation may be wrong
  /// by beyond rounding, relative to its operand.
  void expectCorrect(const ProductCase &test, const ProductCase::Data &data,
                     double approximation = 0) {
    int wrong = 0;
    double worst = 0; // in units of the bound
    int64_t batch = std::max<int64_t>(test.batch, 1);
    for (int64_t at = 0; at < batch * test.m * test.n; ++at) {
      int64_t j = at % test.n, i = at / test.n % test.m,
              which = at / (test.n * test.m);
      auto [want, before, bound] = test.expected(data, which, i, j);
      auto compare = [&](double got, double wanted, double slack,
                         const char *what) {
        // No activation here has a slope above 1.2.
        double allowed = 1.2 * bound + slack +
                         1.01 * roundingOf(test.result) * std::abs(wanted) +
                         1e-7;
        double error = std::abs(got - wanted);
        worst = std::max(worst, error / allowed);
        if (!(error <= allowed) && ++wrong <= 3) {
          ADD_FAILURE() << what << "[" << which << ", " << i << ", " << j
                        << "] = " << got << ", want " << wanted << " within "
                        << allowed;
        }
      };
      compare(data.result.at({which, i, j}), want,
              approximation * std::abs(before), "result");
      if (test.hasAux) {
        compare(data.aux.at({which, i, j}), before, 0, "aux");
      }
    }
    EXPECT_EQ(wrong, 0) << "of " << batch * test.m * test.n;
    RecordProperty(test.name + "_error_of_bound", std::to_string(worst));
  }

  void checkMatmul(const ProductCase &test, double approximation = 0) {
    SCOPED_TRACE(test.name);
    ProductCase::Data data = test.data();
    auto call = makeMatmul(test, data);
    ASSERT_TRUE(call.ok()) << call.status();
    ASSERT_NO_FATAL_FAILURE(run(**call, data));
    expectCorrect(test, data, approximation);
  }
  void checkGemm(const ProductCase &test) {
    SCOPED_TRACE(test.name);
    ProductCase::Data data = test.data();
    PackedTable<format::Call> packed(test.gemm(data));
    auto call = createCublasGemm(*packed, options());
    ASSERT_TRUE(call.ok()) << call.status();
    ASSERT_NO_FATAL_FAILURE(run(**call, data));
    expectCorrect(test, data);
  }

  static constexpr uint64_t kArenaBytes = 32 << 20;
  std::vector<std::unique_ptr<PackedTable<format::Call>>> matmuls;
};

/// `test` in every dtype, and with 16-bit operands and f32 results.
inline std::vector<ProductCase> inAllTypes(ProductCase test,
                                           const std::string &name) {
  std::vector<ProductCase> all;
  for (auto [dtype, result, tf32] :
       {std::tuple(DType::f32, DType::f32, false),
        std::tuple(DType::f32, DType::f32, true),
        std::tuple(DType::f16, DType::f16, false),
        std::tuple(DType::bf16, DType::bf16, false),
        std::tuple(DType::bf16, DType::f32, false),
        std::tuple(DType::f16, DType::f32, false)}) {
    test.dtype = dtype;
    test.result = result;
    test.tf32 = tf32;
    test.name = name + "_" + format::EnumNameDType(dtype) + "_" +
                format::EnumNameDType(result) + (tf32 ? "_tf32" : "");
    all.push_back(test);
  }
  return all;
}

} // namespace minic::runtime

#endif // MINIC_TEST_UNIT_RUNTIME_DEVICE_CUDA_CUBLAS_CUBLASFIXTURE_H
