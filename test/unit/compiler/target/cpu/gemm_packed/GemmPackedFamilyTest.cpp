// SPDX-License-Identifier: Apache-2.0
//
// The family gemm_packed as the compiler sees it: what it takes, what it
// offers, how schedules are written, and code generation of a whole module.

#include "compiler/target/cpu/gemm_packed/GemmPackedFamily.h"
#include "compiler/target/cpu/CpuTarget.h"
#include "compiler/target/cpu/gemm_packed/EnumerateSchedules.h"
#include "test/unit/compiler/target/cpu/gemm_packed/GemmRun.h"
#include "test/unit/dialects/kernel/TensorText.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"

#include <algorithm>
#include <cmath>
#include <set>

using namespace mlir;

namespace minic::cpu {
namespace {

const GemmPackedFamily family;

std::string linearBody(const std::string &x, const std::string &w,
                       const std::string &y) {
  return "%l = graph.linear %0, %1 : (" + x + ", " + w + ") -> " + y +
         "\nkernel.yield %l : " + y;
}

TEST(GemmPackedSchedule, AttributeRoundTrip) {
  MLIRContext context;
  GemmPackedSchedule schedule{14, 48,    2,     true,
                              20, false, false, GemmDot::Pairs};
  auto parsed = parseGemmPackedSchedule(toAttribute(schedule, &context),
                                        UnknownLoc::get(&context));
  ASSERT_TRUE(succeeded(parsed));
  EXPECT_EQ(*parsed, schedule);
  EXPECT_EQ(toString(schedule),
            "gemm_packed 14x48 ku=2 a=trans tc=20 order=tj split=m dot=pairs");
  schedule.splitN = schedule.alone = true;
  parsed = parseGemmPackedSchedule(toAttribute(schedule, &context),
                                   UnknownLoc::get(&context));
  ASSERT_TRUE(succeeded(parsed));
  EXPECT_EQ(*parsed, schedule);
  EXPECT_EQ(toString(schedule), "gemm_packed 14x48 ku=2 a=trans tc=20 order=tj "
                                "split=none dot=pairs");
  schedule.prefetch = true;
  parsed = parseGemmPackedSchedule(toAttribute(schedule, &context),
                                   UnknownLoc::get(&context));
  ASSERT_TRUE(succeeded(parsed));
  EXPECT_EQ(*parsed, schedule);
  EXPECT_EQ(toString(schedule), "gemm_packed 14x48 ku=2 a=trans tc=20 order=tj "
                                "split=none dot=pairs pf=l2");
}

TEST(GemmPackedSchedule, RejectsWhatItDoesNotKnow) {
  MLIRContext context;
  Builder b(&context);
  std::string message;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    message = diagnostic.str();
    return success();
  });
  auto parse = [&](StringRef key, Attribute value) {
    return parseGemmPackedSchedule(
        b.getDictionaryAttr(b.getNamedAttr(key, value)),
        UnknownLoc::get(&context));
  };
  EXPECT_TRUE(failed(parse("nr", b.getI64IntegerAttr(24))));
  EXPECT_EQ(message, "gemm_packed schedule expects nr in [16, 256] and a "
                     "multiple of 16, got 24 : i64");
  EXPECT_TRUE(failed(parse("mr", b.getI64IntegerAttr(0))));
  EXPECT_EQ(message, "gemm_packed schedule expects mr in [1, 16], got 0 : i64");
  EXPECT_TRUE(failed(parse("dot", b.getStringAttr("tens"))));
  EXPECT_EQ(message, "gemm_packed schedule expects dot to be \"fma\", "
                     "\"pairs\" or \"quads\", got \"tens\"");
  EXPECT_TRUE(failed(parse("order", b.getStringAttr("up"))));
  EXPECT_EQ(message, "gemm_packed schedule expects order to be \"jt\" or "
                     "\"tj\", got \"up\"");
  EXPECT_TRUE(failed(parse("split", b.getStringAttr("k"))));
  EXPECT_EQ(message, "gemm_packed schedule expects split to be \"n\", \"m\" or "
                     "\"none\", got \"k\"");
  EXPECT_TRUE(failed(parse("pf", b.getStringAttr("l1"))));
  EXPECT_EQ(message, "gemm_packed schedule expects pf to be \"l2\" or "
                     "\"none\", got \"l1\"");
  EXPECT_TRUE(failed(parse("stages", b.getI64IntegerAttr(3))));
  EXPECT_EQ(message, "gemm_packed schedule has no 'stages'");
}

