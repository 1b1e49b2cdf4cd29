// SPDX-License-Identifier: Apache-2.0
//
// The family gemm_amx as the compiler sees it, and the code it writes, on any
// machine.

#include "compiler/target/cpu/gemm_amx/GemmAmxFamily.h"
#include "compiler/target/cpu/Assembler.h"
#include "compiler/target/cpu/gemm_amx/EmitGemmAmx.h"
#include "compiler/target/cpu/gemm_amx/EnumerateSchedules.h"
#include "test/unit/compiler/target/cpu/conv_direct/ConvCase.h"
#include "test/unit/compiler/target/cpu/gemm_amx/AmxProfile.h"
#include "test/unit/compiler/target/cpu/gemm_packed/GemmRun.h"
#include "test/unit/dialects/kernel/TensorText.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;

namespace minic::cpu {
namespace {

const GemmAmxFamily family;

std::string linearBody(const std::string &x, const std::string &w,
                       const std::string &y) {
  return "%l = graph.linear %0, %1 : (" + x + ", " + w + ") -> " + y +
         "\nkernel.yield %l : " + y;
}

std::unique_ptr<ParsedFusion> convolution(ConvCase conv) {
  conv.dtype = "bf16";
  return std::make_unique<ParsedFusion>(
      std::vector{conv.input(), conv.filter()}, conv.result(),
      "%c = " + conv.op("%0, %1", false) +
          "kernel.yield %c : " + conv.result());
}

bool isForAnchor(ParsedFusion &parsed) {
  return family.isFor(parsed.get().getBodyOps()[0]);
}

TEST(GemmAmxFamily, TakesConvolutionsOfNhwcImages) {
  ConvCase conv{.n = 2, .c = 24, .h = 7, .w = 7, .k = 40, .r = 1, .s = 1};
  /// How the filter [K, C, R, S] is padded, in panels of 32 columns and words
  /// of two channels.
  auto padded = [&] {
    auto parsed = convolution(conv);
    EXPECT_TRUE(isForAnchor(*parsed));
    EXPECT_EQ(family.reject(parsed->get(), amxProfile()), std::nullopt);
    auto offers = family.enumerate(parsed->get(), amxProfile());
    auto layout = cast<kernel::LayoutAttr>(offers.at(0).operandLayouts[1]);
    EXPECT_EQ(layout.getOrder(), (ArrayRef<int64_t>{0, 2, 3, 1}));
    return llvm::to_vector(layout.getPadded());
  };
  using Shape = SmallVector<int64_t>;
  EXPECT_EQ(padded(), (Shape{64, 32, 1, 1}));
  conv.strideH = conv.strideW = 2;
  EXPECT_EQ(padded(), (Shape{64, 32, 1, 1}));
  conv.r = conv.s = 3;
  EXPECT_EQ(padded(), (Shape{64, 24, 3, 4}));
  conv.dilationW = 2;
  EXPECT_EQ(padded(), (Shape{64, 32, 3, 3}));
  conv.dilationW = 1;
  conv.c = 3;
  EXPECT_EQ(padded(), (Shape{64, 4, 3, 8}));
  conv.c = 64;
  EXPECT_EQ(padded(), (Shape{64, 64, 3, 3}));
  conv.groups = 2;
  EXPECT_FALSE(isForAnchor(*convolution(conv)));
  conv.groups = 1;
  conv.nhwc = false;
  EXPECT_FALSE(isForAnchor(*convolution(conv)));
}

/// Scratch is each thread's, and a padded image may be larger than memory.
TEST(GemmAmxFamily, PacksAPartOfALargeImage) {
  ConvCase conv{.n = 1, .c = 64, .h = 4096, .w = 4096, .k = 64, .r = 3, .s = 3};
  auto parsed = convolution(conv);
  std::string reason;
  auto shape = matchPackedProduct(parsed->get(), &reason);
  ASSERT_TRUE(succeeded(shape)) << reason;
  auto offers = enumerateAmxSchedules(*shape, amxProfile());
  EXPECT_FALSE(offers.empty());
  for (const EstimatedAmxSchedule &offer : offers) {
    auto geometry = GemmAmxGeometry::get(*shape, offer.schedule, &reason);
    ASSERT_TRUE(succeeded(geometry)) << reason;
    EXPECT_LE(2 * geometry->packedElements(), int64_t(64) << 20)
        << toString(offer.schedule);
  }
}

TEST(GemmAmxSchedule, AttributeRoundTrip) {
  MLIRContext context;
  GemmAmxSchedule schedule{false, 8, 12, 4, true, false};
  auto parsed = parseGemmAmxSchedule(toAttribute(schedule, &context),
                                     UnknownLoc::get(&context));
  ASSERT_TRUE(succeeded(parsed));
  EXPECT_EQ(*parsed, schedule);
  EXPECT_EQ(toString(schedule),
            "gemm_amx 32x32 a=none mc=8 res=12 per=4 pf=l2 split=m");
  schedule.splitN = schedule.alone = true;
  parsed = parseGemmAmxSchedule(toAttribute(schedule, &context),
                                UnknownLoc::get(&context));
  ASSERT_TRUE(succeeded(parsed));
  EXPECT_EQ(*parsed, schedule);
}

TEST(GemmAmxSchedule, WrongEntriesAreDiagnosed) {
  MLIRContext context;
  Builder b(&context);
  std::string message;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    message = diagnostic.str();
    return success();
  });
  auto why = [&](StringRef key, Attribute value) {
    auto attribute = b.getDictionaryAttr({b.getNamedAttr(key, value)});
    EXPECT_TRUE(
        failed(parseGemmAmxSchedule(attribute, UnknownLoc::get(&context))));
    return message;
  };
  EXPECT_EQ(why("per", b.getI64IntegerAttr(0)),
            "gemm_amx schedule expects per in [1, 32], got 0 : i64");
  EXPECT_EQ(why("split", b.getStringAttr("k")),
            "gemm_amx schedule expects split to be one of n, m, none, got "
            "\"k\"");
  EXPECT_EQ(why("nr", b.getI64IntegerAttr(32)),
            "gemm_amx schedule has no 'nr'");
}

