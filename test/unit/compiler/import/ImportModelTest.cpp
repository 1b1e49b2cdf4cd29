// SPDX-License-Identifier: Apache-2.0
//
// Importing: weights are bound without copies, and stay mapped.

#include "compiler/import/ImportModel.h"
#include "dialects/RegisterDialects.h"
#include "dialects/graph/ConstantBytes.h"
#include "dialects/graph/Graph.h"
#include "test/unit/compiler/import/WeightsFolder.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/MLIRContext.h"

#include <gmock/gmock.h>

#include <cstring>

namespace minic {
namespace {

using testing::HasSubstr;

constexpr const char *model = R"(
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %w = graph.constant @w : tensor<2xf32>
  %again = graph.constant @w : tensor<2xf32>
  %0 = graph.add %x, %w : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %1 = graph.mul %0, %again : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}
func.func @other(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}
)";

constexpr const char *header =
    R"({"w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})";

class ImportModelTest : public testing::Test {
protected:
  ImportModelTest() {
    mlir::DialectRegistry registry;
    registerDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    handler.emplace(&context, [this](mlir::Diagnostic &diagnostic) {
      errors += diagnostic.str() + "\n";
      return mlir::success();
    });
  }

  mlir::FailureOr<ImportedModel> import(const ImportOptions &options = {}) {
    folder.write("m.mlir", model);
    return importModel(folder / "m.mlir", context, options);
  }
  static std::vector<graph::ConstantOp> constants(mlir::ModuleOp module) {
    std::vector<graph::ConstantOp> found;
    module.walk([&](graph::ConstantOp op) { found.push_back(op); });
    return found;
  }
  static llvm::ArrayRef<char> bytes(graph::ConstantOp op) {
    auto value = llvm::cast<mlir::DenseResourceElementsAttr>(op.getValueAttr());
    return value.getRawHandle().getBlob()->getData();
  }
  /// Whether `data` lies in a mapping of the file `name`.
  static bool isMapped(llvm::ArrayRef<char> data, const std::string &name) {
    std::ifstream maps("/proc/self/maps");
    auto address = reinterpret_cast<uintptr_t>(data.data());
    for (std::string line; std::getline(maps, line);) {
      uintptr_t begin = 0, end = 0;
      if (std::sscanf(line.c_str(), "%lx-%lx", &begin, &end) == 2 &&
          begin <= address && address < end) {
        return line.find(name) != std::string::npos;
      }
    }
    return false;
  }

  WeightsFolder folder;
  mlir::MLIRContext context;
  std::optional<mlir::ScopedDiagnosticHandler> handler;
  std::string errors;
};

TEST_F(ImportModelTest, WeightsPointIntoTheMapping) {
  // Larger than what is read rather than mapped.
  std::string data(1 << 20, '\0');
  std::memcpy(data.data(), "12345678", 8);
  folder.writeWeights("m.safetensors", header, data);
  auto imported = import();
  ASSERT_TRUE(mlir::succeeded(imported)) << errors;
  EXPECT_EQ(imported->weightsPath, folder / "m.safetensors");
  EXPECT_EQ(imported->weightsHash.size(), 16u);
  auto found = constants(*imported->module);
  ASSERT_EQ(found.size(), 2u);
  llvm::ArrayRef<char> first = bytes(found[0]);
  EXPECT_EQ(std::string(first.begin(), first.end()), "12345678");
  EXPECT_TRUE(isMapped(first, "m.safetensors"));
  // The same tensor twice is the same bytes, not merely equal ones.
  EXPECT_EQ(bytes(found[1]).data(), first.data());
  // The bytes outlive the module: they are the context's.
  imported->module = nullptr;
  EXPECT_EQ(std::string(first.begin(), first.end()), "12345678");
}

TEST_F(ImportModelTest, WhatIsMisalignedInTheFileIsCopiedWhenItIsRead) {
  std::string data(1 << 20, '\0');
  std::memcpy(data.data(), "12345678", 8);
  folder.writeWeights("m.safetensors", header, data, /*shift=*/3);
  auto imported = import();
  ASSERT_TRUE(mlir::succeeded(imported)) << errors;
  graph::ConstantOp constant = constants(*imported->module)[0];
  EXPECT_TRUE(isMapped(bytes(constant), "m.safetensors"));
  auto copy = graph::ConstantBytes::get(constant.getValueAttr());
  ASSERT_TRUE(mlir::succeeded(copy));
  llvm::ArrayRef<char> read = copy->bytes();
  EXPECT_EQ(std::string(read.begin(), read.end()), "12345678");
  EXPECT_EQ(reinterpret_cast<uintptr_t>(read.data()) % alignof(float), 0u);
  EXPECT_FALSE(isMapped(read, "m.safetensors"));
}

TEST_F(ImportModelTest, ArgumentsKeepTheirNames) {
  folder.writeWeights("other.safetensors", header, "12345678");
  auto imported = import({folder / "other.safetensors", {"main"}});
  ASSERT_TRUE(mlir::succeeded(imported)) << errors;
  EXPECT_EQ(imported->weightsPath, folder / "other.safetensors");
  auto main = imported->module->lookupSymbol<mlir::func::FuncOp>("main");
  ASSERT_TRUE(main);
  auto name = main.getArgAttrOfType<mlir::StringAttr>(0, "graph.name");
  ASSERT_TRUE(name);
  EXPECT_EQ(name.getValue(), "x");
  EXPECT_FALSE(imported->module->lookupSymbol("other"));
}

TEST_F(ImportModelTest, WhatNeedsNoWeightsReadsNone) {
  auto imported = import({"", {"other"}});
  ASSERT_TRUE(mlir::succeeded(imported)) << errors;
  EXPECT_EQ(imported->weightsPath, "");
  EXPECT_EQ(imported->weightsHash, "");
}

TEST_F(ImportModelTest, FailuresAreDiagnosed) {
  EXPECT_TRUE(mlir::failed(import()));
  EXPECT_THAT(errors, HasSubstr("m.safetensors"));
  errors.clear();
  folder.writeWeights("m.safetensors", header, "1234567");
  EXPECT_TRUE(mlir::failed(import()));
  EXPECT_THAT(errors, HasSubstr("truncated?"));
  errors.clear();
  EXPECT_TRUE(mlir::failed(import({"", {"third"}})));
  EXPECT_THAT(errors, HasSubstr("no function @third in the model"));
  errors.clear();
  EXPECT_TRUE(mlir::failed(
      importModel(folder / "none.mlir", context, ImportOptions())));
  EXPECT_THAT(errors, HasSubstr("cannot open"));
}

} // namespace
} // namespace minic
