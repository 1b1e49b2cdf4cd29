// SPDX-License-Identifier: Apache-2.0
//
// Values of cuBLAS's and cuBLASLt's calls. Built twice, for the fakes and, with
// MINIC_TEST_ON_GPU, for the real libraries.

#include "test/unit/runtime/device/cuda/cublas/CublasFixture.h"

#include <iostream>
#include <set>

namespace minic::runtime {
namespace {

using format::EltwiseKind;

using CublasProductTest = CublasFixture;

/// Of the libraries' gelu, relative to its operand: they use the hardware's
/// tanh, which is good to about 2^-11.
constexpr double kGelu = 0x1p-10;

/// Of a large result's rows or columns, how many there are: the fakes compute
/// an element at a time.
int64_t many(int64_t count) {
#ifdef MINIC_TEST_ON_GPU
  return count;
#else
  return (count + 7) / 8;
#endif
}

std::vector<ProductCase> transposes(ProductCase test, const std::string &name) {
  std::vector<ProductCase> all;
  for (bool lhs : {false, true}) {
    for (bool rhs : {false, true}) {
      test.lhsTransposed = lhs;
      test.rhsTransposed = rhs;
      for (ProductCase &each :
           inAllTypes(test, name + (lhs ? "_t" : "_n") + (rhs ? "t" : "n"))) {
        all.push_back(each);
      }
    }
  }
  return all;
}

TEST_F(CublasProductTest, Transposes) {
  for (const ProductCase &test : transposes({}, "product")) {
    checkGemm(test);
    checkMatmul(test);
  }
}

TEST_F(CublasProductTest, PaddedAndUnalignedRows) {
  ProductCase padded;
  padded.lhsPad = 8;
  padded.rhsPad = 16;
  for (const ProductCase &test : transposes(padded, "padded")) {
    checkGemm(test);
    checkMatmul(test);
  }
  ProductCase unaligned;
  unaligned.m = 7;
  unaligned.n = 13;
  unaligned.k = 37;
  unaligned.rhsTransposed = true;
  for (const ProductCase &test : inAllTypes(unaligned, "unaligned")) {
    checkGemm(test);
    checkMatmul(test);
  }
}

TEST_F(CublasProductTest, OneRowOneColumnOneTerm) {
  for (auto [m, n, k] : {std::tuple(1, 64, 96), std::tuple(64, 1, 96),
                         std::tuple(1, 1, 33), std::tuple(9, 24, 1)}) {
    ProductCase narrow;
    narrow.m = m;
    narrow.n = n;
    narrow.k = k;
    narrow.rhsTransposed = true;
    for (const ProductCase &test : inAllTypes(narrow, "narrow")) {
      checkGemm(test);
      checkMatmul(test);
    }
  }
}

TEST_F(CublasProductTest, Batches) {
  ProductCase batched;
  batched.batch = 3;
  for (const ProductCase &test : transposes(batched, "batched")) {
    checkGemm(test);
    checkMatmul(test);
  }
  batched.sharesRhs = true;
  for (const ProductCase &test : inAllTypes(batched, "shared")) {
    checkGemm(test);
    checkMatmul(test);
  }
  batched.lhsTransposed = true; // not one matrix of more rows
  for (const ProductCase &test : inAllTypes(batched, "shared_t")) {
    checkGemm(test);
    checkMatmul(test);
  }
}

TEST_F(CublasProductTest, Epilogues) {
  for (std::optional<EltwiseKind> activation :
       {std::optional<EltwiseKind>(), std::optional(EltwiseKind::relu),
        std::optional(EltwiseKind::gelu_tanh)}) {
    for (bool bias : {false, true}) {
      for (bool addend : {false, true}) {
        ProductCase fused;
        fused.rhsTransposed = true;
        fused.activation = activation;
        fused.hasBias = bias;
        fused.hasAddend = addend;
        std::string name =
            activation ? format::EnumNameEltwiseKind(*activation) : "none";
        name += std::string(bias ? "_bias" : "") + (addend ? "_addend" : "");
        bool isGelu = activation == EltwiseKind::gelu_tanh;
        for (const ProductCase &test : inAllTypes(fused, name)) {
          checkMatmul(test, isGelu ? kGelu : 0);
        }
      }
    }
  }
}

TEST_F(CublasProductTest, EpiloguesOfBatches) {
  ProductCase fused;
  fused.batch = 3;
  fused.hasBias = fused.hasAddend = true;
  fused.activation = EltwiseKind::relu;
  for (const ProductCase &test : inAllTypes(fused, "batch_epilogue")) {
    checkMatmul(test);
  }
}

TEST_F(CublasProductTest, WhatGeluIsAppliedTo) {
  ProductCase fused;
  fused.rhsTransposed = true;
  fused.hasBias = fused.hasAux = true;
  fused.activation = EltwiseKind::gelu_tanh;
  for (DType dtype : {DType::f16, DType::bf16}) {
    fused.dtype = fused.result = dtype;
    fused.name = std::string("aux_") + format::EnumNameDType(dtype);
    checkMatmul(fused, kGelu);
  }
}

/// Few results of long sums, of which cuBLASLt likes to split K.
TEST_F(CublasProductTest, ResultsOfLongSumsAreRoundedOnce) {
  for (auto [m, n, k] : {std::tuple(17, 65, 3420), std::tuple(63, 7, 3420),
                         std::tuple(17, 513, 7)}) {
    for (bool bias : {false, true}) {
      ProductCase split;
      split.m = many(m);
      split.n = many(n);
      split.k = k;
      split.rhsTransposed = true;
      split.hasBias = bias;
      split.hasAddend = !bias;
      for (const ProductCase &test :
           inAllTypes(split, bias ? "split_bias" : "split_addend")) {
        checkMatmul(test);
      }
    }
  }
}

TEST_F(CublasProductTest, LargerProducts) {
  ProductCase large;
  large.m = many(200);
  large.n = many(136);
  large.k = 520;
  large.rhsTransposed = true;
  large.hasBias = true;
  large.activation = EltwiseKind::relu;
  for (const ProductCase &test : inAllTypes(large, "large")) {
    checkMatmul(test);
  }
}

TEST_F(CublasProductTest, EmptyResultsAreNoCalls) {
  for (auto [m, n] : {std::pair(0, 4), std::pair(4, 0)}) {
    ProductCase empty;
    empty.m = m;
    empty.n = n;
    checkGemm(empty);
    checkMatmul(empty);
  }
}

TEST_F(CublasProductTest, WithoutWorkspace) {
  ProductCase test;
  test.scratchBytes = 0;
  checkGemm(test);
  checkMatmul(test);
}

TEST_F(CublasProductTest, EveryAlgorithmComputesTheSame) {
  ProductCase base;
  base.m = many(64);
  base.n = many(96);
  base.k = 264;
  base.rhsTransposed = true;
  base.hasBias = true;
  base.activation = EltwiseKind::relu;
  for (ProductCase &test : inAllTypes(base, "algorithm")) {
    SCOPED_TRACE(test.name);
    ProductCase::Data data = test.data();
    auto call = makeMatmul(test, data);
    ASSERT_TRUE(call.ok()) << call.status();
    auto found = (*call)->algorithms(8, 32 << 20);
    ASSERT_TRUE(found.ok()) << found.status();
    ASSERT_FALSE(found->empty());
    std::set<std::string> names;
    for (const LibraryAlgorithm &each : *found) {
      SCOPED_TRACE(each.name);
      names.insert(each.name);
      size_t colon = each.algorithm.find(':');
      ASSERT_NE(colon, std::string::npos);
      std::string version = each.algorithm.substr(0, colon),
                  hex = each.algorithm.substr(colon + 1);
      ASSERT_EQ(hex.size(), 128u);
      test.algorithm.clear();
      for (size_t i = 0; i < hex.size(); i += 2) {
        test.algorithm += char(std::stoi(hex.substr(i, 2), nullptr, 16));
      }
      test.scratchBytes = each.scratchBytes;
      ProductCase::Data fresh = test.data();
      auto chosen = makeMatmul(test, fresh, version, /*strict=*/true);
      ASSERT_TRUE(chosen.ok()) << chosen.status();
      ASSERT_NO_FATAL_FAILURE(run(**chosen, fresh));
      expectCorrect(test, fresh);
    }
    EXPECT_EQ(names.size(), found->size()) << "names tell them apart";
  }
}

TEST_F(CublasProductTest, AnotherVersionsAlgorithmIsReplaced) {
  ProductCase test;
  test.hasBias = true;
  test.algorithm = std::string(64, '\x55');
  ProductCase::Data data = test.data();
  auto strict = makeMatmul(test, data, "12.0.0", /*strict=*/true);
  EXPECT_EQ(strict.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(strict.status().message()),
              ::testing::HasSubstr("made with cuBLASLt 12.0.0"));
  auto call = makeMatmul(test, data, "12.0.0");
  ASSERT_TRUE(call.ok()) << call.status();
  ASSERT_NO_FATAL_FAILURE(run(**call, data));
  expectCorrect(test, data);
  // So is one that the library does not know.
  std::string version = (*CublasltLibrary::open())->version;
  EXPECT_FALSE(makeMatmul(test, data, version, /*strict=*/true).ok());
  EXPECT_TRUE(makeMatmul(test, data, version).ok());
}

TEST_F(CublasProductTest, ClonesHaveTheirOwnAddresses) {
  ProductCase test;
  test.hasBias = true;
  ProductCase::Data first = test.data(), second = test.data();
  second.bias.fill(9);
  auto call = makeMatmul(test, first);
  ASSERT_TRUE(call.ok()) << call.status();
  auto clone = (*call)->clone();
  ASSERT_TRUE(clone.ok()) << clone.status();
  ASSERT_NO_FATAL_FAILURE(run(**clone, second));
  ASSERT_NO_FATAL_FAILURE(run(**call, first));
  expectCorrect(test, first);
  expectCorrect(test, second);
}

TEST_F(CublasProductTest, HowAccurateGeluIsInF32) {
  // Known for LtEpilogue's notes; the products themselves are exact.
  ProductCase test;
  test.m = test.n = 64;
  test.k = 8;
  test.activation = EltwiseKind::gelu_tanh;
  ProductCase::Data data = test.data();
  auto call = makeMatmul(test, data);
  ASSERT_TRUE(call.ok()) << call.status();
  ASSERT_NO_FATAL_FAILURE(run(**call, data));
  expectCorrect(test, data, kGelu);
  double worst = 0;
  for (int64_t at = 0; at < test.m * test.n; ++at) {
    auto [want, before, bound] = test.expected(data, 0, at / 64, at % 64);
    double got = data.result.at({at / 64, at % 64});
    worst = std::max(worst, std::abs(got - want) / std::abs(before));
  }
  std::cout << "cuBLASLt's gelu in f32 is wrong by " << worst
            << " of its operand\n";
}

TEST_F(CublasProductTest, WhetherReluKeepsNaN) {
  // Known for LtEpilogue's notes, whichever it is.
  ProductCase test;
  test.dtype = test.result = DType::bf16;
  test.activation = EltwiseKind::relu;
  ProductCase::Data data = test.data();
  data.lhs.set(0, NAN);
  auto call = makeMatmul(test, data);
  ASSERT_TRUE(call.ok()) << call.status();
  ASSERT_NO_FATAL_FAILURE(run(**call, data));
  std::cout << "cuBLASLt's relu makes NaN " << data.result.at({0, 0}) << '\n';
  for (int64_t j = 0; j < test.n; ++j) {
    double got = data.result.at({0, j});
    EXPECT_TRUE(std::isnan(got) || got == 0) << got;
  }
}

TEST_F(CublasProductTest, RefusesWhatItCannotSay) {
  ProductCase test;
  ProductCase::Data data = test.data();
  data.lhs.strides = {2 * test.k, 2}; // no contiguous dimension
  EXPECT_EQ(makeMatmul(test, data).status().code(),
            absl::StatusCode::kUnimplemented);
  ProductCase none;
  none.k = 0;
  EXPECT_EQ(makeMatmul(none, none.data()).status().code(),
            absl::StatusCode::kUnimplemented);
}

} // namespace
} // namespace minic::runtime
