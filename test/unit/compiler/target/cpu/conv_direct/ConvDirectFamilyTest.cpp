// SPDX-License-Identifier: Apache-2.0
//
// Which fusions conv_direct takes, with which schedules and layouts.

#include "compiler/target/cpu/conv_direct/ConvDirectFamily.h"
#include "compiler/target/cpu/conv_direct/ConvDirectGeometry.h"
#include "compiler/target/cpu/conv_direct/ConvDirectSchedule.h"

#include "test/unit/compiler/target/cpu/LoweredFusion.h"
#include "test/unit/compiler/target/cpu/conv_direct/ConvCase.h"
#include "test/unit/dialects/kernel/ParsedFusion.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Diagnostics.h"

#include "gmock/gmock.h"

using ::testing::Contains;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

namespace minic::cpu {
namespace {

const ConvDirectFamily family;

ParsedFusion bare(const ConvCase &conv) {
  return ParsedFusion({conv.input(), conv.filter()}, conv.result(),
                      "%2 = " + conv.op("%0, %1", false) +
                          "kernel.yield %2 : " + conv.result());
}

std::string reasonFor(ParsedFusion &&parsed, const std::string &isa = "v4") {
  return family.reject(parsed.get(), getCpuProfile(1, isa))
      .value_or("accepted");
}

const ConvCase padded = {.n = 2,
                         .c = 8,
                         .h = 14,
                         .w = 14,
                         .k = 40,
                         .r = 3,
                         .s = 3,
                         .top = 1,
                         .left = 1,
                         .bottom = 1,
                         .right = 1};

TEST(ConvDirectFamily, TakesAnyConvolution) {
  EXPECT_EQ(reasonFor(bare(padded)), "accepted");
  ConvCase conv = padded;
  conv.nhwc = false;
  conv.dtype = "f16";
  conv.groups = 4;
  EXPECT_EQ(reasonFor(bare(conv)), "accepted");
  EXPECT_EQ(reasonFor(bare(conv), "v3"), "accepted");
}

TEST(ConvDirectFamily, SaysWhyNot) {
  std::string x = padded.input(), y = padded.result();
  EXPECT_EQ(
      reasonFor(ParsedFusion(
          {x}, x, "%1 = graph.relu %0 : " + x + "\nkernel.yield %1 : " + x)),
      "no convolution in the body");
  EXPECT_EQ(reasonFor(ParsedFusion({x, padded.filter()}, y,
                                   "%2 = graph.relu %0 : " + x +
                                       "\n%3 = " + padded.op("%2, %1", false) +
                                       "kernel.yield %3 : " + y)),
            "pointwise ops before the convolution");
  ConvCase square = {
      .n = 4, .c = 4, .h = 4, .w = 4, .k = 4, .r = 4, .s = 4, .nhwc = false};
  EXPECT_EQ(reasonFor(ParsedFusion({square.input()}, square.result(),
                                   "%1 = " + square.op("%0, %0", false) +
                                       "kernel.yield %1 : " + square.result())),
            "the filter has another use in the body");
  ConvCase wide = {.n = 1,
                   .c = 1024,
                   .h = 1,
                   .w = 1,
                   .k = 1,
                   .r = 1,
                   .s = 1,
                   .right = 1 << 20};
  EXPECT_THAT(reasonFor(bare(wide)), HasSubstr("more than 2^26 elements"));
}

// Every schedule lowers, and its operand layout is the filter's only.
TEST(ConvDirectFamily, SchedulesLower) {
  for (bool nhwc : {true, false}) {
    ConvCase conv = padded;
    conv.nhwc = nhwc;
    ParsedFusion parsed = bare(conv);
    kernel::FusionOp fusion = parsed.get();
    DeviceProfile profile = getCpuProfile(2, "v4");
    auto implementations = family.enumerate(fusion, profile);
    ASSERT_GT(implementations.size(), 4u);
    for (const Implementation &implementation : implementations) {
      EXPECT_THAT(implementation.name, StartsWith("conv_direct "));
      EXPECT_GT(implementation.estimateUs, 0);
      EXPECT_TRUE(mlir::isa<mlir::UnitAttr>(implementation.operandLayouts[0]));
      auto layout =
          mlir::dyn_cast<kernel::LayoutAttr>(implementation.operandLayouts[1]);
      ASSERT_TRUE(layout);
      auto schedule = parseConvDirectSchedule(implementation.impl.getSchedule(),
                                              fusion.getLoc());
      ASSERT_TRUE(succeeded(schedule));
      EXPECT_EQ(toString(*schedule), implementation.name);
      // Channels are what is cut into panels, whole ones.
      EXPECT_EQ(layout.getBlockDims()[0], 0);
      EXPECT_EQ(layout.getBlockSizes()[0], nhwc ? schedule->nr : schedule->mr);
      EXPECT_GE(layout.getPadded()[0], 40);
    }
  }
}

/// Names of the schedules offered for 7x7 pixels, best first.
std::vector<std::string> offeredFor(bool nhwc, double l3GBs, int threads = 1,
                                    int64_t channels = 512) {
  ConvCase conv = padded;
  conv.c = conv.k = channels;
  conv.h = conv.w = 7;
  conv.nhwc = nhwc;
  ParsedFusion parsed = bare(conv);
  DeviceProfile profile = getCpuProfile(threads, "v4");
  profile.l3GBs = l3GBs;
  std::vector<std::string> names;
  for (const Implementation &each : family.enumerate(parsed.get(), profile)) {
    names.push_back(each.name);
  }
  return names;
}

TEST(ConvDirectFamily, FetchesPanelsOfFiltersBeyondL2) {
  EXPECT_THAT(offeredFor(true, 75).front(), HasSubstr(" pf=l2"));
  EXPECT_THAT(offeredFor(true, 75, 1, 64), Each(Not(HasSubstr("pf="))));
}

TEST(ConvDirectFamily, FetchesAndDividesPanelsWhereL3IsSlow) {
  EXPECT_THAT(offeredFor(true, 20).front(), HasSubstr(" pf=l2"));
  EXPECT_THAT(offeredFor(true, 20, 1, 64), Contains(HasSubstr("pf=l2")));
  EXPECT_THAT(offeredFor(false, 20), Each(Not(HasSubstr("pf="))));
  EXPECT_THAT(offeredFor(true, 20, 2), Contains(HasSubstr(" split=n")));
  EXPECT_THAT(offeredFor(true, 20), Each(Not(HasSubstr("split="))));
  EXPECT_THAT(offeredFor(true, 75, 2), Each(Not(HasSubstr("split="))));
}

TEST(ConvDirectFamily, SaysWhichPanelsAreNeitherFetchedNorDivided) {
  auto reason = [](const ConvCase &conv, const ConvDirectSchedule &schedule) {
    ParsedFusion parsed = bare(conv);
    auto shape = kernel::FusionShape::get(parsed.get(), nullptr);
    std::string why = "accepted";
    EXPECT_TRUE(succeeded(shape));
    (void)ConvDirectGeometry::get(*shape, schedule, &why);
    return why;
  };
  ConvDirectSchedule fetches{.nr = 16, .prefetch = true};
  ConvDirectSchedule divides{.nr = 16, .splitN = true};
  EXPECT_EQ(reason(padded, fetches), "accepted");
  EXPECT_EQ(reason(padded, divides), "accepted");
  ConvCase other = padded;
  other.nhwc = false;
  EXPECT_EQ(reason(other, fetches),
            "only tiles of NHWC images fetch the next panel");
  EXPECT_EQ(reason(other, divides),
            "threads divide the panels of NHWC images only");
  other = padded;
  other.groups = 2;
  EXPECT_EQ(reason(other, divides),
            "threads divide the panels of one group only");
}

TEST(ConvDirectFamily, RefusesADenseFilterAndBadSchedules) {
  ParsedFusion parsed = bare(padded);
  kernel::FusionOp fusion = parsed.get();
  mlir::MLIRContext *context = fusion.getContext();
  std::string error;
  mlir::ScopedDiagnosticHandler handler(context,
                                        [&](mlir::Diagnostic &diagnostic) {
                                          error = diagnostic.str();
                                          return mlir::success();
                                        });
  auto lower = [&](const std::string &schedule) {
    fusion.setImplAttr(mlir::cast<kernel::ImplAttr>(mlir::parseAttribute(
        "#kernel.impl<family = \"conv_direct\", schedule = " + schedule + ">",
        context)));
    RecordingPlanBuilder plan(context);
    EXPECT_TRUE(failed(family.lower(fusion, plan)));
    return error;
  };
  EXPECT_THAT(lower("{}"), HasSubstr("expects operand 1 in layout"));
  EXPECT_THAT(
      lower("{nr = 24}"),
      HasSubstr("expects nr in [16, 256] and a multiple of 16, got 24"));
  EXPECT_THAT(lower("{mr = 0}"), HasSubstr("expects mr in [1, 16], got 0"));
  EXPECT_THAT(lower("{lines = \"many\"}"), HasSubstr("expects lines in"));
  EXPECT_THAT(lower("{x = \"none\"}"),
              HasSubstr("padded images must be packed"));
  EXPECT_THAT(lower("{x = 1}"), HasSubstr("\"pack\" or \"none\""));
  EXPECT_THAT(lower("{pf = \"l1\"}"), HasSubstr("\"l2\" or \"none\""));
  EXPECT_THAT(lower("{nr = 64, pf = \"l2\"}"),
              HasSubstr("no next panel of the filter to fetch"));
  EXPECT_THAT(lower("{split = \"k\"}"), HasSubstr("\"n\" or \"lines\""));
  EXPECT_THAT(lower("{ku = 4}"), HasSubstr("schedule has no 'ku'"));
}

} // namespace
} // namespace minic::cpu
