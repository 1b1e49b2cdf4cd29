// SPDX-License-Identifier: Apache-2.0
//
// Group norms of images in NHWC and NCHW run by the interpreter and compared
// with the reference, for chunks, groups and channels that fit nothing; what is
// offered and what is refused.

#include "compiler/target/cuda/group_norm/GroupNormFamily.h"
#include "compiler/target/OfferFusion.h"
#include "compiler/target/cuda/group_norm/GroupNormGeometry.h"
#include "compiler/target/cuda/rows/RowsFamily.h"
#include "test/unit/compiler/target/cuda/gemm/ConvolutionCases.h"
#include "test/unit/dialects/kernel/TensorText.h"

#include "mlir/AsmParser/AsmParser.h"

#include <gmock/gmock.h>

#include <cmath>

namespace minic::cuda {
namespace {

using testing::Each;
using testing::Field;
using testing::HasSubstr;
using testing::Not;

const GroupNormFamily family;

enum class After { Nothing, Silu, Residual, Both };

/// A norm of [images, height, width, channels].
struct NormCase {
  int64_t images, height, width, channels, groups;
  std::string dtype = "bf16";
  After after = After::Silu;
  bool isScaled = true, isShifted = true;
  bool readsPlanes = false;

  std::string image() const {
    return tensor({images, height, width, channels}, dtype);
  }
  std::string perChannel() const { return tensor({channels}, dtype); }
};

ConvBody bodyOf(const NormCase &norm) {
  std::string x = norm.image(), w = norm.perChannel();
  std::string t =
      tensor({norm.images, norm.channels, norm.height, norm.width}, norm.dtype);
  ConvBody body{{norm.readsPlanes ? t : x}, x, ""};
  std::string operands = norm.readsPlanes ? "%0" : "%t", types = t;
  auto add = [&](const char *name) {
    operands +=
        std::string(" ") + name + " %" + std::to_string(body.arguments.size());
    types += ", " + w;
    body.arguments.push_back(w);
  };
  if (norm.isScaled) {
    add("scale");
  }
  if (norm.isShifted) {
    add("bias");
  }
  body.text = norm.readsPlanes
                  ? ""
                  : "%t = graph.transpose %0 [0, 3, 1, 2] : " + x + " -> " + t;
  body.text += "\n%n = graph.group_norm " + operands +
               " groups = " + std::to_string(norm.groups) + " : (" + types +
               ") -> " + t + "\n%y = graph.transpose %n [0, 2, 3, 1] : " + t +
               " -> " + x + "\n";
  std::string last = "%y";
  if (norm.after == After::Residual || norm.after == After::Both) {
    body.text += "%a = graph.add %y, %" +
                 std::to_string(body.arguments.size()) + " : " + x + "\n";
    body.arguments.push_back(x);
    last = "%a";
  }
  if (norm.after == After::Silu || norm.after == After::Both) {
    body.text += "%s = graph.silu " + last + " : " + x + "\n";
    last = "%s";
  }
  if (norm.after == After::Both) {
    body.result = "(" + x + ", " + x + ")";
    body.text += "kernel.yield " + last + ", %y : " + x + ", " + x;
  } else {
    body.text += "kernel.yield " + last + " : " + x;
  }
  return body;
}

using Change = llvm::function_ref<void(cpu::TestTensor &input)>;

void check(const NormCase &norm, const GroupNormSchedule &schedule,
           Change change = nullptr) {
  ConvBody body = bodyOf(norm);
  SCOPED_TRACE(toString(schedule) + ": " + body.text);
  InterpretedFusion run(body.arguments, body.result, body.text);
  if (change) {
    change(run.inputs[0]);
  }
  Implementation made = offerDense(
      run.fusion, family.name(), toAttribute(schedule, run.fusion.getContext()),
      toString(schedule));
  checkAgainstReference(run, family, made, *getCudaProfile("h200"));
}

/// Pixels that registers hold, and that loops read; one block and several.
TEST(CudaGroupNorm, Dtypes) {
  for (const char *dtype : {"f32", "bf16", "f16"}) {
    for (After after : {After::Nothing, After::Silu, After::Residual}) {
      check({1, 4, 6, 40, 4, dtype, after}, {4, 2, 3, true});
    }
    NormCase norm{2, 4, 6, 40, 4, dtype, After::Both};
    check(norm, {4, 6, 1, false});
    check(norm, {2, 2, 2, true});
    check(norm, {2, 3, 3, true}); // no multiple of unroll
  }
}

/// 10 and 20 channels, of which a vector has those of two groups; 2, 3, 1 and
/// 5, of which it has several; all of them.
TEST(CudaGroupNorm, GroupsThatDivideNoVector) {
  for (auto [channels, groups] : {std::pair<int64_t, int64_t>{320, 32},
                                  {160, 8},
                                  {64, 32},
                                  {24, 8},
                                  {48, 48},
                                  {40, 8},
                                  {32, 1},
                                  {128, 4}}) {
    for (const char *dtype : {"bf16", "f32"}) {
      check({1, 5, 3, channels, groups, dtype}, {4, 2, 2, true});
      check({2, 3, 3, channels, groups, dtype}, {2, 2, 2, true});
    }
  }
}

/// Odd numbers of pixels, one pixel, and one to a block.
TEST(CudaGroupNorm, OddImages) {
  check({3, 1, 7, 16, 2}, {2, 1, 3, true});
  check({1, 1, 7, 16, 4}, {8, 1, 1, true});
  check({2, 1, 1, 24, 3}, {1, 1, 1, true});
  check({1, 13, 11, 8, 4}, {32, 1, 11, true});
  check({1, 13, 11, 8, 4}, {32, 2, 2, true});
  check({1, 13, 11, 8, 8}, {4, 3, 29, true});
  check({5, 3, 3, 88, 11}, {3, 1, 9, false});
}

/// More groups than neighbours of threads at a time, and than threads; more
/// parts than a thread has at a time.
TEST(CudaGroupNorm, ManyGroupsAndParts) {
  check({1, 2, 4, 512, 256}, {1, 2, 4, true});
  check({1, 2, 4, 512, 512}, {1, 2, 4, true});
  check({1, 20, 20, 8, 1}, {4, 1, 100, true});
  check({1, 20, 20, 8, 8}, {4, 1, 100, true}); // a thread merges 20
  check({1, 30, 30, 8, 8}, {4, 2, 75, true});
}

TEST(CudaGroupNorm, WithoutScaleOrBias) {
  check({1, 4, 4, 16, 2, "bf16", After::Silu, false, true}, {4, 2, 2, true});
  check({1, 4, 4, 16, 2, "bf16", After::Silu, true, false}, {4, 2, 2, true});
  check({1, 4, 4, 16, 2, "f16", After::Silu, false, false}, {4, 2, 2, true});
}

NormCase ofPlanes(NormCase norm) {
  norm.readsPlanes = true;
  return norm;
}

/// One vector of pixels to a block, and several; chunks of unequal sizes; a
/// thread that reads several vectors, and loops over them.
TEST(CudaGroupNorm, Planes) {
  for (const char *dtype : {"f32", "bf16", "f16"}) {
    for (After after : {After::Silu, After::Both}) {
      check(ofPlanes({2, 4, 6, 40, 4, dtype, after}), {4, 2, 3, true});
      check(ofPlanes({1, 8, 8, 40, 8, dtype, after}), {4, 1, 2, false});
    }
    check(ofPlanes({1, 8, 16, 320, 32, dtype}), {4, 4, 4, true});
    check(ofPlanes({3, 2, 4, 16, 2, dtype}), {2, 4, 1, true});
    check(ofPlanes({1, 16, 8, 24, 3, dtype}), {1, 4, 1, true}); // loops
    check(ofPlanes({2, 5, 8, 24, 3, dtype}), {8, 2, 3, true});  // 16, 16 and 8
  }
}

/// Neighbours have as many vectors of a chunk as fit nothing.
TEST(CudaGroupNorm, PlanesOfOddNumbersOfVectors) {
  for (int64_t vectors : {1, 3, 5, 6, 7, 11}) {
    check(ofPlanes({1, vectors, 8, 72, 9}), {2, 2, 1, true});
    check(ofPlanes({1, vectors, 4, 72, 9, "f32"}), {2, 2, 1, true});
  }
}

/// Images whose mean is 100 deviations from 0, and of one value.
TEST(CudaGroupNorm, KeepsTheVarianceOfAFarMean) {
  for (const GroupNormSchedule &schedule :
       {GroupNormSchedule{4, 3, 2, true}, {4, 1, 1, true}, {8, 1, 2, true}}) {
    NormCase norm{1, 4, 6, 40, 4, "f32", After::Nothing, false, false};
    ConvBody body = bodyOf(norm);
    InterpretedFusion run(body.arguments, body.result, body.text);
    int64_t count = run.inputs[0].elements();
    for (int64_t i = 0; i != count; ++i) {
      run.inputs[0].set(i, run.inputs[0].get(i) + 58.0);
    }
    Implementation made = offerDense(
        run.fusion, family.name(),
        toAttribute(schedule, run.fusion.getContext()), toString(schedule));
    ASSERT_NO_FATAL_FAILURE(run.run(family, made, *getCudaProfile("h200")));
    for (int64_t group = 0; group != 4; ++group) {
      double mean = 0, power = 0;
      auto forAll = [&](llvm::function_ref<void(int64_t)> visit) {
        for (int64_t i = 0; i != count; ++i) {
          i % 40 / 10 == group ? visit(i) : void();
        }
      };
      forAll([&](int64_t i) { mean += run.inputs[0].get(i) / 240; });
      forAll([&](int64_t i) {
        double distance = run.inputs[0].get(i) - mean;
        power += distance * distance / 240;
      });
      forAll([&](int64_t i) {
        double want = (run.inputs[0].get(i) - mean) / std::sqrt(power + 1e-5);
        // The mean is rounded to 2^-18.
        ASSERT_NEAR(run.results[0].get(i), want, 2e-5) << i;
      });
    }
    check(norm, schedule, [](cpu::TestTensor &input) {
      for (int64_t i = 0; i != input.elements(); ++i) {
        input.set(i, 58.25);
      }
    });
  }
}

/// Where a thread has no pixel it reads another one's, which is no reason for
/// NaN.
TEST(CudaGroupNorm, PropagatesNanInItsGroupAlone) {
  NormCase norm{2, 3, 3, 16, 2, "f32", After::Nothing};
  for (double bad : {double(NAN), double(INFINITY)}) {
    for (int64_t pixel : {0, 8}) {
      ConvBody body = bodyOf(norm);
      InterpretedFusion run(body.arguments, body.result, body.text);
      run.inputs[0].set(pixel * 16 + 3, bad);
      GroupNormSchedule schedule{4, 2, 2, true};
      Implementation made = offerDense(
          run.fusion, family.name(),
          toAttribute(schedule, run.fusion.getContext()), toString(schedule));
      ASSERT_NO_FATAL_FAILURE(run.run(family, made, *getCudaProfile("h200")));
      for (int64_t i = 0; i != run.results[0].elements(); ++i) {
        EXPECT_EQ(std::isnan(run.results[0].get(i)), i < 144 && i % 16 < 8)
            << i;
      }
    }
  }
}

/// Every legal schedule for a small image.
TEST(CudaGroupNorm, OffersRun) {
  NormCase norm{1, 8, 8, 40, 4};
  ConvBody body = bodyOf(norm);
  ParsedFusion parsed(body.arguments, body.result, body.text);
  DeviceProfile profile = *getCudaProfile("h200");
  auto few = family.enumerate(parsed.get(), profile);
  ASSERT_FALSE(few.empty());
  profile.breadth = Breadth::All;
  auto all = family.enumerate(parsed.get(), profile);
  EXPECT_GT(all.size(), few.size());
  for (const Implementation &offer : all) {
    auto schedule =
        parseGroupNormSchedule(offer.impl.getSchedule(), parsed.get().getLoc());
    ASSERT_TRUE(succeeded(schedule));
    check(norm, *schedule);
  }
}

std::vector<Implementation> offersFor(const KernelFamily &source,
                                      const NormCase &norm,
                                      const std::string &device = "h100") {
  ConvBody body = bodyOf(norm);
  ParsedFusion parsed(body.arguments, body.result, body.text);
  DeviceProfile profile = *getCudaProfile(device);
  EXPECT_EQ(source.reject(parsed.get(), profile), std::nullopt);
  return source.enumerate(parsed.get(), profile);
}

/// rows took 11 and 15.6 us for these on an H100.
TEST(CudaGroupNorm, IsExpectedToBeFasterThanRowsOfFewNeighbours) {
  for (auto [side, channels] :
       {std::pair<int64_t, int64_t>{64, 320}, {64, 640}}) {
    NormCase norm{1, side, side, channels, 32};
    auto own = offersFor(family, norm), others = offersFor(RowsFamily(), norm);
    EXPECT_LT(own.front().estimateUs, 0.8 * others.front().estimateUs);
    EXPECT_EQ(own.front().kind, "group_norm"); // kept
  }
}

/// rows took 15.9 us for it on an H100.
TEST(CudaGroupNorm, IsExpectedToBeFasterThanRowsOfFewGroups) {
  NormCase norm = ofPlanes({1, 64, 64, 320, 32});
  auto own = offersFor(family, norm), others = offersFor(RowsFamily(), norm);
  EXPECT_LT(own.front().estimateUs, 0.8 * others.front().estimateUs);
}

TEST(CudaGroupNorm, LaunchesAreProgrammaticWhereTheDeviceHasThem) {
  NormCase norm{1, 64, 64, 320, 32};
  EXPECT_THAT(offersFor(family, norm),
              Each(Field(&Implementation::name, HasSubstr(" pdl"))));
  EXPECT_THAT(offersFor(family, norm, "a100"),
              Each(Field(&Implementation::name, Not(HasSubstr(" pdl")))));
}

std::string reasonFor(const ConvBody &body) {
  ParsedFusion parsed(body.arguments, body.result, body.text);
  return family.reject(parsed.get(), *getCudaProfile("h200"))
      .value_or("accepted");
}

TEST(CudaGroupNorm, SaysWhyNot) {
  EXPECT_EQ(reasonFor(bodyOf({1, 4, 4, 36, 3})),
            "channels are no multiple of 8");
  EXPECT_THAT(reasonFor(bodyOf({1, 4, 4, 16384, 32})),
              HasSubstr("than a block has threads"));
  EXPECT_EQ(reasonFor(bodyOf({1 << 20, 64, 64, 8, 2})), "images too large");
  std::string x = "tensor<1x8x4x4xf32>", y = "tensor<1x4x4x8xf32>";
  std::string norm = " groups = 2 : (" + x + ") -> " + x + "\n";
  EXPECT_EQ(
      reasonFor({{x},
                 x,
                 "%n = graph.group_norm %0" + norm + "kernel.yield %n : " + x}),
      "the norm's result is not brought to NHWC");
  EXPECT_EQ(reasonFor({{y},
                       x,
                       "%t = graph.transpose %0 [0, 3, 1, 2] : " + y + " -> " +
                           x + "\n%n = graph.group_norm %t" + norm +
                           "kernel.yield %n : " + x}),
            "the norm's result is not brought to NHWC");
  EXPECT_EQ(
      reasonFor({{x},
                 y,
                 "%r = graph.relu %0 : " + x + "\n%n = graph.group_norm %r" +
                     norm + "%t = graph.transpose %n [0, 2, 3, 1] : " + x +
                     " -> " + y + "\nkernel.yield %t : " + y}),
      "the norm does not read an operand in NHWC or NCHW");
  EXPECT_EQ(reasonFor(bodyOf(ofPlanes({1, 3, 5, 40, 4}))),
            "planes that are no whole vectors of 16 bytes");
}

/// A block of sm_86 has 99 KB, which a turned chunk and what is known of its
/// channels may exceed.
TEST(CudaGroupNorm, OffersWhatSharedMemoryHolds) {
  ConvBody body = bodyOf(ofPlanes({1, 128, 128, 1024, 32}));
  ParsedFusion parsed(body.arguments, body.result, body.text);
  std::string reason;
  auto norm = GroupNormFusion::get(parsed.get(), &reason);
  ASSERT_TRUE(succeeded(norm)) << reason;
  DeviceProfile profile = *getCudaProfile("h200");
  profile.breadth = Breadth::All;
  size_t all = enumerateGroupNorms(*norm, profile, &reason).size();
  profile.sharedBytesPerBlock = 99 * 1024;
  auto few = enumerateGroupNorms(*norm, profile, &reason);
  EXPECT_LT(few.size(), all);
  for (const GroupNormGeometry &each : few) {
    EXPECT_LE(each.sharedBytes(true), profile.sharedBytesPerBlock);
  }
  profile.sharedBytesPerBlock = 1024;
  EXPECT_EQ(enumerateGroupNorms(*norm, profile, &reason).size(), 0u);
  EXPECT_THAT(reason, HasSubstr("shared memory"));
}

TEST(CudaGroupNorm, RefusesBadSchedules) {
  ConvBody body = bodyOf({1, 4, 4, 320, 32});
  ParsedFusion parsed(body.arguments, body.result, body.text);
  kernel::FusionOp fusion = parsed.get();
  mlir::MLIRContext *context = fusion.getContext();
  std::string error;
  mlir::ScopedDiagnosticHandler handler(
      context, [&](mlir::Diagnostic &diagnostic) { error = diagnostic.str(); });
  auto lower = [&](const std::string &schedule) {
    fusion.setImplAttr(mlir::cast<kernel::ImplAttr>(mlir::parseAttribute(
        "#kernel.impl<family = \"group_norm\", schedule = " + schedule + ">",
        context)));
    LaunchRecorder plan(context);
    EXPECT_TRUE(failed(family.lower(fusion, plan)));
    return error;
  };
  EXPECT_THAT(lower("{}"), HasSubstr("expects a schedule"));
  EXPECT_THAT(lower("{blocks = 17 : i64, pdl = 1 : i64, pixels = 4 : i64, "
                    "unroll = 1 : i64}"),
              HasSubstr("group_norm 4x1 blocks=17 pdl: blocks without pixels"));
  EXPECT_THAT(lower("{blocks = 2 : i64, pdl = 1 : i64, pixels = 32 : i64, "
                    "unroll = 1 : i64}"),
              HasSubstr("than a block has threads"));
}

} // namespace
} // namespace minic::cuda
