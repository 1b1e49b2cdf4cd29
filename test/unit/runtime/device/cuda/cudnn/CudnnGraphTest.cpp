// SPDX-License-Identifier: Apache-2.0
//
// Graphs, engines and plans of the real cuDNN for a GPU that is described and
// need not be there.

#include "runtime/device/cuda/cudnn/CudnnGraph.h"
#include "test/unit/runtime/device/cuda/cudnn/AttentionProblem.h"
#include "test/unit/runtime/device/cuda/cudnn/CudnnProblems.h"

#include <gmock/gmock.h>

#include <dlfcn.h>
#include <functional>
#include <set>

// cuDNN's libraries lose memory of their own where there is no device.
extern "C" const char *__asan_default_options();
extern "C" const char *__asan_default_options() { return "detect_leaks=0"; }

namespace minic::runtime {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// As cuDNN 9.19 writes what it asks a device for.
constexpr const char *kH200 = R"({
  "maxGridSize": [2147483647, 65535, 65535], "maxBlockSize": [1024, 1024, 64],
  "regsPerBlock": 65536, "multiProcessorCount": 132, "warpSize": 32,
  "maxSharedMemoryPerBlock": 49152, "maxSharedMemoryPerBlockOptin": 232448,
  "reservedSharedMemoryPerBlock": 1024, "maxRegistersPerSM": 65536,
  "maxCtasPerSM": 32, "maxThreadsPerBlock": 1024, "maxThreadsPerSM": 2048,
  "pciDeviceId": 0, "isTccDriver": 0, "supportCoopLaunch": 1,
  "totalGlobalMem": 150000000000, "smClockRateKHz": 1980000,
  "memClockRateKHz": 3201000, "l2CacheSize": 62914560, "cudaDeviceId": 0,
  "deviceVer": 900, "driverVer": 13000, "deviceName": "NVIDIA H200"})";

class CudnnGraphTest : public ::testing::Test {
protected:
  void SetUp() override {
    auto found = CudnnLibrary::open();
    if (!found.ok()) {
      GTEST_SKIP() << found.status();
    }
    library = *found;
  }

  absl::StatusOr<std::unique_ptr<CudnnGraph>>
  graphOf(const ConvolutionCase &test) {
    minic::testing::PackedTable<format::Call> call(test.descriptor());
    return CudnnGraph::create(*library, CudnnProblem::get(*call), nullptr,
                              kH200);
  }

  std::set<std::string> enginesOf(const CudnnGraph &graph) {
    std::set<std::string> names;
    for (CudnnHeuristic heuristic :
         {CudnnHeuristic::A, CudnnHeuristic::B, CudnnHeuristic::Fallback}) {
      auto engines = graph.engines(heuristic);
      EXPECT_TRUE(engines.ok()) << engines.status();
      for (const EngineChoice &choice : *engines) {
        names.insert(toString(choice));
      }
    }
    return names;
  }

  const CudnnLibrary *library = nullptr;
};

// Residual blocks: cuDNN has kernels for them in every type and both orders.
TEST_F(CudnnGraphTest, EveryTypeAndOrderHasFusedEngines) {
  for (bool isNhwc : {false, true}) {
    for (auto dtype :
         {format::DType::f32, format::DType::f16, format::DType::bf16}) {
      for (bool hasAddend : {false, true}) {
        ConvolutionCase test;
        test.dtype = dtype;
        test.isNhwc = isNhwc;
        test.hasBias = true;
        test.hasAddend = hasAddend;
        test.activation = format::EltwiseKind::relu;
        test.padsBegin = test.padsEnd = {1, 1};
        auto graph = graphOf(test);
        ASSERT_TRUE(graph.ok()) << graph.status();
        EXPECT_THAT(enginesOf(**graph), Not(IsEmpty()))
            << format::EnumNameDType(dtype) << " nhwc=" << isNhwc;
      }
    }
  }
}