TEST(GemmPackedFamily, OffersDistinctSchedulesForAnyShape) {
  const int64_t sizes[][3] = {{1, 1, 1},      {1, 4096, 4096}, {8, 1024, 1024},
                              {37, 513, 129}, {256, 1024, 0},  {0, 8, 8},
                              {8, 0, 8},      {2048, 10, 2048}};
  for (auto [m, n, k] : sizes) {
    for (std::string dtype : {"f32", "bf16", "f16"}) {
      std::string x = tensor({m, k}, dtype), w = tensor({n, k}, dtype),
                  y = tensor({m, n}, dtype);
      ParsedFusion parsed({x, w}, y, linearBody(x, w, y));
      for (std::string isa : {"v3", "v4"}) {
        DeviceProfile profile = getCpuProfile(2, isa);
        EXPECT_EQ(family.reject(parsed.get(), profile), std::nullopt);
        std::vector<Implementation> offers =
            family.enumerate(parsed.get(), profile);
        ASSERT_FALSE(offers.empty());
        EXPECT_LE(offers.size(), 28u);
        std::set<std::string> names;
        for (size_t i = 0; i != offers.size(); ++i) {
          EXPECT_TRUE(names.insert(offers[i].name).second) << offers[i].name;
          EXPECT_TRUE(std::isfinite(offers[i].estimateUs));
          EXPECT_TRUE(i == 0 ||
                      offers[i - 1].estimateUs <= offers[i].estimateUs);
          ASSERT_EQ(offers[i].operandLayouts.size(), 2u);
          EXPECT_TRUE(isa_and_nonnull<UnitAttr>(offers[i].operandLayouts[0]));
          EXPECT_TRUE(
              isa_and_nonnull<kernel::LayoutAttr>(offers[i].operandLayouts[1]));
        }
      }
    }
  }
}

TEST(GemmPackedFamily, OffersFirstWhatDoesNotSpill) {
  std::string x = tensor({128, 768}, "f32"), w = tensor({3072, 768}, "f32"),
              y = tensor({128, 3072}, "f32");
  ParsedFusion parsed({x, w}, y, linearBody(x, w, y));
  std::vector<Implementation> offers =
      family.enumerate(parsed.get(), getCpuProfile(1, "v3"));
  auto first = [&](StringRef tile) {
    return std::find_if(offers.begin(), offers.end(), [&](const auto &offer) {
      return StringRef(offer.name).contains(tile);
    });
  };
  // 3x32 takes 12 sums, 4 vectors of the panel and a broadcast: 17 of 16.
  // Whatever this machine's caches say of orders, 6x16 has them, too.
  ASSERT_NE(first("6x16"), offers.end());
  EXPECT_LT(first("6x16"), first("3x32"));
}

TEST(GemmPackedFamily, FetchesTheNextPanelWhereL3IsSlow) {
  std::string x = tensor({128, 768}, "f32"), w = tensor({3072, 768}, "f32"),
              y = tensor({128, 3072}, "f32");
  ParsedFusion parsed({x, w}, y, linearBody(x, w, y));
  DeviceProfile profile = getCpuProfile(1, "v4");
  auto fetching = [&](double l3GBs) {
    profile.l3GBs = l3GBs;
    return llvm::count_if(family.enumerate(parsed.get(), profile),
                          [](const Implementation &each) {
                            return StringRef(each.name).ends_with(" pf=l2");
                          });
  };
  EXPECT_GT(fetching(20), 0);
  EXPECT_EQ(fetching(75), 0);
  // Where tiles pass one by one, each with all panels, there is none.
  auto shape = kernel::FusionShape::get(parsed.get(), nullptr);
  ASSERT_TRUE(succeeded(shape));
  GemmPackedSchedule schedule;
  schedule.prefetch = true;
  EXPECT_TRUE(succeeded(GemmGeometry::get(*shape, schedule, nullptr)));
  schedule.panelsOutside = false;
  std::string reason;
  EXPECT_TRUE(failed(GemmGeometry::get(*shape, schedule, &reason)));
  EXPECT_EQ(reason, "there is no next panel to fetch while tiles meet one");
}

/// Weights of 3 MB: two threads have their halves in L2, one waits for L3, with
/// enough rows to multiply meanwhile or with one.
TEST(GemmPackedFamily, FetchesWhatIsNotInL2BehindProducts) {
  auto best = [&](int64_t rows, int threads) {
    std::string x = tensor({rows, 768}, "f32"), w = tensor({1024, 768}, "f32"),
                y = tensor({rows, 1024}, "f32");
    ParsedFusion parsed({x, w}, y, linearBody(x, w, y));
    DeviceProfile profile = getCpuProfile(threads, "v4");
    profile.l2Bytes = 2 << 20;
    profile.l3Bytes = 260 << 20;
    profile.l3GBs = 20, profile.memoryGBs = 21; // L3 is as slow as memory
    return StringRef(family.enumerate(parsed.get(), profile).front().name)
        .ends_with(" pf=l2");
  };
  EXPECT_TRUE(best(16, 1));
  EXPECT_FALSE(best(1, 1));
  EXPECT_FALSE(best(1, 2));
}

