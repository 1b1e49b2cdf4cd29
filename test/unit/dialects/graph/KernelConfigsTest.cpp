// SPDX-License-Identifier: Apache-2.0
//
// The configurations that sizes leave, and their launches.

#include "dialects/graph/KernelConfigs.h"

#include "dialects/RegisterDialects.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"

#include "gmock/gmock.h"

using namespace mlir;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

namespace minic::graph {
namespace {

/// A kernel of [M, N] -> [M, N] with some attributes.
class Parsed {
public:
  Parsed(int64_t m, int64_t n, const std::string &attributes) {
    DialectRegistry registry;
    registerDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    std::string type =
        "tensor<" + std::to_string(m) + "x" + std::to_string(n) + "xf32>";
    module = parseSourceString<ModuleOp>(
        "func.func @main(%x: " + type + ") {\n %0 = graph.kernel @k(%x) {" +
            "language = \"cuda\", entry = \"k\", sources = [\"\"], "
            "dims = [[\"M\", \"N\"], [\"M\", \"N\"]], reference = @r, " +
            attributes + "} : (" + type + ") -> " + type + "\n return\n}",
        &context);
    if (module) {
      module->walk([&](KernelOp found) { op = found; });
    }
  }

  std::vector<std::string> names() {
    std::vector<std::string> names;
    for (const KernelConfig &config : SizedKernel(op).configs(why)) {
      names.push_back(config.text());
    }
    return names;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  KernelOp op;
  std::string why;
};

TEST(KernelConfigs, AreProductsAndLists) {
  Parsed parsed(100, 64,
                "configs = [{BM = [16, 32], BN = [8, 4]}, {BM = 1, BN = 1}], "
                "grid = \"1\", block = \"1\"");
  ASSERT_TRUE(parsed.op);
  EXPECT_THAT(parsed.names(),
              ElementsAre("BM=16 BN=8", "BM=16 BN=4", "BM=32 BN=8",
                          "BM=32 BN=4", "BM=1 BN=1"));
}

TEST(KernelConfigs, WithoutParametersIsOne) {
  Parsed parsed(100, 64, "grid = \"M\", block = \"1\"");
  ASSERT_TRUE(parsed.op);
  EXPECT_THAT(parsed.names(), ElementsAre(""));
}

TEST(KernelConfigs, FollowRulesOverTheKey) {
  std::string attributes = "configs = [{BM = [16, 32, 64]}], key = [\"M\"], "
                           "where = [\"M % BM == 0\"], block = \"BM\"";
  Parsed some(96, 64, attributes);
  ASSERT_TRUE(some.op);
  EXPECT_THAT(some.names(), ElementsAre("BM=16", "BM=32"));
  Parsed none(100, 64, attributes);
  EXPECT_THAT(none.names(), IsEmpty());
  EXPECT_EQ(none.why, "'M % BM == 0' is false for BM=16");
}

TEST(KernelConfigs, DeriveParametersInAnyOrder) {
  // `A` needs `Z`, which comes later in every order of names.
  Parsed parsed(100, 64,
                "configs = [{BM = [16, 32]}], key = [\"N\"], "
                "derived = {A = \"Z + 1\", Z = \"BM * N\"}, "
                "where = [\"A < 2000\"], grid = \"ceildiv(M, BM), N\", "
                "block = \"32, BM / 4\", shared = \"4 * Z\", "
                "scalars = [\"M * N\", \"BM - M\"]");
  ASSERT_TRUE(parsed.op);
  std::string why;
  SizedKernel sized(parsed.op);
  auto configs = sized.configs(why);
  ASSERT_EQ(configs.size(), 1u);
  EXPECT_EQ(configs[0].derived.lookup("A"), 1025);
  auto geometry = sized.geometry(configs[0], why);
  ASSERT_TRUE(geometry) << why;
  EXPECT_THAT(geometry->grid, ElementsAre(7, 64));
  EXPECT_THAT(geometry->block, ElementsAre(32, 4));
  EXPECT_EQ(geometry->sharedBytes, 4096);
  EXPECT_THAT(geometry->scalars, ElementsAre(6400, -84));
}

TEST(KernelConfigs, HaveNoLaunchWhereAFormulaHasNoValue) {
  Parsed parsed(100, 64,
                "configs = [{BM = 128}], grid = \"M / BM\", block = \"BM\"");
  ASSERT_TRUE(parsed.op);
  std::string why;
  SizedKernel sized(parsed.op);
  EXPECT_FALSE(sized.geometry(sized.configs(why)[0], why));
  EXPECT_EQ(why, "grid 'M / BM' is 0, expected at least 1");
}

TEST(KernelConfigs, AreFoundByTheirParameters) {
  Parsed parsed(100, 64,
                "configs = [{BM = [16, 32]}], grid = \"1\", block = \"1\"");
  ASSERT_TRUE(parsed.op);
  SizedKernel sized(parsed.op);
  Builder b(&parsed.context);
  auto named = [&](StringRef name, int64_t value) {
    return b.getDictionaryAttr(
        b.getNamedAttr(name, b.getI64IntegerAttr(value)));
  };
  auto found = sized.findConfig(named("BM", 32));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->number, 1u);
  EXPECT_FALSE(sized.findConfig(named("BM", 64)));
  EXPECT_FALSE(sized.findConfig(named("BN", 32)));
  EXPECT_FALSE(sized.findConfig(b.getDictionaryAttr({})));
}

} // namespace
} // namespace minic::graph
