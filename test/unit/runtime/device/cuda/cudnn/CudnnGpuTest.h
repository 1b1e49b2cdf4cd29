// SPDX-License-Identifier: Apache-2.0
//
// CudnnGpuTest: runs convolutions of cuDNN on a GPU, on poisoned outputs, and
// compares them with loops in float64.

#ifndef MINIC_TEST_UNIT_RUNTIME_DEVICE_CUDA_CUDNN_CUDNNGPUTEST_H
#define MINIC_TEST_UNIT_RUNTIME_DEVICE_CUDA_CUDNN_CUDNNGPUTEST_H

#include "runtime/base/SmallFloat.h"
#include "runtime/device/cuda/LibraryCall.h"
#include "runtime/device/cuda/cudnn/CudnnLibrary.h"
#include "test/unit/runtime/device/cuda/cudnn/CudnnProblems.h"
#include "test/unit/runtime/testing/GpuOrSkip.h"

#include <cmath>
#include <cstring>
#include <random>

namespace minic::runtime {

using format::DType;
using format::EltwiseKind;

inline constexpr size_t kGuardBytes = 256;

inline size_t bytesOf(DType dtype) { return dtype == DType::f32 ? 4 : 2; }

inline float decode(DType dtype, const std::byte *from) {
  float wide;
  uint16_t narrow;
  std::memcpy(&wide, from, 4 * (dtype == DType::f32));
  std::memcpy(&narrow, from, 2);
  return dtype == DType::f32   ? wide
         : dtype == DType::f16 ? f16ToFloat(narrow)
                               : bf16ToFloat(narrow);
}

/// A dense tensor with what its dtype makes of its values.
struct HostTensor {
  DType dtype;
  std::vector<int64_t> dims, strides;
  std::vector<std::byte> bytes;

