// SPDX-License-Identifier: Apache-2.0
//
// Concats, rotary embeddings and updates in place as pointwise kernels, run by
// the interpreter, which refuses accesses outside of a tensor and unaligned
// ones; which vectors are offered for them, and what is refused.

#include "compiler/target/OfferFusion.h"
#include "compiler/target/cuda/pointwise/PointAccess.h"
#include "compiler/target/cuda/pointwise/PointwiseFamily.h"
#include "compiler/target/cuda/pointwise/PointwiseSchedule.h"
#include "test/unit/compiler/target/cuda/InterpretedFusion.h"
#include "test/unit/dialects/kernel/TensorText.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <functional>
#include <numeric>

using namespace mlir;
using testing::HasSubstr;
using testing::Optional;
using testing::StartsWith;

namespace minic::cuda {
namespace {

using Dims = std::vector<int64_t>;

const std::vector<PointwiseSchedule> schedules = {
    {1, 1, 32}, {2, 2, 32}, {4, 1, 32}, {4, 2, 64}, {8, 1, 32}, {8, 4, 32}};

void runBy(const PointwiseSchedule &schedule, InterpretedFusion &run) {
  Implementation offer =
      offerDense(run.fusion, "pointwise",
                 toAttr(schedule, run.fusion.getContext()), toString(schedule));
  run.run(PointwiseFamily(), offer, *getCudaProfile("h200"));
}

/// Of the best offer on an H200.
int64_t bestVector(const std::vector<std::string> &arguments,
                   const std::string &results, const std::string &body) {
  ParsedFusion parsed(arguments, results, body);
  DeviceProfile profile = *getCudaProfile("h200");
  EXPECT_FALSE(PointwiseFamily().reject(parsed.get(), profile));
  Implementation best = PointwiseFamily().enumerate(parsed.get(), profile)[0];
  return parsePointwiseSchedule(best.impl.getSchedule(), parsed.get().getLoc())
      ->vector;
}

std::optional<std::string> refusal(const std::vector<std::string> &arguments,
                                   const std::string &results,
                                   const std::string &body) {
  ParsedFusion parsed(arguments, results, body);
  return PointwiseFamily().reject(parsed.get(), *getCudaProfile("h200"));
}

/// Row-major position of number `at` in `dims`, and the number of a position.
Dims positionOf(int64_t at, const Dims &dims) {
  Dims position(dims.size());
  for (size_t d = dims.size(); d-- > 0;) {
    position[d] = at % dims[d];
    at /= dims[d];
  }
  return position;
}

int64_t numberOf(const Dims &position, const Dims &dims) {
  int64_t at = 0;
  for (size_t d = 0; d != dims.size(); ++d) {
    at = at * dims[d] + position[d];
  }
  return at;
}

//===----------------------------------------------------------------------===//
// Concats
//===----------------------------------------------------------------------===//

struct Concat {
  Dims dims; // of the result
  size_t axis;
  Dims lengths;
  std::string dtype;

  std::vector<Dims> inputs() const {
    std::vector<Dims> made(lengths.size(), dims);
    for (size_t i = 0; i != lengths.size(); ++i) {
      made[i][axis] = lengths[i];
    }
    return made;
  }
  std::vector<std::string> arguments() const {
    std::vector<std::string> made;
    for (const Dims &input : inputs()) {
      made.push_back(tensor(input, dtype));
    }
    return made;
  }
  /// "%c = graph.concat %0, %1 axis = 1 : ..."
  std::string op() const {
    std::string names, types;
    for (size_t i = 0; i != lengths.size(); ++i) {
      std::string comma = i == 0 ? "" : ", ";
      names += comma + "%" + std::to_string(i);
      types += comma + arguments()[i];
    }
    return "%c = graph.concat " + names + " axis = " + std::to_string(axis) +
           " : (" + types + ") -> " + tensor(dims, dtype) + "\n";
  }
  std::string body() const {
    return op() + "kernel.yield %c : " + tensor(dims, dtype);
  }

