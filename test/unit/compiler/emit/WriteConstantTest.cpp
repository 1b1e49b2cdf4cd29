// SPDX-License-Identifier: Apache-2.0
//
// Values that are moved are written as the same elements in their order are.

#include "compiler/emit/WriteConstant.h"
#include "dialects/RegisterDialects.h"
#include "dialects/graph/ConstantBytes.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

namespace minic {
namespace {

class WriteConstantTest : public testing::Test {
protected:
  WriteConstantTest() {
    mlir::DialectRegistry registry;
    registerDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  mlir::ElementsAttr parse(llvm::StringRef value) {
    return llvm::dyn_cast_if_present<mlir::ElementsAttr>(
        mlir::parseAttribute(value, &context));
  }

  /// What is appended of `value`, laid out as `type`.
  std::string write(llvm::StringRef type, mlir::ElementsAttr value) {
    std::string bytes;
    absl::Status status = writeConstant(
        llvm::cast<mlir::RankedTensorType>(mlir::parseType(type, &context)),
        value, [&](absl::Span<const std::byte> piece) {
          bytes.append(reinterpret_cast<const char *>(piece.data()),
                       piece.size());
          return absl::OkStatus();
        });
    EXPECT_TRUE(status.ok()) << status;
    return bytes;
  }

  void expectSame(llvm::StringRef type, llvm::StringRef moved,
                  llvm::StringRef dense) {
    mlir::ElementsAttr value = parse(moved), expected = parse(dense);
    ASSERT_TRUE(value) << moved.str();
    ASSERT_TRUE(expected) << dense.str();
    EXPECT_EQ(value.getType(), expected.getType());
    EXPECT_TRUE(graph::hasBytes(value));
    auto bytes = graph::ConstantBytes::get(value);
    ASSERT_TRUE(mlir::succeeded(bytes));
    EXPECT_EQ(bytes->bytes(), graph::ConstantBytes::get(expected)->bytes());
    EXPECT_EQ(write(type, value), write(type, expected)) << type.str();
  }

  mlir::MLIRContext context;
};

constexpr const char *matrix =
    "dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>";
constexpr const char *turned =
    "dense<[[1, 4], [2, 5], [3, 6]]> : tensor<3x2xi32>";

TEST_F(WriteConstantTest, transposedOnes) {
  std::string moved = "#graph.transposed<" + std::string(matrix) +
                      ", [1, 0]> : tensor<3x2xi32>";
  expectSame("tensor<3x2xi32>", moved, turned);
  expectSame("tensor<3x2xi32, #kernel.layout<order = [0, 1], "
             "blocks = [[0, 2], [1, 4]], padded = [4, 4]>>",
             moved, turned);
  expectSame("tensor<3x2xi32, #kernel.layout<order = [1, 0], blocks = [], "
             "padded = [3, 2]>>",
             moved, turned);
  expectSame("tensor<2x1x2xi8>",
             "#graph.transposed<dense<[[[1, 2], [3, 4]]]> : tensor<1x2x2xi8>, "
             "[2, 0, 1]> : tensor<2x1x2xi8>",
             "dense<[[[1, 3]], [[2, 4]]]> : tensor<2x1x2xi8>");
}

TEST_F(WriteConstantTest, concatenatedOnes) {
  std::string one = "#graph.transposed<" + std::string(matrix) +
                    ", [1, 0]> : tensor<3x2xi32>";
  std::string rows = "#graph.concatenated<[" + one +
                     ", dense<7> : tensor<1x2xi32>], 0> : tensor<4x2xi32>";
  std::string dense =
      "dense<[[1, 4], [2, 5], [3, 6], [7, 7]]> : tensor<4x2xi32>";
  expectSame("tensor<4x2xi32>", rows, dense);
  expectSame("tensor<4x2xi32, #kernel.layout<order = [0, 1], "
             "blocks = [[0, 4]], padded = [4, 2]>>",
             rows, dense);
  expectSame("tensor<3x3xi32>",
             "#graph.concatenated<[" + one +
                 ", dense<7> : tensor<3x1xi32>], 1> : tensor<3x3xi32>",
             "dense<[[1, 4, 7], [2, 5, 7], [3, 6, 7]]> : tensor<3x3xi32>");
  expectSame("tensor<2x4xi32>",
             "#graph.transposed<" + rows + ", [1, 0]> : tensor<2x4xi32>",
             "dense<[[1, 2, 3, 7], [4, 5, 6, 7]]> : tensor<2x4xi32>");
}

TEST_F(WriteConstantTest, reshapedOnes) {
  // Rows of two matrices in turn.
  std::string gate = "dense<[[[1, 2]], [[3, 4]]]> : tensor<2x1x2xi32>";
  std::string value = "dense<[[[5, 6]], [[7, 8]]]> : tensor<2x1x2xi32>";
  std::string both = "#graph.reshaped<#graph.concatenated<[" + gate + ", " +
                     value + "], 1> : tensor<2x2x2xi32>> : tensor<4x2xi32>";
  std::string dense =
      "dense<[[1, 2], [5, 6], [3, 4], [7, 8]]> : tensor<4x2xi32>";
  expectSame("tensor<4x2xi32>", both, dense);
  expectSame("tensor<4x2xi32, #kernel.layout<order = [1, 0], blocks = [], "
             "padded = [4, 3]>>",
             both, dense);
  expectSame("tensor<6xi32>",
             "#graph.reshaped<#graph.transposed<" + std::string(matrix) +
                 ", [1, 0]> : tensor<3x2xi32>> : tensor<6xi32>",
             "dense<[1, 4, 2, 5, 3, 6]> : tensor<6xi32>");
}

TEST_F(WriteConstantTest, valuesWithoutBytes) {
  mlir::ElementsAttr value =
      parse("#graph.transposed<dense_resource<missing> : tensor<2x3xf32>, "
            "[1, 0]> : tensor<3x2xf32>");
  ASSERT_TRUE(value);
  EXPECT_FALSE(graph::hasBytes(value));
  EXPECT_TRUE(mlir::failed(graph::ConstantBytes::get(value)));
  auto type = llvm::cast<mlir::RankedTensorType>(value.getType());
  EXPECT_FALSE(writeConstant(type, value, [](absl::Span<const std::byte>) {
                 return absl::OkStatus();
               }).ok());
}

} // namespace
} // namespace minic
