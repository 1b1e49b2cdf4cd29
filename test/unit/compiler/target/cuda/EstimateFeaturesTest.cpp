// SPDX-License-Identifier: Apache-2.0
//
// The features of corrections are those that the fitting script has: both are
// held to test/inputs/estimate_features.json.

#include "compiler/target/cuda/EstimateFeatures.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

#include "gtest/gtest.h"

#include <map>

namespace minic::cuda {
namespace {

int64_t sizeOf(const llvm::json::Object &sizes, llvm::StringRef name) {
  return sizes.getInteger(name).value_or(0);
}

TEST(EstimateFeatures, AreThoseOfTheScript) {
  auto file =
      llvm::MemoryBuffer::getFile(MINIC_TEST_INPUTS "/estimate_features.json");
  ASSERT_TRUE(bool(file));
  llvm::Expected<llvm::json::Value> table =
      llvm::json::parse((*file)->getBuffer());
  ASSERT_TRUE(bool(table)) << llvm::toString(table.takeError());
  const llvm::json::Array *cases = table->getAsArray();
  ASSERT_TRUE(cases && cases->size() >= 7);
  mlir::MLIRContext context;
  for (const llvm::json::Value &value : *cases) {
    const llvm::json::Object &entry = *value.getAsObject();
    const llvm::json::Object &known = *entry.getObject("sizes");
    ProductSizes sizes{sizeOf(known, "m"), sizeOf(known, "n"),
                       sizeOf(known, "k"), sizeOf(known, "bytes"),
                       sizeOf(known, "convolution") == 1};
    auto schedule = llvm::dyn_cast_or_null<mlir::DictionaryAttr>(
        mlir::parseAttribute(*entry.getString("schedule"), &context));
    ASSERT_TRUE(schedule);
    llvm::StringRef family = *entry.getString("family");
    EXPECT_EQ(groupOf(family, sizes, schedule), *entry.getString("group"));
    EstimateFeatures features = getEstimateFeatures(
        family, sizes, schedule, *entry.getNumber("estimate_us"), 132);
    std::map<std::string, double> found(features.begin(), features.end());
    EXPECT_EQ(found.size(), features.size());
    const llvm::json::Object &expected = *entry.getObject("features");
    EXPECT_EQ(found.size(), expected.size());
    for (const auto &[key, number] : expected) {
      std::string name = key.str();
      auto mine = found.find(name);
      ASSERT_NE(mine, found.end()) << name;
      EXPECT_NEAR(mine->second, *number.getAsNumber(), 1e-5)
          << name << " of " << family.str();
    }
  }
}

} // namespace
} // namespace minic::cuda