TEST(GemmPackedFamily, EveryOfferIsRight) {
  DeviceProfile profile = getCpuProfile(2);
  for (std::string dtype : {"f32", "bf16"}) {
    for (int64_t m : {1, 5, 29}) {
      int64_t n = 70, k = 33;
      std::string x = tensor({m, k}, dtype), w = tensor({n, k}, dtype),
                  y = tensor({m, n}, dtype);
      GemmRun run({x, w}, y, linearBody(x, w, y));
      for (const EstimatedSchedule &offer :
           enumerateSchedules(run.shape, profile)) {
        ASSERT_NO_FATAL_FAILURE(run.run(offer.schedule, "", 2));
        for (int64_t at = 0; at != m * n; ++at) {
          double sum = 0;
          for (int64_t i = 0; i != k; ++i) {
            sum += run.inputs[0].get(at / n * k + i) *
                   run.inputs[1].get(at % n * k + i);
          }
          ASSERT_NEAR(run.results[0].get(at), sum,
                      1e-4 + run.results[0].roundoff() * std::fabs(sum))
              << dtype << " m=" << m << " " << toString(offer.schedule);
        }
      }
    }
  }
}

TEST(GemmPackedFamily, SaysWhyNot) {
  DeviceProfile profile = getCpuProfile(1, "v3");
  std::string t = "tensor<4x4xf32>";
  auto why = [&](const std::string &body) {
    ParsedFusion parsed({t, t}, t, body);
    return family.reject(parsed.get(), profile).value_or("");
  };
  std::string multiply = "graph.matmul %0, %1 : (" + t + ", " + t + ") -> " + t;
  EXPECT_EQ(why("%2 = graph.add %0, %1 : (" + t + ", " + t + ") -> " + t +
                "\nkernel.yield %2 : " + t),
            "no contraction in the body");
  EXPECT_EQ(why("%2 = graph.relu %0 : " + t + "\n%3 = graph.matmul %2, %1 : (" +
                t + ", " + t + ") -> " + t + "\nkernel.yield %3 : " + t),
            "pointwise ops before the contraction");
  EXPECT_EQ(why("%2 = " + multiply + "\n%3 = graph.add %2, %1 : (" + t + ", " +
                t + ") -> " + t + "\nkernel.yield %3 : " + t),
            "rhs of the contraction has another use in the body");
  ParsedFusion parsed({t, t}, t,
                      "%2 = " + multiply + "\nkernel.yield %2 : " + t);
  DeviceProfile old = profile;
  old.features.clear();
  EXPECT_EQ(family.reject(parsed.get(), old), "the CPU lacks AVX2 or FMA");
}

TEST(CpuTarget, PutsAllKernelsIntoOneBinary) {
  DialectRegistry registry;
  registerDialects(registry);
  MLIRContext context(registry);
  const char *text = R"mlir(
    #panels = #kernel.layout<order = [0, 1], blocks = [[0, 32]], padded = [32, 8]>
    plan.kernel @k0 target "cpu" entries ["first"] {
    ^bb0(%x: tensor<4x8xf32>, %w: tensor<16x8xf32, #panels>):
      %r = kernel.fusion (%0 = %x : tensor<4x8xf32>, %1 = %w : tensor<16x8xf32, #panels>)
          -> tensor<4x16xf32> attributes {impl = #kernel.impl<family = "gemm_packed", schedule = {mr = 4 : i64, nr = 32 : i64}>} {
        %l = graph.linear %0, %1 : (tensor<4x8xf32>, tensor<16x8xf32>) -> tensor<4x16xf32>
        kernel.yield %l : tensor<4x16xf32>
      }
    }
    plan.kernel @k1 target "cpu" entries ["second"] {
    ^bb0(%x: tensor<4x8xf32>, %w: tensor<16x8xf32, #panels>):
      %r = kernel.fusion (%0 = %x : tensor<4x8xf32>, %1 = %w : tensor<16x8xf32, #panels>)
          -> tensor<4x16xf32> attributes {impl = #kernel.impl<family = "gemm_packed", schedule = {mr = 2 : i64, nr = 32 : i64, a = "trans"}>} {
        %l = graph.linear %0, %1 : (tensor<4x8xf32>, tensor<16x8xf32>) -> tensor<4x16xf32>
        %g = graph.gelu %l : tensor<4x16xf32>
        kernel.yield %g : tensor<4x16xf32>
      }
    }
  )mlir";
  auto module = parseSourceString<ModuleOp>(text, &context);
  ASSERT_TRUE(module);
  CpuTarget target(getCpuProfile(1));
  ASSERT_TRUE(succeeded(target.codegen(*module)));
  EXPECT_TRUE(succeeded(verify(*module)));
  ASSERT_EQ(llvm::range_size(module->getOps()), 1);
  auto binary = *module->getOps<plan::BinaryOp>().begin();
  EXPECT_EQ(binary.getKind(), "elf_shared_object");
  auto data = cast<DenseElementsAttr>(binary.getData()).getRawData();
  LoadedKernel loaded(std::string(data.begin(), data.end()));
  EXPECT_NE(loaded.entry("first"), nullptr);
  EXPECT_NE(loaded.entry("second"), nullptr);
  EXPECT_EQ(loaded.entry("first.tile4"), nullptr) << "internal, not exported";
}

} // namespace
} // namespace minic::cpu
