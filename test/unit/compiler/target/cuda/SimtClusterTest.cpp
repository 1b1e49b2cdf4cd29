// SPDX-License-Identifier: Apache-2.0
//
// The interpreter's clusters: blocks that write each other's shared memory, and
// that what goes wrong on a GPU only sometimes is reported.

#include "test/unit/compiler/target/cuda/SimtInterpreter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Parser/Parser.h"

#include <gmock/gmock.h>

using namespace mlir;
using testing::ElementsAre;
using testing::HasSubstr;

namespace minic::cuda {
namespace {

/// Each block of a cluster of four sends its number in the grid to the next
/// one, which stores what it got.
constexpr const char *kernelText = R"mlir(
llvm.mlir.global external @shared() {addr_space = 3 : i32,
    alignment = 1024 : i64} : !llvm.array<0 x i8>
llvm.func @kernel(%out: !llvm.ptr<1>)
    attributes {nvvm.kernel, nvvm.cluster_dim = array<i32: 4, 1, 1>} {
  %t = nvvm.read.ptx.sreg.tid.x : i32
  %block = nvvm.read.ptx.sreg.ctaid.x : i32
  %shared = llvm.mlir.addressof @shared : !llvm.ptr<3>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %isFirst = arith.cmpi eq, %t, %c0 : i32
  nvvm.cluster.arrive.relaxed
  nvvm.cluster.wait
  %after = arith.addi %block, %c1 : i32
  %next = arith.remui %after, %c4 : i32
  scf.if %isFirst {
    %to = nvvm.mapa %shared, %next : !llvm.ptr<3> -> !llvm.ptr<7>
    llvm.store %block, %to {alignment = 4 : i64} : i32, !llvm.ptr<7>
  }
  nvvm.cluster.arrive
  nvvm.cluster.wait // met
  scf.if %isFirst {
    %got = llvm.load %shared {alignment = 4 : i64} : !llvm.ptr<3> -> i32
    %at = llvm.getelementptr %out[%block]
        : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    llvm.store %got, %at {alignment = 4 : i64} : i32, !llvm.ptr<1>
  }
  llvm.return
}
)mlir";

class SimtCluster : public testing::Test {
protected:
  SimtCluster() {
    context.loadDialect<arith::ArithDialect, LLVM::LLVMDialect,
                        NVVM::NVVMDialect, scf::SCFDialect>();
  }

  /// What the interpreter says of two clusters of the kernel with `to` in the
  /// place of `from`.
  std::string run(const std::string &from = "", const std::string &to = "") {
    std::string text = kernelText;
    size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
    auto device = parseSourceString<ModuleOp>(text, &context);
    EXPECT_TRUE(device) << text;
    results.assign(8, -1);
    return device ? interpret(*device, "kernel", 8, 64, 16,
                              {{reinterpret_cast<char *>(results.data()), 32}},
                              /*blocksY=*/1, /*clusterBlocks=*/4)
                  : "not parsed";
  }

  MLIRContext context;
  std::vector<int32_t> results;
};

TEST_F(SimtCluster, WritesSharedMemoryOfOthers) {
  ASSERT_EQ(run(), "");
  EXPECT_THAT(results, ElementsAre(3, 0, 1, 2, 7, 4, 5, 6));
}

TEST_F(SimtCluster, NeedsABarrierOfTheCluster) {
  const std::string meeting = "nvvm.cluster.arrive\n  nvvm.cluster.wait // met";
  EXPECT_THAT(run(meeting, "nvvm.barrier"),
              HasSubstr("shared memory that another block wrote is read"));
  EXPECT_THAT(run(meeting, "nvvm.cluster.arrive.relaxed\n  nvvm.cluster.wait"),
              HasSubstr("shared memory that another block wrote is read"));
}

TEST_F(SimtCluster, KnowsWhichBlocksRun) {
  EXPECT_THAT(run("nvvm.cluster.arrive.relaxed\n  nvvm.cluster.wait", ""),
              HasSubstr("a block that may not have begun"));
  EXPECT_THAT(run("%got = llvm.load %shared {alignment = 4 : i64} : "
                  "!llvm.ptr<3> -> i32",
                  "%got = arith.constant 5 : i32\n"
                  "%late = nvvm.mapa %shared, %next : !llvm.ptr<3> -> "
                  "!llvm.ptr<7>\n"
                  "llvm.store %got, %late {alignment = 4 : i64} : i32, "
                  "!llvm.ptr<7>"),
              HasSubstr("a block that may have ended"));
}

TEST_F(SimtCluster, WaitsForArrivals) {
  EXPECT_THAT(run("nvvm.cluster.arrive\n", ""), HasSubstr("do not alternate"));
  EXPECT_THAT(run("nvvm.cluster.wait // met", ""),
              HasSubstr("shared memory that another block wrote is read"));
  EXPECT_THAT(run("%isFirst {", "%isFirst {\n nvvm.cluster.arrive\n"),
              HasSubstr("a barrier in divergent code"));
}

TEST_F(SimtCluster, HasNoOtherBlocks) {
  EXPECT_THAT(run("%next : !llvm.ptr<3>", "%after : !llvm.ptr<3>"),
              HasSubstr("no such block in the cluster"));
}

} // namespace
} // namespace minic::cuda