// What the compiler offers without asking: see its CudnnConvolution.
TEST_F(CudnnGraphTest, EveryFormHasFusedEngines) {
  struct Form {
    const char *name;
    void (*apply)(ConvolutionCase &);
  };
  for (const Form &form : std::initializer_list<Form>{
           {"asymmetric",
            [](ConvolutionCase &test) {
              test.padsBegin = {0, 2};
              test.padsEnd = {1, 0};
            }},
           {"dilated", [](ConvolutionCase &test) { test.dilations = {2, 1}; }},
           {"strided", [](ConvolutionCase &test) { test.strides = {2, 3}; }},
           {"flat",
            [](ConvolutionCase &test) {
              test.r = 1;
              test.s = 4;
            }},
           {"filter of its own order",
            [](ConvolutionCase &test) { test.isFilterNhwc = true; }},
           {"grouped", [](ConvolutionCase &test) { test.groups = 4; }},
           {"depthwise",
            [](ConvolutionCase &test) { test.groups = test.c = test.k = 16; }},
           {"odd channels", [](ConvolutionCase &test) {
              test.c = 3;
              test.k = 7;
            }}}) {
    for (bool isNhwc : {false, true}) {
      for (auto dtype :
           {format::DType::f32, format::DType::f16, format::DType::bf16}) {
        for (bool isFused : {false, true}) {
          ConvolutionCase test;
          form.apply(test);
          test.dtype = dtype;
          test.isNhwc = isNhwc;
          test.hasBias = test.hasAddend = isFused;
          if (isFused) {
            test.activation = format::EltwiseKind::relu;
          }
          auto graph = graphOf(test);
          ASSERT_TRUE(graph.ok()) << form.name << ": " << graph.status();
          EXPECT_THAT(enginesOf(**graph), Not(IsEmpty()))
              << form.name << " " << format::EnumNameDType(dtype)
              << " nhwc=" << isNhwc << " fused=" << isFused;
        }
      }
    }
  }
}

TEST_F(CudnnGraphTest, EnginesAreMadeAgainFromTheirNames) {
  ConvolutionCase test;
  test.dtype = format::DType::bf16;
  test.isNhwc = true;
  test.c = test.k = 64;
  auto graph = graphOf(test);
  ASSERT_TRUE(graph.ok()) << graph.status();
  int made = 0;
  for (const std::string &name : enginesOf(**graph)) {
    auto choice = parseEngine(name);
    ASSERT_TRUE(choice.ok()) << choice.status();
    // Engines that compile at run time need a driver.
    if (auto plan = (*graph)->plan(*choice); plan.ok()) {
      ++made;
    } else {
      EXPECT_EQ(plan.status().code(), absl::StatusCode::kUnimplemented)
          << plan.status();
    }
  }
  EXPECT_GE(made, 8);
}

TEST_F(CudnnGraphTest, Tf32IsUsedWhereItIsAllowedAlone) {
  ConvolutionCase test;
  test.c = test.k = 64;
  auto ieee = graphOf(test);
  ASSERT_TRUE(ieee.ok()) << ieee.status();
  test.tf32 = true;
  auto tf32 = graphOf(test);
  ASSERT_TRUE(tf32.ok()) << tf32.status();
  std::set<std::string> few = enginesOf(**ieee), many = enginesOf(**tf32);
  EXPECT_THAT(few, Not(IsEmpty()));
  EXPECT_GT(many.size(), few.size());
  int refused = 0;
  for (const std::string &name : many) {
    if (few.count(name)) {
      continue;
    }
    auto plan = (*ieee)->plan(*parseEngine(name));
    if (!plan.ok() &&
        plan.status().code() == absl::StatusCode::kInvalidArgument) {
      EXPECT_THAT(plan.status().message(), HasSubstr("numerics"));
      ++refused;
    }
  }
  EXPECT_GT(refused, 0);
}

TEST_F(CudnnGraphTest, SaysThatThereIsNoSuchEngine) {
  auto graph = graphOf(ConvolutionCase());
  ASSERT_TRUE(graph.ok()) << graph.status();
  for (const char *text : {"eng99999", "eng0_k999999=1"}) {
    auto plan = (*graph)->plan(*parseEngine(text));
    ASSERT_FALSE(plan.ok()) << text;
    EXPECT_EQ(plan.status().code(), absl::StatusCode::kInvalidArgument)
        << plan.status();
    EXPECT_THAT(plan.status().message(), HasSubstr(text));
    EXPECT_THAT(plan.status().message(), HasSubstr("convolution f32"));
  }
}

TEST_F(CudnnGraphTest, SaysWhatItCannotDescribe) {
  ConvolutionCase test;
  test.hasBias = true;
  test.activation = format::EltwiseKind::hard_swish;
  auto graph = graphOf(test);
  ASSERT_FALSE(graph.ok());
  EXPECT_EQ(graph.status().code(), absl::StatusCode::kUnimplemented);
  EXPECT_THAT(graph.status().message(), HasSubstr("hard_swish"));

  test = ConvolutionCase();
  test.dtype = format::DType::i8;
  graph = graphOf(test);
  ASSERT_FALSE(graph.ok());
  EXPECT_EQ(graph.status().code(), absl::StatusCode::kUnimplemented);
}