  /// Element number `at` of the result, among those of `run`.
  double expected(const InterpretedFusion &run, int64_t at) const {
    Dims position = positionOf(at, dims);
    size_t input = 0;
    while (position[axis] >= lengths[input]) {
      position[axis] -= lengths[input++];
    }
    return run.inputs[input].get(numberOf(position, inputs()[input]));
  }
};

void setDistinct(InterpretedFusion &run) {
  int64_t next = 1;
  for (cpu::TestTensor &input : run.inputs) {
    for (int64_t i = 0; i != input.elements(); ++i) {
      input.set(i, double(next++ % 120));
    }
  }
}

void checkConcat(const Concat &concat) {
  for (const PointwiseSchedule &schedule : schedules) {
    SCOPED_TRACE(concat.op());
    InterpretedFusion run(concat.arguments(), tensor(concat.dims, concat.dtype),
                          concat.body());
    setDistinct(run);
    ASSERT_NO_FATAL_FAILURE(runBy(schedule, run));
    for (int64_t i = 0; i != run.results[0].elements(); ++i) {
      ASSERT_EQ(run.results[0].get(i), concat.expected(run, i)) << i;
    }
  }
}

TEST(CudaPointwiseMoves, ConcatsAlongAnyAxis) {
  for (std::string dtype : {"bf16", "f32", "i8", "i64"}) {
    checkConcat({{3, 5, 16}, 1, {1, 4}, dtype});
    checkConcat({{3, 5, 16}, 0, {2, 1}, dtype});
    checkConcat({{3, 2, 48}, 2, {16, 8, 24}, dtype});
  }
}

TEST(CudaPointwiseMoves, ConcatsOddPieces) {
  checkConcat({{7, 11}, 1, {3, 7, 1}, "bf16"});
  checkConcat({{5, 7, 13}, 1, {2, 5}, "f16"});
  checkConcat({{2, 3, 1}, 1, {1, 2}, "f32"});
  checkConcat({{19}, 0, {2, 17}, "bf16"});
  // Boundaries inside of vectors of rows that are whole ones.
  checkConcat({{4, 16}, 1, {10, 6}, "bf16"});
  checkConcat({{4, 16}, 1, {12, 4}, "f32"});
}

TEST(CudaPointwiseMoves, ConcatsManyPieces) {
  checkConcat({{3, 66, 8}, 1, Dims{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, "bf16"});
}

TEST(CudaPointwiseMoves, ConcatsOnePieceTwice) {
  std::string x = tensor({4, 8}, "f32"), y = tensor({4, 16}, "f32");
  for (const PointwiseSchedule &schedule : schedules) {
    InterpretedFusion run({x}, y,
                          "%r = graph.concat %0, %0 axis = 1 : (" + x + ", " +
                              x + ") -> " + y + "\nkernel.yield %r : " + y);
    ASSERT_NO_FATAL_FAILURE(runBy(schedule, run));
    for (int64_t i = 0; i != 64; ++i) {
      ASSERT_EQ(run.results[0].get(i), run.inputs[0].get(i / 16 * 8 + i % 8));
    }
  }
}

// [4, 6, 8]: of %0 transposed and %1 sliced, less %2, and a part of it.
TEST(CudaPointwiseMoves, ConcatsMovedOperandsAmongPointwiseOps) {
  for (const PointwiseSchedule &schedule : schedules) {
    InterpretedFusion run(
        {"tensor<2x4x8xf32>", "tensor<4x5x8xf32>", "tensor<6x1xf32>"},
        "tensor<4x3x8xf32>", R"(
      %t = graph.transpose %0 [1, 0, 2] : tensor<2x4x8xf32> -> tensor<4x2x8xf32>
      %s = graph.slice %1 [0, 1, 0] to [4, 5, 8] by [1, 1, 1] : tensor<4x5x8xf32> -> tensor<4x4x8xf32>
      %c = graph.concat %t, %s axis = 1 : (tensor<4x2x8xf32>, tensor<4x4x8xf32>) -> tensor<4x6x8xf32>
      %d = graph.sub %c, %2 : (tensor<4x6x8xf32>, tensor<6x1xf32>) -> tensor<4x6x8xf32>
      %e = graph.slice %d [0, 1, 0] to [4, 6, 8] by [1, 2, 1] : tensor<4x6x8xf32> -> tensor<4x3x8xf32>
      %r = graph.neg %e : tensor<4x3x8xf32>
      kernel.yield %r : tensor<4x3x8xf32>)");
    ASSERT_NO_FATAL_FAILURE(runBy(schedule, run));
    for (int64_t i = 0; i != 96; ++i) {
      Dims at = positionOf(i, {4, 3, 8});
      int64_t row = 1 + 2 * at[1];
      double element =
          row < 2
              ? run.inputs[0].get(numberOf({row, at[0], at[2]}, {2, 4, 8}))
              : run.inputs[1].get(numberOf({at[0], row - 1, at[2]}, {4, 5, 8}));
      ASSERT_EQ(run.results[0].get(i),
                float(-(float(element) - float(run.inputs[2].get(row)))));
    }
  }
}

TEST(CudaPointwiseMoves, OffersVectorsThatFitPieces) {
  auto vector = [](const Concat &concat) {
    return bestVector(concat.arguments(), tensor(concat.dims, concat.dtype),
                      concat.body());
  };
  // The class token of a ViT: 16 bytes of one operand or of the other.
  EXPECT_EQ(vector({{32, 197, 768}, 1, {1, 196}, "bf16"}), 8);
  EXPECT_EQ(vector({{4096, 768}, 1, {512, 256}, "f32"}), 4);
  EXPECT_EQ(vector({{4096, 768}, 1, {260, 508}, "bf16"}), 4);
  EXPECT_EQ(vector({{4096, 768}, 1, {259, 509}, "bf16"}), 1);
}

TEST(CudaPointwiseMoves, RefusesConcatsOfWhatIsComputed) {
  EXPECT_THAT(
      refusal({"tensor<4x8xf32>", "tensor<4x8xf32>"}, "tensor<4x16xf32>", R"(
    %e = graph.exp %1 : tensor<4x8xf32>
    %r = graph.concat %0, %e axis = 1 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x16xf32>
    kernel.yield %r : tensor<4x16xf32>)"),
      Optional(HasSubstr("graph.concat of what is no operand")));
  Concat many{{2, 33, 8}, 1, Dims(33, 1), "f32"};
  EXPECT_THAT(refusal(many.arguments(), tensor(many.dims, "f32"), many.body()),
              Optional(HasSubstr("more than 32")));
}

//===----------------------------------------------------------------------===//
// Rotary embeddings
//===----------------------------------------------------------------------===//

/// Element `d` of a row of `2 * pairs`, as the op says it.
double rotated(const std::function<double(int64_t)> &row,
               const std::function<double(int64_t)> &cos,
               const std::function<double(int64_t)> &sin, int64_t d,
               int64_t pairs, bool interleaved) {
  int64_t pair = interleaved ? d / 2 : d % pairs;
  bool isSecond = interleaved ? d % 2 == 1 : d >= pairs;
  int64_t partner = interleaved ? d ^ 1 : (d + pairs) % (2 * pairs);
  double turn = row(partner) * sin(pair);
  return row(d) * cos(pair) + (isSecond ? turn : -turn);
}

void expectNear(const cpu::TestTensor &got, int64_t i, double want) {
  // Two products and a sum in f32, then the store.
  ASSERT_NEAR(got.get(i), want, std::fabs(want) * got.roundoff() + 4 * 0x1p-24)
      << i;
}

/// Of heads sliced from [1, tokens, heads + 1, 2 pairs] and transposed, with
/// angles from a table.
void checkRotary(int64_t tokens, int64_t heads, int64_t pairs,
                 const std::string &dtype, bool interleaved) {
  Dims from = {1, tokens, heads + 1, 2 * pairs},
       to = {1, heads, tokens, 2 * pairs};
  std::string x = tensor(from, dtype), table = tensor({9, pairs}, dtype),
              ids = tensor({tokens}, "i64"), y = tensor(to, dtype),
              sliced = tensor({1, tokens, heads, 2 * pairs}, dtype),
              angles = tensor({tokens, pairs}, dtype);
  std::string end =
      ", " + std::to_string(heads + 1) + ", " + std::to_string(2 * pairs) + "]";
  std::string body =
      "%s = graph.slice %0 [0, 0, 1, 0] to [1, " + std::to_string(tokens) +
      end + " by [1, 1, 1, 1] : " + x + " -> " + sliced +
      "\n%t = graph.transpose %s [0, 2, 1, 3] : " + sliced + " -> " + y +
      "\n%c = graph.gather %1, %3 axis = 0 : (" + table + ", " + ids + ") -> " +
      angles + "\n%i = graph.gather %2, %3 axis = 0 : (" + table + ", " + ids +
      ") -> " + angles + "\n%r = graph.rotary %t, %c, %i" +
      (interleaved ? " {interleaved}" : "") + " : (" + y + ", " + angles +
      ", " + angles + ") -> " + y + "\nkernel.yield %r : " + y;
  for (const PointwiseSchedule &schedule : schedules) {
    InterpretedFusion run({x, table, table, ids}, y, body);
    for (int64_t i = 0; i != tokens; ++i) {
      run.inputs[3].set(i, double(i * 5 % 9));
    }
    run.inputs[3].set(tokens - 1, 9); // behind the table
    ASSERT_NO_FATAL_FAILURE(runBy(schedule, run));
    EXPECT_EQ(run.lastWord(), 1u);
    for (int64_t i = 0; i != run.results[0].elements(); ++i) {
      Dims at = positionOf(i, to);
      auto id = int64_t(std::min(run.inputs[3].get(at[2]), 8.0));
      auto angle = [&](size_t number) {
        return [&run, id, pairs, number](int64_t pair) {
          return run.inputs[number].get(id * pairs + pair);
        };
      };
      auto row = [&](int64_t d) {
        return run.inputs[0].get(numberOf({0, at[2], at[1] + 1, d}, from));
      };
      ASSERT_NO_FATAL_FAILURE(expectNear(
          run.results[0], i,
          rotated(row, angle(1), angle(2), at[3], pairs, interleaved)));
    }
  }
}

TEST(CudaPointwiseMoves, RotatesHalves) {
  checkRotary(5, 3, 8, "bf16", false);
  checkRotary(3, 2, 16, "f32", false);
  checkRotary(2, 1, 64, "f16", false);
}

TEST(CudaPointwiseMoves, RotatesNeighbours) {
  checkRotary(5, 3, 8, "bf16", true);
  checkRotary(3, 2, 16, "f32", true);
}

TEST(CudaPointwiseMoves, RotatesOddNumbersOfPairs) {
  for (bool interleaved : {false, true}) {
    checkRotary(3, 2, 5, "bf16", interleaved);
    checkRotary(1, 1, 6, "bf16", interleaved);
  }
}

/// Dense, with angles that broadcast, among pointwise ops.
void checkDenseRotary(bool interleaved, const Dims &dims) {
  int64_t pairs = dims.back() / 2;
  std::string x = tensor(dims, "bf16"), angles = tensor({pairs}, "f32"),
              wide = tensor(dims, "f32");
  for (const PointwiseSchedule &schedule : schedules) {
    InterpretedFusion run(
        {x, angles, angles}, "(" + wide + ", " + x + ")",
        "%w = graph.cast %0 : " + x + " to " + wide +
            "\n%a = graph.abs %w : " + wide + "\n%r = graph.rotary %a, %1, %2" +
            (interleaved ? " {interleaved}" : "") + " : (" + wide + ", " +
            angles + ", " + angles + ") -> " + wide +
            "\n%d = graph.sub %r, %w : " + wide + "\n%n = graph.neg %0 : " + x +
            "\nkernel.yield %d, %n : " + wide + ", " + x);
    ASSERT_NO_FATAL_FAILURE(runBy(schedule, run));
    for (int64_t i = 0; i != run.results[0].elements(); ++i) {
      int64_t begin = i / dims.back() * dims.back();
      double turned = rotated(
          [&](int64_t d) { return std::fabs(run.inputs[0].get(begin + d)); },
          [&](int64_t p) { return run.inputs[1].get(p); },
          [&](int64_t p) { return run.inputs[2].get(p); }, i % dims.back(),
          pairs, interleaved);
      ASSERT_NO_FATAL_FAILURE(
          expectNear(run.results[0], i, turned - run.inputs[0].get(i)));
      ASSERT_EQ(run.results[1].get(i), -run.inputs[0].get(i));
    }
  }
}

TEST(CudaPointwiseMoves, RotatesAmongPointwiseOps) {
  for (bool interleaved : {false, true}) {
    checkDenseRotary(interleaved, {3, 32});
    checkDenseRotary(interleaved, {2, 3, 14});
    checkDenseRotary(interleaved, {22});
    checkDenseRotary(interleaved, {5, 2});
  }
}

std::string rotaryBody(const Dims &dims, int64_t pairs,
                       const std::string &flag) {
  std::string x = tensor(dims, "bf16"), angles = tensor({pairs}, "bf16");
  return "%r = graph.rotary %0, %1, %2" + flag + " : (" + x + ", " + angles +
         ", " + angles + ") -> " + x + "\nkernel.yield %r : " + x;
}

TEST(CudaPointwiseMoves, OffersVectorsThatFitPairs) {
  auto vector = [](int64_t pairs, const std::string &flag) {
    Dims dims = {32, 512, 2 * pairs};
    std::string x = tensor(dims, "bf16"), angles = tensor({pairs}, "bf16");
    return bestVector({x, angles, angles}, x, rotaryBody(dims, pairs, flag));
  };
  EXPECT_EQ(vector(64, ""), 8);
  EXPECT_EQ(vector(20, ""), 4);
  EXPECT_EQ(vector(64, " {interleaved}"), 4); // pairs, of 16 bytes
}

TEST(CudaPointwiseMoves, RefusesRotaryOfPartsOfRows) {
  std::string x = tensor({4, 9}, "bf16"), angles = tensor({4}, "bf16");
  EXPECT_THAT(refusal({x, angles, angles}, x, rotaryBody({4, 9}, 4, "")),
              Optional(HasSubstr("of a part of each row")));
  std::string y = tensor({4, 8}, "bf16"), z = tensor({8, 4}, "bf16");
  std::string rotary = "%r = graph.rotary %0, %1, %2 : (" + y + ", " + angles +
                       ", " + angles + ") -> " + y + "\n";
  EXPECT_THAT(refusal({y, angles, angles}, z,
                      rotary + "%t = graph.transpose %r [1, 0] : " + y +
                          " -> " + z + "\nkernel.yield %t : " + z),
              Optional(HasSubstr("other pairs than the results have")));
  EXPECT_THAT(refusal({y, angles, angles}, y,
                      rotary +
                          "%q = graph.rotary %r, %1, %2 {interleaved} : (" + y +
                          ", " + angles + ", " + angles + ") -> " + y +
                          "\nkernel.yield %q : " + y),
              Optional(HasSubstr("other pairs than the results have")));
}

//===----------------------------------------------------------------------===//
// Updates in place
//===----------------------------------------------------------------------===//

/// Keys turned and values as they are, written at `position` of [2, 12, row]
/// and of [2, 7, row].
void checkUpdates(int64_t row, int64_t position, const std::string &index) {
  std::string fresh = tensor({2, 3, row}, "bf16"),
              keys = tensor({2, 12, row}, "bf16"),
              values = tensor({2, 7, row}, "bf16"),
              angles = tensor({row / 2}, "bf16"), at = tensor({}, index);
  std::string body =
      "%t = graph.rotary %1, %4, %5 : (" + fresh + ", " + angles + ", " +
      angles + ") -> " + fresh +
      "\n%k = graph.cache_update %0, %t at %6 axis = 1 {graph.in_place} : (" +
      keys + ", " + fresh + ", " + at + ") -> " + keys +
      "\n%v = graph.cache_update %2, %3 at %6 axis = 1 {graph.in_place} : (" +
      values + ", " + fresh + ", " + at + ") -> " + values +
      "\nkernel.yield %k, %v : " + keys + ", " + values;
  for (const PointwiseSchedule &schedule : schedules) {
    InterpretedFusion run({keys, fresh, values, fresh, angles, angles, at},
                          "(" + keys + ", " + values + ")", body);
    run.inputs[6].set(0, double(position));
    ASSERT_NO_FATAL_FAILURE(runBy(schedule, run));
    EXPECT_EQ(run.lastWord(), position < 0 || position > 4 ? 1u : 0u);
    auto angle = [&](size_t number) {
      return [&run, number](int64_t p) { return run.inputs[number].get(p); };
    };
    for (auto [number, extent] : {std::pair<size_t, int64_t>(0, 12), {1, 7}}) {
      const cpu::TestTensor &got = run.results[number];
      int64_t begin = std::clamp<int64_t>(position, 0, extent - 3);
      for (int64_t i = 0; i != got.elements(); ++i) {
        Dims where = positionOf(i, {2, extent, row});
        int64_t token = where[1] - begin;
        if (token < 0 || token >= 3) {
          // What was there stays.
          ASSERT_EQ(got.get(i), run.inputs[number * 2].get(i)) << i;
          continue;
        }
        auto element = [&, number = number](int64_t d) {
          return run.inputs[number == 0 ? 1 : 3].get(
              numberOf({where[0], token, d}, {2, 3, row}));
        };
        double want = number == 0 ? rotated(element, angle(4), angle(5),
                                            where[2], row / 2, false)
                                  : element(where[2]);
        ASSERT_NO_FATAL_FAILURE(expectNear(got, i, want));
      }
    }
  }
}

TEST(CudaPointwiseMoves, UpdatesInPlace) {
  checkUpdates(16, 0, "i64");
  checkUpdates(16, 4, "i32");
  checkUpdates(14, 3, "i64");
}

TEST(CudaPointwiseMoves, ClampsAndReportsPositions) {
  checkUpdates(16, 6, "i64"); // fits keys alone
  checkUpdates(16, 100, "i32");
  checkUpdates(16, -1, "i64");
}

TEST(CudaPointwiseMoves, CountsWhatAnUpdateMoves) {
  std::string cache = tensor({1, 8, 65536, 128}, "bf16"),
              fresh = tensor({1, 8, 1, 128}, "bf16");
  ParsedFusion parsed(
      {cache, fresh, "tensor<i64>"}, cache,
      "%r = graph.cache_update %0, %1 at %2 axis = 2 {graph.in_place} : (" +
          cache + ", " + fresh + ", tensor<i64>) -> " + cache +
          "\nkernel.yield %r : " + cache);
  DeviceProfile profile = *getCudaProfile("h200");
  auto offers = PointwiseFamily().enumerate(parsed.get(), profile);
  ASSERT_FALSE(offers.empty());
  // The cache is 134 MB.
  EXPECT_LT(offers.front().estimateUs, 3);
}

TEST(CudaPointwiseMoves, RefusesUpdatesOfWhatIsRead) {
  EXPECT_THAT(
      refusal({"tensor<8x4xf32>", "tensor<2x4xf32>", "tensor<i64>"},
              "tensor<8x4xf32>", R"(
    %s = graph.slice %0 [0, 0] to [2, 4] by [1, 1] : tensor<8x4xf32> -> tensor<2x4xf32>
    %a = graph.add %s, %1 : tensor<2x4xf32>
    %r = graph.cache_update %0, %a at %2 axis = 0 {graph.in_place} : (tensor<8x4xf32>, tensor<2x4xf32>, tensor<i64>) -> tensor<8x4xf32>
    kernel.yield %r : tensor<8x4xf32>)"),
      Optional(StartsWith("an update in place of what the fusion reads")));
  EXPECT_THAT(refusal({"tensor<8x4xf32>", "tensor<2x4xf32>", "tensor<i64>"},
                      "tensor<8x4xf32>", R"(
    %p = graph.neg %2 : tensor<i64>
    %r = graph.cache_update %0, %1 at %p axis = 0 {graph.in_place} : (tensor<8x4xf32>, tensor<2x4xf32>, tensor<i64>) -> tensor<8x4xf32>
    kernel.yield %r : tensor<8x4xf32>)"),
              Optional(HasSubstr("at a position that the body computes")));
}

// Beyond 2^31 elements offsets have 64 bits.
TEST(CudaPointwiseMoves, ReachesFarCaches) {
  std::string cache = tensor({3, 1 << 20, 1024}, "bf16"),
              fresh = tensor({3, 1, 1024}, "bf16");
  ParsedFusion parsed(
      {cache, fresh, "tensor<i64>"}, cache,
      "%r = graph.cache_update %0, %1 at %2 axis = 1 {graph.in_place} : (" +
          cache + ", " + fresh + ", tensor<i64>) -> " + cache +
          "\nkernel.yield %r : " + cache);
  std::string reason;
  auto loops = PointwiseLoops::getWithMoves(parsed.get(), reason);
  ASSERT_TRUE(succeeded(loops)) << reason;
  EXPECT_TRUE(reachesFar(*loops));
}

} // namespace
} // namespace minic::cuda