TEST(GemmAmxFamily, SaysWhyNot) {
  auto why = [&](const std::string &dtype, int64_t k,
                 const DeviceProfile &profile) {
    std::string x = tensor({4, k}, dtype), w = tensor({8, k}, dtype),
                y = tensor({4, 8}, dtype == "i8" ? "i32" : dtype);
    ParsedFusion parsed({x, w}, y, linearBody(x, w, y));
    return family.reject(parsed.get(), profile).value_or("");
  };
  EXPECT_EQ(why("bf16", 32, amxProfile()), "");
  EXPECT_EQ(why("f32", 32, amxProfile()), "tiles multiply bf16 and i8 alone");
  EXPECT_EQ(why("f16", 32, amxProfile()), "tiles multiply bf16 and i8 alone");
  EXPECT_EQ(why("bf16", 0, amxProfile()),
            "there is nothing to multiply: K is 0");
  DeviceProfile floatsAlone = amxProfile();
  llvm::erase(floatsAlone.features, "+amx-int8");
  EXPECT_EQ(why("i8", 32, amxProfile()), "");
  EXPECT_EQ(why("i8", 32, floatsAlone), "the CPU lacks amx-int8");
  // The target decides, not the machine that compiles.
  EXPECT_EQ(why("bf16", 32, getCpuProfile(1, "v4")), "the CPU lacks AMX");
  EXPECT_EQ(why("bf16", 32, getCpuProfile(1, "v3")), "the CPU lacks AMX");
}

