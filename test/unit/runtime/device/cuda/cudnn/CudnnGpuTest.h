// SPDX-License-Identifier: Apache-2.0
//
// CudnnGpuTest: runs convolutions of cuDNN on a GPU, on poisoned outputs, and
// compares them with ConvolutionReference.

#ifndef MINIC_TEST_UNIT_RUNTIME_DEVICE_CUDA_CUDNN_CUDNNGPUTEST_H
#define MINIC_TEST_UNIT_RUNTIME_DEVICE_CUDA_CUDNN_CUDNNGPUTEST_H

#include "runtime/device/cuda/cudnn/CudnnLibrary.h"
#include "test/unit/runtime/device/cuda/LibraryCallFixture.h"
#include "test/unit/runtime/device/cuda/cudnn/ConvolutionReference.h"

namespace minic::runtime {

using minic::testing::PackedTable;

class CudnnGpuTest : public LibraryCallFixture {
protected:
  void SetUp() override {
    GpuOrSkip::SetUp();
    if (IsSkipped() || HasFatalFailure()) {
      return;
    }
    if (auto found = CudnnLibrary::open(); !found.ok()) {
      return giveUp(found.status().ToString());
    }
    allocateArena(kArenaBytes);
  }

  LibraryCallOptions options() {
    return {*context, "", false, 0, constants, nullptr, spares};
  }

  /// Data for a case, made once and run with many engines.
  struct Data {
    StridedTensor input, filter, bias, addend, result;
    std::vector<void *> callers;
  };

  Data prepare(const ConvolutionCase &test) {
    auto tensor = [&](std::vector<int64_t> dims, int seed,
                      bool isFilter = false) {
      StridedTensor made(test.dtype, dims, test.stridesOf(dims, isFilter));
      made.fill(seed);
      return made;
    };
    Data data;
    data.input = tensor(test.inputDims(), 1);
    data.filter = tensor(test.filterDims(), 2, /*isFilter=*/true);
    data.bias = tensor({1, test.k, 1, 1}, 3);
    data.addend = tensor(test.resultDims(), 4);
    data.result = tensor(test.resultDims(), 5);
    uploadAll(data);
    return data;
  }

  void uploadAll(Data &data) {
    data.callers = {upload(data.input), upload(data.filter), upload(data.bias),
                    upload(data.addend), upload(data.result)};
  }

  PlanBases basesOf(const Data &data) const {
    return LibraryCallFixture::basesOf(data.callers, 4);
  }

  void poison(Data &data) {
    LibraryCallFixture::poison(data.result, data.callers[4]);
  }

  void fetch(Data &data) {
    ASSERT_TRUE(waitForStream().ok());
    download(data.result, data.callers[4]);
  }

  void run(LibraryCall &call, Data &data) {
    poison(data);
    absl::Status status = call.enqueue(stream, basesOf(data));
    ASSERT_TRUE(status.ok()) << status;
    ASSERT_NO_FATAL_FAILURE(fetch(data));
  }

  /// Compares every element.
  void expectCorrect(const ConvolutionCase &test, const Data &data) {
    ConvolutionReference reference{test, data.input, data.filter, data.bias,
                                   data.addend};
    int wrong = 0;
    double worst = 0; // in units of the bound
    for (int64_t n = 0; n < test.n; ++n) {
      for (int64_t k = 0; k < test.k; ++k) {
        for (int64_t y = 0; y < test.outH(); ++y) {
          for (int64_t x = 0; x < test.outW(); ++x) {
            auto [want, bound] = reference.at(n, k, y, x);
            double got = data.result.at({n, k, y, x});
            double error = std::abs(got - want);
            worst = std::max(worst, error / bound);
            if (!(error <= bound) && ++wrong <= 3) {
              ADD_FAILURE() << test.name << ": result[" << n << ", " << k
                            << ", " << y << ", " << x << "] = " << got
                            << ", want " << want << " within " << bound;
            }
          }
        }
      }
    }
    EXPECT_EQ(wrong, 0) << test.name;
    RecordProperty(test.name + "_error_of_bound", std::to_string(worst));
  }

  absl::StatusOr<std::unique_ptr<LibraryCall>>
  make(const ConvolutionCase &test) {
    packed.push_back(
        std::make_unique<PackedTable<format::Call>>(test.descriptor()));
    return createCudnnCall(**packed.back(), options());
  }

  void check(const ConvolutionCase &test) {
    SCOPED_TRACE(test.name);
    auto call = make(test);
    ASSERT_TRUE(call.ok()) << test.name << ": " << call.status();
    Data data = prepare(test);
    ASSERT_NO_FATAL_FAILURE(run(**call, data));
    expectCorrect(test, data);
  }

  static constexpr uint64_t kArenaBytes = 64 << 20;
  std::shared_ptr<SparePool> spares; // null: off, as it is for users
  std::vector<std::unique_ptr<PackedTable<format::Call>>> packed;
};

inline std::string nameOf(const ConvolutionCase &test, const char *what) {
  return std::string(what) + "_" + format::EnumNameDType(test.dtype) +
         (test.tf32 ? "_tf32" : "") + (test.isNhwc ? "_nhwc" : "_nchw");
}

/// `test` in every type and order.
inline std::vector<ConvolutionCase> inAllTypes(ConvolutionCase test,
                                               const char *what) {
  std::vector<ConvolutionCase> all;
  for (bool isNhwc : {false, true}) {
    for (auto [dtype, tf32] :
         {std::pair(DType::f32, false), std::pair(DType::f32, true),
          std::pair(DType::f16, false), std::pair(DType::bf16, false)}) {
      test.dtype = dtype;
      test.tf32 = tf32;
      test.isNhwc = isNhwc;
      test.name = nameOf(test, what);
      all.push_back(test);
    }
  }
  return all;
}

} // namespace minic::runtime

#endif // MINIC_TEST_UNIT_RUNTIME_DEVICE_CUDA_CUDNN_CUDNNGPUTEST_H
