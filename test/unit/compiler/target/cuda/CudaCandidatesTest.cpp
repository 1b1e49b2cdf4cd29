// SPDX-License-Identifier: Apache-2.0
//
// What cuBLAS and cuBLASLt bring to the candidates of fusions on a GPU.

#include "compiler/target/Candidates.h"

#include "test/unit/compiler/target/cuda/LoweredCall.h"

#include "gmock/gmock.h"

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

namespace minic::cuda {
namespace {

std::vector<std::string> namesOf(ParsedFusion &&parsed) {
  auto target = createCudaTarget(*getCudaProfile("h200"));
  std::vector<std::string> names, why;
  for (const Candidate &candidate :
       enumerateCandidates(parsed.get(), *target, {}, why)) {
    names.push_back(candidate.name);
    parsed.get().setChoiceAttr(candidate.choice);
    EXPECT_TRUE(succeeded(mlir::verify(parsed.get()))) << candidate.name;
  }
  return names;
}

TEST(CudaCandidatesTest, ABareContractionIsAtenAndLts) {
  auto names =
      namesOf(ParsedFusion({"tensor<560x3420xbf16>", "tensor<3420x1280xbf16>"},
                           "tensor<560x1280xbf16>", R"(
    %y = graph.matmul %0, %1
      : (tensor<560x3420xbf16>, tensor<3420x1280xbf16>) -> tensor<560x1280xbf16>
    kernel.yield %y : tensor<560x1280xbf16>)"));
  EXPECT_THAT(names, Contains("aten cublas"));
  EXPECT_THAT(names, Contains("library-fused cublaslt"));
  EXPECT_THAT(names, Contains("library-fused cublaslt padded"));
}

/// relu(x * transpose(w) + b) with constant weights.
std::string firstOfLinearRelu(int64_t m, int64_t n, int64_t k) {
  auto type = [](std::initializer_list<int64_t> dims) {
    std::string text = "tensor<";
    for (int64_t dim : dims) {
      text += std::to_string(dim) + "x";
    }
    return text + "bf16>";
  };
  std::string x = type({m, k}), w = type({n, k}), b = type({n}),
              y = type({m, n});
  std::vector<std::string> names = namesOf(ParsedFusion(
      {x, w, b}, y,
      "%y = graph.linear %0, %1, %2 : (" + x + ", " + w + ", " + b + ") -> " +
          y + "\n%r = graph.relu %y : " + y + "\nkernel.yield %r : " + y));
  return names.empty() ? "" : names.front();
}

/// An epilogue of cuBLASLt on rows of an odd length took 184 us on an H200,
/// the calls of eager execution 72.
TEST(CudaCandidatesTest, NoLibraryWritesUnalignedRows) {
  for (auto [m, n, k] : {std::tuple(800, 1100, 2700),
                         {801, 1103, 2701},
                         {801, 1103, 2704},
                         {800, 1101, 2696},
                         {799, 1099, 2703},
                         {256, 513, 129},
                         {64, 513, 129}}) {
    EXPECT_THAT(firstOfLinearRelu(m, n, k), StartsWith("generated"))
        << m << "x" << n << "x" << k;
  }
  // What it is good at stays its own.
  EXPECT_THAT(firstOfLinearRelu(256, 8192, 3424), StartsWith("library-fused"));
}

TEST(CudaCandidatesTest, BiasAndReluAreOneCall) {
  auto names = namesOf(linear("%r = graph.relu %y : tensor<3x8xbf16>", "bf16"));
  EXPECT_THAT(names, Contains("library-fused cublaslt (NaN lost in relu)"));
  EXPECT_THAT(names, Contains(StartsWith("aten cublas + ")));
  EXPECT_THAT(names, Not(Contains(StartsWith("library-fused cublaslt + "))));
}

TEST(CudaCandidatesTest, TheExactGeluIsAKernelOfItsOwn) {
  auto names = namesOf(
      linear("%r = graph.gelu %y : tensor<3x8xbf16>", "bf16", {}, "", "20"));
  EXPECT_THAT(names, Contains(StartsWith("aten cublas + ")));
  EXPECT_THAT(names, Contains(StartsWith("library-fused cublaslt + ")));
  EXPECT_THAT(names, Contains(StartsWith("library-fused cublaslt padded + ")));
}

/// Ops before the product are in one kernel with it or in one of their own,
/// in front of whatever takes the rest.
TEST(CudaCandidatesTest, APrologueIsFusedOrApart) {
  auto names = namesOf(ParsedFusion(
      {"tensor<48x64xbf16>", "tensor<32x64xbf16>"}, "tensor<48x32xbf16>", R"(
    %p = graph.exp %0 : tensor<48x64xbf16>
    %y = graph.linear %p, %1
      : (tensor<48x64xbf16>, tensor<32x64xbf16>) -> tensor<48x32xbf16>
    %r = graph.relu %y : tensor<48x32xbf16>
    kernel.yield %r : tensor<48x32xbf16>)"));
  EXPECT_THAT(names, Contains(AllOf(StartsWith("generated gemm_sm80 "),
                                    Not(HasSubstr(" + ")))));
  EXPECT_THAT(names, Contains(AllOf(StartsWith("generated pointwise "),
                                    HasSubstr(" + gemm_sm80 "),
                                    Not(HasSubstr(" + pointwise ")))));
  EXPECT_THAT(names, Contains(AllOf(StartsWith("library-fused pointwise "),
                                    HasSubstr(" + cublaslt"))));
  EXPECT_THAT(names, Contains(AllOf(StartsWith("aten pointwise "),
                                    HasSubstr(" + cublas + pointwise "))));
}

/// A norm of few rows is in one kernel with the product or in one of its own,
/// in front of all that takes the product without it. One launch is expected to
/// be the faster.
TEST(CudaCandidatesTest, ANormIsFusedOrApart) {
  std::string behind = R"(
    %y = graph.linear %x, %1
      : (tensor<1x768xbf16>, tensor<3072x768xbf16>) -> tensor<1x3072xbf16>
    %r = graph.relu %y : tensor<1x3072xbf16>
    kernel.yield %r : tensor<1x3072xbf16>)";
  auto names = namesOf(ParsedFusion(
      {"tensor<1x768xbf16>", "tensor<3072x768xbf16>", "tensor<768xbf16>"},
      "tensor<1x3072xbf16>",
      R"(
    %x = graph.layer_norm %0 scale %2 axis = 1
      : (tensor<1x768xbf16>, tensor<768xbf16>) -> tensor<1x768xbf16>)" +
          behind));
  EXPECT_THAT(names.front(), AllOf(StartsWith("generated gemm_skinny "),
                                   Not(HasSubstr(" + "))));
  EXPECT_THAT(names, Contains(AllOf(StartsWith("generated rows "),
                                    HasSubstr(" + gemm_sm80 "))));
  EXPECT_THAT(names, Contains(StartsWith("aten rows ")));
  EXPECT_THAT(names, Not(Contains(HasSubstr("expanded"))));
  llvm::StringRef bare = behind;
  std::string body = ("%x = graph.relu %0 : tensor<1x768xbf16>" + bare).str();
  auto alone =
      namesOf(ParsedFusion({"tensor<1x768xbf16>", "tensor<3072x768xbf16>"},
                           "tensor<1x3072xbf16>", body));
  auto apart = [](const std::vector<std::string> &all, llvm::StringRef first) {
    return llvm::count_if(all, [&](llvm::StringRef name) {
      return name.split(' ').second.starts_with(first);
    });
  };
  EXPECT_GT(apart(names, "rows "), 60);
  EXPECT_EQ(apart(names, "rows "), apart(alone, "pointwise "));
}

} // namespace
} // namespace minic::cuda