  HostTensor() = default;
  HostTensor(DType dtype, std::vector<int64_t> dims,
             std::vector<int64_t> strides)
      : dtype(dtype), dims(std::move(dims)), strides(std::move(strides)) {
    bytes.resize(elements() * bytesOf(dtype));
  }
  int64_t elements() const {
    int64_t count = 1;
    for (int64_t dim : dims) {
      count *= dim;
    }
    return count;
  }
  void set(int64_t i, float value) {
    uint16_t narrow =
        dtype == DType::f16 ? floatToF16(value) : floatToBf16(value);
    if (dtype == DType::f32) {
      std::memcpy(&bytes[i * 4], &value, 4);
    } else {
      std::memcpy(&bytes[i * 2], &narrow, 2);
    }
  }
  void fill(int seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<float> uniform(-1, 1);
    for (int64_t i = 0; i < elements(); ++i) {
      set(i, uniform(random));
    }
  }
  int64_t offset(const std::vector<int64_t> &index) const {
    int64_t at = 0;
    for (size_t i = 0; i < index.size(); ++i) {
      at += index[i] * strides[i];
    }
    return at;
  }
  double at(const std::vector<int64_t> &index) const {
    return decode(dtype, &bytes[offset(index) * bytesOf(dtype)]);
  }
};

inline double applied(const ConvolutionCase &test, double x) {
  if (!test.activation) {
    return x;
  }
  switch (*test.activation) {
  case EltwiseKind::relu:
    return x < 0 ? 0 : x;
  case EltwiseKind::leaky_relu:
    return x < 0 ? test.alpha * x : x;
  case EltwiseKind::clamp:
    return std::min<double>(std::max<double>(x, test.alpha), test.beta);
  case EltwiseKind::tanh:
    return std::tanh(x);
  case EltwiseKind::sigmoid:
    return 1 / (1 + std::exp(-x));
  case EltwiseKind::silu:
    return x / (1 + std::exp(-x));
  case EltwiseKind::gelu_erf:
    return 0.5 * x * (1 + std::erf(x * std::sqrt(0.5)));
  case EltwiseKind::gelu_tanh:
    return 0.5 * x *
           (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
  default:
    return NAN;
  }
}

/// Half a unit in the last place of 1.
inline double roundingOf(DType dtype) {
  return dtype == DType::f32 ? 0x1p-24 : dtype == DType::f16 ? 0x1p-11 : 0x1p-8;
}

class CudnnGpuTest : public minic::testing::GpuOrSkip {
protected:
  void SetUp() override {
    GpuOrSkip::SetUp();
    if (IsSkipped() || HasFatalFailure()) {
      return;
    }
    if (auto found = CudnnLibrary::open(); !found.ok()) {
      return giveUp(found.status().ToString());
    }
    auto made = memory->allocate(kArenaBytes);
    ASSERT_TRUE(made.ok()) << made.status();
    arena = *made;
  }
  void TearDown() override {
    for (void *pointer : allocated) {
      memory->release(pointer);
    }
    if (memory) {
      memory->release(arena);
    }
  }

  void *upload(const HostTensor &tensor, size_t guard = 0) {
    auto made = memory->allocate(tensor.bytes.size() + guard);
    EXPECT_TRUE(made.ok()) << made.status();
    allocated.push_back(*made);
    EXPECT_TRUE(
        memory->copyIn(*made, tensor.bytes.data(), tensor.bytes.size()).ok());
    return *made;
  }

  LibraryCallOptions options() {
    return {*context, "", false, 0, constants, nullptr, spares};
  }

  /// Data for a case, made once and run with many engines.
  struct Data {
    HostTensor input, filter, bias, addend, result;
    std::vector<void *> callers;
  };

  Data prepare(const ConvolutionCase &test) {
    auto tensor = [&](std::vector<int64_t> dims, int seed,
                      bool isFilter = false) {
      HostTensor made(test.dtype, dims, test.stridesOf(dims, isFilter));
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
                    upload(data.addend), upload(data.result, kGuardBytes)};
  }

  PlanBases basesOf(const Data &data) {
    PlanBases bases;
    bases.arena = static_cast<std::byte *>(arena);
    bases.callers = data.callers.data();
    bases.inputCount = 4;
    return bases;
  }

  void poison(Data &data) {
    ASSERT_TRUE(memory
                    ->fill(data.callers[4], 0xff,
                           data.result.bytes.size() + kGuardBytes)
                    .ok());
  }

  void fetch(Data &data) {
    ASSERT_TRUE(memory->waitForStream("run a convolution").ok());
    std::vector<std::byte> all(data.result.bytes.size() + kGuardBytes);
    ASSERT_TRUE(memory->copyOut(all.data(), data.callers[4], all.size()).ok());
    std::copy_n(all.begin(), data.result.bytes.size(),
                data.result.bytes.begin());
    for (size_t i = data.result.bytes.size(); i < all.size(); ++i) {
      ASSERT_EQ(all[i], std::byte{0xff}) << "written beyond the result";
    }
  }

  void run(LibraryCall &call, Data &data) {
    ASSERT_NO_FATAL_FAILURE(poison(data));
    absl::Status status = call.enqueue(memory->stream(), basesOf(data));
    ASSERT_TRUE(status.ok()) << status;
    ASSERT_NO_FATAL_FAILURE(fetch(data));
  }

  /// Compares every element.
  void expectCorrect(const ConvolutionCase &test, const Data &data) {
    int64_t perGroup = test.c / test.groups;
    int wrong = 0;
    double worst = 0; // in units of the bound
    std::vector<int64_t> at(4);
    auto &[n, k, y, x] = reinterpret_cast<int64_t (&)[4]>(*at.data());
    for (n = 0; n < test.n; ++n) {
      for (k = 0; k < test.k; ++k) {
        for (y = 0; y < test.outH(); ++y) {
          for (x = 0; x < test.outW(); ++x) {
            double sum = 0, magnitude = 0;
            for (int64_t c = 0; c < perGroup; ++c) {
              int64_t channel = k / (test.k / test.groups) * perGroup + c;
              for (int64_t r = 0; r < test.r; ++r) {
                for (int64_t s = 0; s < test.s; ++s) {
                  int64_t iy = y * test.strides[0] - test.padsBegin[0] +
                               r * test.dilations[0];
                  int64_t ix = x * test.strides[1] - test.padsBegin[1] +
                               s * test.dilations[1];
                  if (iy < 0 || ix < 0 || iy >= test.h || ix >= test.w) {
                    continue;
                  }
                  double product = data.input.at({n, channel, iy, ix}) *
                                   data.filter.at({k, c, r, s});
                  sum += product;
                  magnitude += std::abs(product);
                }
              }
            }
            double terms = double(perGroup * test.r * test.s);
            // tf32 keeps 11 bits of both factors.
            double bound = magnitude * (0x1p-24 * (terms + 4) +
                                        (test.tf32 ? 2.1 * 0x1p-11 : 0));
            if (test.hasBias) {
              sum += data.bias.at({0, k, 0, 0});
            }
            if (test.hasAddend) {
              sum += data.addend.at({n, k, y, x});
            }
            bound += 0x1p-22 * (std::abs(sum) + 2);
            double want = applied(test, sum);
            // No activation here has a slope above 1.2.
            bound = 1.2 * bound +
                    1.01 * roundingOf(test.dtype) * std::abs(want) + 1e-7;
            double error = std::abs(data.result.at({n, k, y, x}) - want);
            worst = std::max(worst, error / bound);
            if (!(error <= bound) && ++wrong <= 3) {
              ADD_FAILURE()
                  << test.name << ": result[" << n << ", " << k << ", " << y
                  << ", " << x << "] = " << data.result.at({n, k, y, x})
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
        std::make_unique<Packed<format::CudnnConvolution>>(test.descriptor()));
    return createCudnnConvolution(**packed.back(), options());
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
  void *arena = nullptr;
  std::vector<void *> allocated;
  std::vector<void *> constants;
  std::shared_ptr<SparePool> spares; // null: off, as it is for users
  std::vector<std::unique_ptr<Packed<format::CudnnConvolution>>> packed;
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