// Nothing that cuDNN throws gets out, whatever it is asked.
TEST_F(CudnnGraphTest, ShapesThatDoNotFitAreAnError) {
  minic::testing::PackedTable<format::Call> call([] {
    ConvolutionCase odd;
    format::CallT native = odd.descriptor();
    minic::testing::operandOf(native, "filter").dims = {
        24, 7, 3, 3}; // 16 channels are no multiple of 7
    return native;
  }());
  auto graph =
      CudnnGraph::create(*library, CudnnProblem::get(*call), nullptr, kH200);
  EXPECT_FALSE(graph.ok());
  minic::testing::PackedTable<format::Call> flat([] {
    format::CallT native = ConvolutionCase().descriptor();
    minic::testing::setIntegers(native, "strides", {1});
    return native;
  }());
  graph =
      CudnnGraph::create(*library, CudnnProblem::get(*flat), nullptr, kH200);
  ASSERT_FALSE(graph.ok());
  EXPECT_EQ(graph.status().code(), absl::StatusCode::kUnimplemented);
}

// Its engines are compiled: cuDNN lists none where there is no driver.
TEST_F(CudnnGraphTest, EveryAttentionHasEngines) {
  bool hasDriver = dlopen("libcuda.so.1", RTLD_NOW) != nullptr;
  for (const char *causal : {"none", "upper_left", "lower_right"}) {
    for (bool hasBias : {false, true}) {
      AttentionProblem test;
      test.causal = causal;
      if (hasBias) {
        test.biasType = format::DType::f32;
        test.biasDims = {1, 1, 48, 48};
      }
      minic::testing::PackedTable<format::Call> call(test.descriptor());
      auto graph = CudnnGraph::create(*library, CudnnProblem::get(*call),
                                      nullptr, kH200);
      ASSERT_TRUE(graph.ok()) << graph.status();
      EXPECT_EQ(enginesOf(**graph).empty(), !hasDriver)
          << causal << " bias=" << hasBias;
    }
  }
}

// cuDNN itself would take them and compute something else.
TEST_F(CudnnGraphTest, AttentionsOfOtherThanVectorsAreRefused) {
  struct Change {
    const char *role;
    std::function<void(format::TensorViewT &)> apply;
  };
  for (const Change &change : std::initializer_list<Change>{
           {"query", [](auto &view) { view.strides[2] = 68; }},
           {"key", [](auto &view) { view.strides[3] = 2; }},
           {"value", [](auto &view) { view.strides[1] = 0; }},
           {"result", [](auto &view) {
              view.address =
                  std::make_unique<format::Address>(format::Base::output, 0, 8);
            }}}) {
    format::CallT native = AttentionProblem().descriptor();
    change.apply(minic::testing::operandOf(native, change.role));
    minic::testing::PackedTable<format::Call> call(native);
    auto graph =
        CudnnGraph::create(*library, CudnnProblem::get(*call), nullptr, kH200);
    ASSERT_FALSE(graph.ok()) << change.role;
    EXPECT_EQ(graph.status().code(), absl::StatusCode::kUnimplemented);
    EXPECT_THAT(graph.status().message(), HasSubstr("attention bf16"));
    EXPECT_THAT(graph.status().message(), HasSubstr("vectors of 16 bytes"));
  }
}

TEST_F(CudnnGraphTest, ScoresBeyond64BitsAreRefused) {
  for (auto [heads, rows, keys] :
       {std::tuple(int64_t(1), int64_t(1) << 31, int64_t(8)),
        std::tuple(int64_t(1), int64_t(8), int64_t(1) << 31),
        std::tuple(int64_t(8), int64_t(1) << 30, int64_t(1) << 30)}) {
    AttentionProblem test;
    test.heads = test.keyHeads = heads;
    test.rows = rows;
    test.keys = keys;
    minic::testing::PackedTable<format::Call> call(test.descriptor());
    auto graph =
        CudnnGraph::create(*library, CudnnProblem::get(*call), nullptr, kH200);
    ASSERT_FALSE(graph.ok());
    EXPECT_EQ(graph.status().code(), absl::StatusCode::kUnimplemented);
    EXPECT_THAT(graph.status().message(), HasSubstr("more scores"));
  }
}

TEST_F(CudnnGraphTest, AHandleNeedsADevice) {
  auto handle = CudnnHandle::create(*library);
  if (handle.ok()) {
    GTEST_SKIP() << "there is a device";
  }
  EXPECT_EQ(handle.status().code(), absl::StatusCode::kFailedPrecondition)
      << handle.status();
}

} // namespace
} // namespace minic::runtime
