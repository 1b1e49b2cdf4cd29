// SPDX-License-Identifier: Apache-2.0
//
// Verification catches what kernels get wrong: values, elements left out,
// writes out of bounds, dependence on what was there before.

#include "runtime/measure/Verify.h"

#include "runtime/measure/RandomData.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <cmath>
#include <cstring>

namespace minic::runtime {
namespace {

using ::testing::HasSubstr;
using Inputs = absl::Span<const Tensor>;
using Outputs = absl::Span<const Tensor>;

constexpr int64_t rows = 3, columns = 17, elements = rows * columns;
constexpr uint64_t seed = 11;

/// y = 2 * x, with whatever a test does wrong afterwards.
VerifySubject
doubling(std::function<void(float *x, float *y, float *arena)> mistake =
             [](float *, float *, float *) {}) {
  VerifySubject subject;
  subject.inputs = {{"x", DType::f32, {rows, columns}}};
  subject.outputs = {{"y", DType::f32, {rows, columns}}};
  subject.arenaBytes = 64;
  subject.prepare = [=](void *arena) -> absl::StatusOr<VerifySubject::Run> {
    return [=](Inputs inputs, Outputs outputs) {
      float *x = static_cast<float *>(inputs[0].data);
      float *y = static_cast<float *>(outputs[0].data);
      for (int64_t i = 0; i < elements; ++i) {
        y[i] = 2 * x[i];
      }
      mistake(x, y, static_cast<float *>(arena));
      return absl::OkStatus();
    };
  };
  return subject;
}

std::vector<ExpectedOutput> expectedOf(std::vector<int64_t> given = {}) {
  std::vector<float> x(elements);
  fillRandom(x.data(), DType::f32, {rows, columns}, seed, "x");
  ExpectedOutput expected{.name = "y",
                          .dtype = DType::f32,
                          .dims = {rows, columns},
                          .rows = given,
                          .values = {},
                          .tolerances = {},
                          .alternatives = {}};
  if (given.empty()) {
    given = {0, 1, 2};
  }
  for (int64_t row : given) {
    for (int64_t column = 0; column < columns; ++column) {
      expected.values.push_back(2.0 * x[row * columns + column]);
      expected.tolerances.push_back(1e-6);
    }
  }
  return {expected};
}

/// Handed on from test to test: no verification may see what another left.
VerifyCache cache;

VerifyReply check(const VerifySubject &subject,
                  const std::vector<ExpectedOutput> &expected,
                  const OutputValues *trusted = nullptr) {
  auto reply = verify(subject, seed, expected, trusted, cache);
  EXPECT_TRUE(reply.ok()) << reply.status();
  return reply.ok() ? *reply : VerifyReply{};
}

void expectWrong(const VerifyReply &reply, const char *says) {
  EXPECT_EQ(reply.status, VerifyStatus::wrong);
  EXPECT_THAT(reply.detail, HasSubstr(says));
  EXPECT_EQ(reply.detail.find('\n'), std::string::npos);
}

TEST(VerifyTest, RightIsRight) {
  VerifyReply reply = check(doubling(), expectedOf());
  EXPECT_EQ(reply.status, VerifyStatus::ok) << reply.detail;
  EXPECT_LE(reply.worst, 1);
  EXPECT_TRUE(reply.deterministic);
}

/// x = 2 * x in its own memory.
VerifySubject doublingInPlace() {
  VerifySubject subject = doubling();
  subject.outputs[0].inPlaceOf = 0;
  subject.prepare = [](void *) -> absl::StatusOr<VerifySubject::Run> {
    return [](Inputs inputs, Outputs outputs) {
      EXPECT_EQ(inputs[0].data, outputs[0].data);
      float *x = static_cast<float *>(outputs[0].data);
      for (int64_t i = 0; i < elements; ++i) {
        x[i] *= 2;
      }
      return absl::OkStatus();
    };
  };
  return subject;
}

TEST(VerifyTest, AnUpdateInPlaceFindsItsInputInEachRun) {
  VerifyReply reply = check(doublingInPlace(), expectedOf());
  EXPECT_EQ(reply.status, VerifyStatus::ok) << reply.detail;
  auto outputs = computeOutputs(doublingInPlace(), seed, cache);
  ASSERT_TRUE(outputs.ok());
  reply = check(doublingInPlace(), expectedOf({1}), &*outputs);
  EXPECT_EQ(reply.status, VerifyStatus::ok) << reply.detail;
}

TEST(VerifyTest, WrongValue) {
  VerifyReply reply =
      check(doubling([](float *, float *y, float *) { y[20] += 0.5f; }),
            expectedOf());
  expectWrong(reply, "output y[1, 3]: expected");
  EXPECT_NEAR(reply.maxAbsoluteError, 0.5, 1e-6);
}

TEST(VerifyTest, WrongOnlyInTheSecondRun) {
  auto runs = std::make_shared<int>(0);
  VerifyReply reply = check(doubling([=](float *, float *y, float *) {
                              y[50] += *runs == 1 ? 1.0f : 0.0f;
                              ++*runs;
                            }),
                            expectedOf());
  expectWrong(reply, "output y[2, 16]");
}

TEST(VerifyTest, UnwrittenElementIsFoundEvenWhereNaNIsExpected) {
  auto keep = [](int64_t element) {
    // Puts back what was there before the run.
    auto before = std::make_shared<int>(0);
    return doubling([=](float *, float *y, float *) {
      std::memset(&y[element], (*before)++ == 0 ? 0xff : 0xa5, 4);
    });
  };
  expectWrong(check(keep(33), expectedOf()),
              "output y: element 33 of 51 was not written");
  std::vector<ExpectedOutput> expected = expectedOf();
  expected[0].values[33] = NAN;
  expectWrong(check(keep(33), expected), "element 33 of 51 was not written");
  expected[0].tolerances[33] = INFINITY;
  expectWrong(check(keep(33), expected), "element 33 of 51 was not written");
}

TEST(VerifyTest, OutputsAndArenaStartPoisoned) {
  auto run = std::make_shared<int>(0);
  check(doubling([=](float *, float *, float *arena) {
          uint32_t bits;
          std::memcpy(&bits, arena, 4);
          EXPECT_EQ(bits, *run == 0 ? 0xffffffffu : 0xa5a5a5a5u);
          ++*run;
        }),
        expectedOf());
  EXPECT_EQ(*run, 2);
}

TEST(VerifyTest, ReadingTheArenaBeforeWritingIsFound) {
  // NaN in the first run: wrong.
  expectWrong(
      check(doubling([](float *, float *y, float *arena) { y[7] += arena[0]; }),
            expectedOf()),
      "got nan");
}

TEST(VerifyTest, ReadingBeyondAnInputIsFound) {
  expectWrong(check(doubling([](float *x, float *y, float *) {
                      y[7] += 0 * x[elements];
                    }),
                    expectedOf()),
              "got nan");
}

TEST(VerifyTest, WritesOutOfBounds) {
  expectWrong(
      check(doubling([](float *, float *y, float *) { y[elements] = 0; }),
            expectedOf()),
      "memory around output y was written");
  expectWrong(check(doubling([](float *, float *y, float *) { y[-1] = 0; }),
                    expectedOf()),
              "memory around output y was written");
  expectWrong(
      check(doubling([](float *x, float *, float *) { x[elements + 100] = 0; }),
            expectedOf()),
      "memory around input x was written");
  expectWrong(check(doubling([](float *x, float *, float *) { x[3] = 0; }),
                    expectedOf()),
              "input x was written");
  expectWrong(
      check(doubling([](float *, float *, float *arena) { arena[16] = 0; }),
            expectedOf()),
      "memory around the arena was written");
}

TEST(VerifyTest, SlightDifferenceBetweenRunsIsNotDeterministic) {
  auto run = std::make_shared<int>(0);
  VerifyReply reply = check(doubling([=](float *, float *y, float *) {
                              if ((*run)++ == 1) {
                                y[4] = std::nextafter(y[4], 10.0f);
                              }
                            }),
                            expectedOf());
  EXPECT_EQ(reply.status, VerifyStatus::ok) << reply.detail;
  EXPECT_FALSE(reply.deterministic);
}

TEST(VerifyTest, ErrorOfTheRun) {
  VerifySubject subject = doubling();
  subject.prepare = [](void *) -> absl::StatusOr<VerifySubject::Run> {
    return [](Inputs, Outputs) { return absl::InternalError("boom"); };
  };
  VerifyReply reply = check(subject, expectedOf());
  EXPECT_EQ(reply.status, VerifyStatus::error);
  EXPECT_EQ(reply.detail, "boom");
  subject.prepare = [](void *) -> absl::StatusOr<VerifySubject::Run> {
    return absl::FailedPreconditionError("no");
  };
  EXPECT_EQ(check(subject, expectedOf()).status, VerifyStatus::error);
}

TEST(VerifyTest, RowsNotGivenAreComparedWithTheTrustedRun) {
  auto wrongRow1 =
      doubling([](float *, float *y, float *) { y[columns] += 1; });
  EXPECT_EQ(check(wrongRow1, expectedOf({0, 2})).status, VerifyStatus::ok);
  auto trusted = computeOutputs(doubling(), seed, cache);
  ASSERT_TRUE(trusted.ok());
  expectWrong(check(wrongRow1, expectedOf({0, 2}), &*trusted),
              "output y[1, 0]: trusted run has");
  EXPECT_EQ(check(doubling(), expectedOf({0, 2}), &*trusted).status,
            VerifyStatus::ok);
  OutputValues none;
  EXPECT_FALSE(verify(doubling(), seed, expectedOf({0, 2}), &none, cache).ok());
}

TEST(VerifyTest, ExpectedOutputsMustFit) {
  auto expected = expectedOf();
  expected[0].name = "z";
  EXPECT_THAT(std::string(verify(doubling(), seed, expected, nullptr, cache)
                              .status()
                              .message()),
              HasSubstr("none named 'y'"));
  expected = expectedOf();
  expected[0].dims = {columns, rows};
  EXPECT_THAT(std::string(verify(doubling(), seed, expected, nullptr, cache)
                              .status()
                              .message()),
              HasSubstr("is 17x3xf32 where the function has 3x17xf32"));
}

TEST(VerifyTest, BooleansAreZeroOrOne) {
  VerifySubject subject;
  subject.outputs = {{"m", DType::i1, {5}}};
  subject.prepare = [](void *) -> absl::StatusOr<VerifySubject::Run> {
    return [](Inputs, Outputs outputs) {
      std::memset(outputs[0].data, 1, 5);
      static_cast<uint8_t *>(outputs[0].data)[2] = 0xff;
      return absl::OkStatus();
    };
  };
  ExpectedOutput expected{.name = "m",
                          .dtype = DType::i1,
                          .dims = {5},
                          .rows = {},
                          .values = {1, 1, 1, 1, 1},
                          .tolerances = {0, 0, 0, 0, 0},
                          .alternatives = {}};
  expectWrong(check(subject, {expected}), "element 2 of i1 holds 255");
}

TEST(VerifyCacheTest, KeepsInputsByAllThatDecidesThem) {
  VerifyCache kept;
  TensorSpec spec{"x", DType::bf16, {3, 17}};
  auto values = [&](uint64_t of) {
    auto input = kept.input(spec, of);
    EXPECT_TRUE(input.ok());
    auto *begin = reinterpret_cast<const uint16_t *>((*input)->values.data());
    return std::vector<uint16_t>(begin, begin + spec.elements());
  };
  std::vector<uint16_t> first = values(1), wanted(first.size());
  fillRandom(wanted.data(), spec, 1);
  EXPECT_EQ(first, wanted);
  EXPECT_EQ(values(1), first);
  EXPECT_NE(values(2), first);
  spec.name = "y";
  EXPECT_NE(values(1), first);
  spec = {"x", DType::f16, {3, 17}};
  EXPECT_NE(values(1), first);
}

TEST(VerifyCacheTest, HandsBuffersOnBySize) {
  VerifyCache kept;
  auto buffer = kept.take(100);
  ASSERT_TRUE(buffer.ok());
  const std::byte *place = buffer->data();
  kept.leave(*std::move(buffer));
  auto other = kept.take(101);
  ASSERT_TRUE(other.ok());
  EXPECT_NE(other->data(), place);
  EXPECT_EQ(other->bytes(), 101u);
  EXPECT_EQ(kept.take(100)->data(), place);
}

} // namespace
} // namespace minic::runtime