TEST(GemmAmxFamily, OffersDifferInCode) {
  for (int64_t m : {0, 1, 16, 33, 256}) {
    for (int64_t n : {0, 40}) {
      std::string x = tensor({m, 64}, "bf16"), w = tensor({n, 64}, "bf16"),
                  y = tensor({m, n}, "bf16");
      ParsedFusion parsed({x, w}, y, linearBody(x, w, y));
      std::vector<std::string> names;
      for (const Implementation &offer :
           family.enumerate(parsed.get(), amxProfile(2))) {
        EXPECT_EQ(std::count(names.begin(), names.end(), offer.name), 0)
            << offer.name;
        EXPECT_GE(offer.estimateUs, 0);
        names.push_back(offer.name);
      }
      EXPECT_FALSE(names.empty()) << m << "x" << n;
    }
  }
}

/// The assembly of the entries for relu-less linear of these sizes.
std::string assembly(int64_t m, int64_t n, int64_t k,
                     const GemmAmxSchedule &schedule) {
  std::string x = tensor({m, k}, "bf16"), w = tensor({n, k}, "bf16"),
              y = tensor({m, n}, "bf16");
  GemmRun run({x, w}, y, linearBody(x, w, y));
  auto device = OwningOpRef<ModuleOp>(ModuleOp::create(run.fusion.getLoc()));
  emitGemmAmx(run.fusion.getLoc(), *device, "kernel", run.shape,
              *GemmAmxGeometry::get(run.shape, schedule, nullptr));
  auto text = assembleToText(*device, amxProfile());
  EXPECT_TRUE(succeeded(text));
  return *text;
}

/// The lines of function `name`.
std::string functionOf(const std::string &text, const std::string &name) {
  size_t begin = text.find("\n" + name + ":");
  EXPECT_NE(begin, std::string::npos) << name;
  return text.substr(begin, text.find(".Lfunc_end", begin) - begin);
}

size_t count(const std::string &text, const std::string &what) {
  size_t found = 0;
  for (size_t at = text.find(what); at != std::string::npos;
       at = text.find(what, at + 1)) {
    ++found;
  }
  return found;
}

TEST(GemmAmxFamily, TilesAreConfiguredAndReleasedByTheEntry) {
  std::string text = assembly(64, 64, 64, {});
  std::string entry = functionOf(text, "kernel");
  EXPECT_EQ(count(entry, "ldtilecfg"), 1u);
  EXPECT_EQ(count(entry, "tilerelease"), 1u);
  EXPECT_EQ(count(text, "ldtilecfg"), 1u) << "no other function configures";
  std::string other = functionOf(text, "kernel.without_amx");
  EXPECT_EQ(count(other, "tile"), count(other, "kernel.without_amx.tile"));
}

TEST(GemmAmxFamily, WhatPassesLeavesL1Alone) {
  // Of 32 steps, the first 18 of the panel are kept in L1: rows always pass.
  std::string block = functionOf(assembly(64, 64, 1024, {}), "kernel.block32");
  EXPECT_GT(count(block, "tileloadd\t"), 0u);
  EXPECT_GT(count(block, "tileloaddt1"), 0u);
  EXPECT_GT(count(block, "tdpbf16ps"), 0u);
  // Sums live in tiles: only the pending block's four are stored, and the one
  // that nobody reads, once in each loop over eight steps.
  GemmAmxSchedule plain;
  plain.rowsPerStep = 32;
  EXPECT_EQ(count(functionOf(assembly(64, 64, 256, plain), "kernel.block32"),
                  "tilestored"),
            4u);
  GemmAmxSchedule passing;
  passing.resident = 0;
  block = functionOf(assembly(32, 64, 1024, passing), "kernel.block32");
  EXPECT_EQ(count(block, "tileloadd\t"), count(block, "tileloaddt1"));
}

TEST(GemmAmxFamily, LowBlocksMultiplyOneRowOfTiles) {
  std::string text = assembly(40, 64, 64, {});
  EXPECT_EQ(count(functionOf(text, "kernel.block32"), "tdpbf16ps"), 8u);
  EXPECT_EQ(count(functionOf(text, "kernel.block16"), "tdpbf16ps"), 4u);
}

} // namespace
} // namespace minic::cpu
