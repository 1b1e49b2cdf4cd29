// SPDX-License-Identifier: Apache-2.0
//
// What the libraries are told, and what happens where they are not what they
// should be.

#include "test/unit/runtime/device/cuda/cublas/CublasFixture.h"

namespace minic::runtime {
namespace {

using ::testing::HasSubstr;

using CublasFakeTest = CublasFixture;

TEST_F(CublasFakeTest, GemmGetsStreamThenThePlansWorkspace) {
  ProductCase test;
  test.scratchBytes = 4096;
  checkGemm(test);
  EXPECT_EQ(fake().stream, stream);
  EXPECT_EQ(fake().workspace, arena);
  EXPECT_EQ(fake().workspaceBytes, 4096u);
  EXPECT_EQ(fake().computeType, CUBLAS_COMPUTE_32F);
  test.tf32 = true;
  checkGemm(test);
  EXPECT_EQ(fake().computeType, CUBLAS_COMPUTE_32F_FAST_TF32);
}

TEST_F(CublasFakeTest, ABatchWithOneRhsIsOneProduct) {
  ProductCase test;
  test.batch = 4;
  test.sharesRhs = true;
  checkGemm(test);
  EXPECT_FALSE(fake().isBatched);
  test.sharesRhs = false;
  checkGemm(test);
  EXPECT_TRUE(fake().isBatched);
}

TEST_F(CublasFakeTest, MatmulSearchesAtLoadAlone) {
  ProductCase test;
  test.hasBias = true;
  test.scratchBytes = 1024;
  ProductCase::Data data = test.data();
  auto call = makeMatmul(test, data);
  ASSERT_TRUE(call.ok()) << call.status();
  EXPECT_EQ(fake().searches, 1);
  EXPECT_EQ(fake().reductionMask, CUBLASLT_REDUCTION_SCHEME_INPLACE |
                                      CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE);
  // Nothing is known of how callers align their memory.
  EXPECT_EQ(fake().alignmentA, 16u);
  EXPECT_EQ(fake().biasAtSearch, 16u);
  run(**call, data);
  run(**call, data);
  ASSERT_TRUE((*call)->clone().ok());
  EXPECT_EQ(fake().searches, 1);
  EXPECT_EQ(fake().algorithm, 66u);
  EXPECT_EQ(fake().workspaceBytes, 1024u);
  EXPECT_EQ(fake().epilogue, uint32_t(CUBLASLT_EPILOGUE_BIAS));
}

TEST_F(CublasFakeTest, AlignmentsAreWhatIsGuaranteed) {
  ProductCase test;
  ProductCase::Data data = test.data();
  format::FunctionT function;
  function.name = "main";
  for (uint32_t alignment : {1, 64}) {
    function.inputs.push_back(std::make_unique<format::TensorSpecT>());
    function.inputs.back()->alignment = alignment;
  }
  function.outputs.push_back(std::make_unique<format::TensorSpecT>());
  PackedTable<format::Function> callers(function);
  format::CallT native = test.matmul(data);
  minic::testing::operandOf(native, "rhs").address =
      std::make_unique<format::Address>(format::Base::input, 1, 32);
  PackedTable<format::Call> packed(native);
  LibraryCallOptions all{*context, "", false, 0, constants, &*callers};
  ASSERT_TRUE(createCublasltMatmul(*packed, all).ok());
  EXPECT_EQ(fake().alignmentA, 32u); // rhs: 32 bytes into 64-byte aligned
  EXPECT_EQ(fake().alignmentB, 4u);  // lhs: elements are aligned to their size
}

TEST_F(CublasFakeTest, SixteenBitSumsAreReducedInF32) {
  ProductCase test;
  test.dtype = test.result = DType::bf16;
  ProductCase::Data data = test.data();
  ASSERT_TRUE(makeMatmul(test, data).ok());
  EXPECT_EQ(fake().reductionMask,
            uint32_t(CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE));
}

TEST_F(CublasFakeTest, SixteenBitProductsWithABiasAreNotSplit) {
  ProductCase test;
  test.dtype = test.result = DType::f16;
  test.hasBias = true;
  ProductCase::Data data = test.data();
  ASSERT_TRUE(makeMatmul(test, data).ok());
  EXPECT_EQ(fake().reductionMask, uint32_t(CUBLASLT_REDUCTION_SCHEME_NONE));
}

TEST_F(CublasFakeTest, AlgorithmsAreWithinTheLimitAndHaveNames) {
  ProductCase test;
  auto call = makeMatmul(test, test.data());
  ASSERT_TRUE(call.ok()) << call.status();
  auto found = (*call)->algorithms(10, 1024);
  ASSERT_TRUE(found.ok()) << found.status();
  ASSERT_EQ(found->size(), 2u);
  EXPECT_EQ((*found)[0].name, "algo=66 tile=128x256 stages=64x4 cluster=2x1x1");
  EXPECT_EQ((*found)[1].name, "algo=67 tile=128x256 stages=64x4 cluster=2x1x1 "
                              "splitk=2 reduction=0");
  EXPECT_EQ((*found)[1].scratchBytes, 1024u);
  EXPECT_THAT((*found)[0].algorithm, ::testing::StartsWith("13.1.0:42000000"));
}

TEST_F(CublasFakeTest, TheAlgorithmOfThePlanIsUsed) {
  ProductCase test;
  test.algorithm = std::string(64, '\0');
  test.algorithm[0] = 68;
  ProductCase::Data data = test.data();
  auto call = makeMatmul(test, data, "13.1.0", /*strict=*/true);
  ASSERT_TRUE(call.ok()) << call.status();
  EXPECT_EQ(fake().searches, 0);
  run(**call, data);
  EXPECT_EQ(fake().algorithm, 68u);
  // It needs more workspace than this plan has.
  test.scratchBytes = 2047;
  auto small = makeMatmul(test, data, "13.1.0", /*strict=*/true);
  EXPECT_THAT(std::string(small.status().message()),
              HasSubstr("needs 2048 bytes of workspace, the plan has 2047"));
  EXPECT_TRUE(makeMatmul(test, data, "13.1.0").ok());
  EXPECT_EQ(fake().searches, 1);
}

TEST_F(CublasFakeTest, NoAlgorithmIsUnimplemented) {
  fake().algorithms = 0;
  ProductCase test;
  absl::Status status = makeMatmul(test, test.data()).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnimplemented);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("cuBLASLt 13.1.0 has no algorithm for 5x16x24 f32 "
                        "within 33554432 bytes of workspace"));
}

TEST_F(CublasFakeTest, OtherMajorVersionsAreRefused) {
  fake().version = 120803;
  absl::Status status = CublasltLibrary::load(MINIC_FAKE_CUBLAS).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("expected cuBLASLt 13, got 12.8.3"));
}

TEST_F(CublasFakeTest, MissingLibrariesAndFunctionsAreNamed) {
  absl::Status missing = CublasltLibrary::load("/no/libcublasLt.so").status();
  EXPECT_EQ(missing.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(
      std::string(missing.message()),
      ::testing::ContainsRegex("this plan calls cuBLASLt, which cannot be "
                               "opened: /no/libcublasLt.so: .*; install CUDA"));
  absl::Status foreign =
      CublasLibrary::load(minic::testing::fakeCudaPath()).status();
  EXPECT_EQ(foreign.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(foreign.message()), HasSubstr("lacks cublasCreate"));
}

} // namespace
} // namespace minic::runtime
