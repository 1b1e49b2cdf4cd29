// SPDX-License-Identifier: Apache-2.0
//
// Schedules of both libraries as attributes, and what is none.

#include "compiler/target/cuda/LibrarySchedule.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"
#include "gmock/gmock.h"

using ::testing::AllOf;
using ::testing::HasSubstr;

namespace minic::cuda {
namespace {

class LibraryScheduleTest : public ::testing::Test {
protected:
  mlir::FailureOr<LibrarySchedule> parse(mlir::DictionaryAttr attribute,
                                         const LibraryGrammar &grammar) {
    mlir::ScopedDiagnosticHandler handler(&context,
                                          [&](mlir::Diagnostic &diagnostic) {
                                            error = diagnostic.str();
                                            return mlir::success();
                                          });
    return LibrarySchedule::parse(attribute, grammar, b.getUnknownLoc());
  }

  /// The diagnostic for a schedule of that entry alone.
  std::string errorOf(const LibraryGrammar &grammar, llvm::StringRef name,
                      mlir::Attribute value) {
    error = "none";
    auto attribute = b.getDictionaryAttr(b.getNamedAttr(name, value));
    EXPECT_TRUE(failed(parse(attribute, grammar))) << name.str();
    return error;
  }

  mlir::MLIRContext context;
  mlir::Builder b{&context};
  std::string error;
};

TEST_F(LibraryScheduleTest, RoundTrips) {
  for (auto [grammar, form, text] :
       {std::tuple(&cublasGrammar, "padded", std::string(128, 'a')),
        std::tuple(&cudnnGrammar, "nhwc", std::string("eng38_k2=5"))}) {
    LibrarySchedule schedule;
    schedule.form = form;
    schedule.isTf32 = true;
    schedule.scratchBytes = 4096;
    schedule.algorithm = "13.1.0:" + text;
    auto again = parse(schedule.toAttribute(&context), *grammar);
    ASSERT_TRUE(succeeded(again)) << error;
    EXPECT_EQ(again->toAttribute(&context), schedule.toAttribute(&context));
    EXPECT_EQ(again->form, form);
    EXPECT_EQ(again->compute(), "tf32");
    EXPECT_EQ(again->version(), "13.1.0");
    EXPECT_EQ(again->versionsAlgorithm(), text);
  }
}

TEST_F(LibraryScheduleTest, WhatIsNotDecidedIsNotWritten) {
  mlir::DictionaryAttr written = LibrarySchedule().toAttribute(&context);
  EXPECT_EQ(written.size(), 2u);
  EXPECT_TRUE(written.contains("compute"));
  EXPECT_TRUE(written.contains("scratch_bytes"));
  EXPECT_TRUE(succeeded(parse({}, cudnnGrammar)));
}

TEST_F(LibraryScheduleTest, AnothersIsADiagnostic) {
  EXPECT_THAT(errorOf(cublasGrammar, "form", b.getStringAttr("nhwc")),
              AllOf(HasSubstr("a schedule of cuBLAS: expects form, compute, "
                              "scratch_bytes and algorithm, got"),
                    HasSubstr("nhwc")));
  EXPECT_THAT(errorOf(cudnnGrammar, "form", b.getStringAttr("padded")),
              HasSubstr("a schedule of cuDNN: expects form"));
  EXPECT_THAT(errorOf(cudnnGrammar, "scratch_bytes", b.getI64IntegerAttr(-1)),
              HasSubstr("expects form"));
  std::string hex(128, 'a');
  EXPECT_THAT(errorOf(cudnnGrammar, "algorithm", b.getStringAttr("1:" + hex)),
              HasSubstr("a version, a colon and an engine"));
  for (const std::string &bad : {hex, ":" + hex, std::string("13.1.0:eng1"),
                                 "13.1.0:" + std::string(128, 'x')}) {
    EXPECT_THAT(errorOf(cublasGrammar, "algorithm", b.getStringAttr(bad)),
                HasSubstr("a colon and 64 bytes in hexadecimal"));
  }
}

} // namespace
} // namespace minic::cuda
