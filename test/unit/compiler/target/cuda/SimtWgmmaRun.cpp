// SPDX-License-Identifier: Apache-2.0
//
// The kernel's text, its operands in shared memory and its fragments.

#include "test/unit/compiler/target/cuda/SimtWgmmaRun.h"

#include "test/unit/compiler/target/cuda/SimtInterpreter.h"
#include "test/unit/compiler/target/cuda/SimtValues.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

#include <random>

using namespace mlir;

namespace minic::cuda {

/// Copies all stages, each rows of A and then of B, and multiplies them stage
/// by stage, a wgmma group each. $...$ stands for a number or text.
constexpr const char *kernelText = R"mlir(
llvm.mlir.global external @shared() {addr_space = 3 : i32,
    alignment = 1024 : i64} : !llvm.array<0 x i8>
llvm.func @kernel(%image: !llvm.ptr<1>, %out: !llvm.ptr<1>)
    attributes {nvvm.kernel, nvvm.maxntid = array<i32: $threads$>} {
  %t = nvvm.read.ptx.sreg.tid.x : i32
  %shared = llvm.mlir.addressof @shared : !llvm.ptr<3>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c16 = arith.constant 16 : i32
  %chunks = arith.constant $chunks$ : i32
  %threads = arith.constant $threads$ : i32
  scf.for %i = %t to %chunks step %threads : i32 {
    %at = arith.muli %i, %c16 : i32
    %to = llvm.getelementptr %shared[%at]
        : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
    %from = llvm.getelementptr %image[%at]
        : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i8
    nvvm.cp.async.shared.global %to, %from, 16, cache = cg
        : !llvm.ptr<3>, !llvm.ptr<1>
  }
  nvvm.cp.async.commit.group
  nvvm.cp.async.wait.group 0
  nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>,
                    space = #nvvm.shared_space<cta>}
  nvvm.barrier
  %four = arith.constant 4 : i64
  %base = llvm.ptrtoint %shared : !llvm.ptr<3> to i64
  %start = arith.shrui %base, %four : i64
  %matrix = arith.constant $matrix$ : i64
  %first = arith.addi %start, %matrix : i64
  %groupThreads = arith.constant 128 : i32
  %group = arith.divui %t, %groupThreads : i32
  %group64 = arith.extui %group : i32 to i64
  %lhsGroup = arith.constant $lhsGroup$ : i64
  %ofGroup = arith.muli %group64, %lhsGroup : i64
  %lhsBytes = arith.constant $lhsBytes$ : i64
  %stageBytes = arith.constant $stageBytes$ : i64
  %lhs0 = arith.addi %first, %ofGroup : i64
  %rhs0 = arith.addi %first, %lhsBytes : i64
  %sums0 = llvm.mlir.zero : $sums$
  %stages = arith.constant $stages$ : i32
  %sums:3 = scf.for %stage = %c0 to %stages step %c1
      iter_args(%s0 = %sums0, %lhs = %lhs0, %rhs = %rhs0)
      -> ($sums$, i64, i64) : i32 {
    nvvm.wgmma.fence.aligned
$products$
    nvvm.wgmma.commit.group.sync.aligned
    nvvm.wgmma.wait.group.sync.aligned 1
    %lhsNext = arith.addi %lhs, %stageBytes : i64
    %rhsNext = arith.addi %rhs, %stageBytes : i64
    scf.yield %s$steps$, %lhsNext, %rhsNext : $sums$, i64, i64
  }
$pending$
  %done = llvm.inline_asm has_side_effects asm_dialect = att
      "wgmma.wait_group.sync.aligned 0;", "$constraints$"
      $operands$ -> $sums$
  %count = arith.constant $count$ : i32
  %position = arith.muli %t, %count : i32
  %result = llvm.getelementptr %out[%position]
      : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
$stores$
  llvm.return
}
)mlir";

static void replaceAll(std::string &text, const std::string &from,
                       const std::string &to) {
  size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  for (; at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

WgmmaRun::WgmmaRun(int64_t n, int64_t rowBytes, const std::string &dtype,
                   int64_t stages, int64_t groups)
    : n(n), rowBytes(rowBytes), stages(stages), groups(groups), dtype(dtype),
      k(stages * rowBytes / 2), lhs(size_t(64 * groups * k)),
      rhs(size_t(n * k)) {
  context_.loadDialect<arith::ArithDialect, LLVM::LLVMDialect,
                       NVVM::NVVMDialect, scf::SCFDialect>();
  std::mt19937 random(7);
  for (auto *operand : {&lhs, &rhs}) {
    for (double &element : *operand) {
      element = double(random() % 17) - 8;
    }
  }
}

std::string WgmmaRun::run(const Changes &changes) {
  std::string text = kernel(changes);
  auto device = parseSourceString<ModuleOp>(text, &context_);
  EXPECT_TRUE(device) << text;
  if (!device) {
    return "not parsed";
  }
  std::vector<char> image = makeImage();
  results.assign(size_t(64 * groups * n), 0);
  return interpret(*device, "kernel", 1, 128 * groups, int64_t(image.size()),
                   {{image.data(), int64_t(image.size())},
                    {reinterpret_cast<char *>(results.data()),
                     int64_t(results.size() * 4)}});
}

/// Which thread's register the element is.
float WgmmaRun::at(int64_t row, int64_t column) const {
  int64_t lane = row % 8 * 4 + column % 8 / 2;
  int64_t t = row / 16 * 32 + lane;
  int64_t i = column / 8 * 4 + row % 16 / 8 * 2 + column % 2;
  return results[size_t(t * n / 2 + i)];
}

double WgmmaRun::expected(int64_t row, int64_t column) const {
  double sum = 0;
  for (int64_t i = 0; i != k; ++i) {
    sum += lhs[size_t(row * k + i)] * rhs[size_t(column * k + i)];
  }
  return sum;
}

void WgmmaRun::check() {
  ASSERT_EQ(run(), "");
  for (int64_t row = 0; row != 64 * groups; ++row) {
    for (int64_t column = 0; column != n; ++column) {
      ASSERT_EQ(double(at(row, column)), expected(row, column))
          << row << ", " << column;
    }
  }
}

std::string WgmmaRun::kernel(const Changes &changes) const {
  const int64_t count = n / 2, steps = rowBytes / 32;
  std::string sums = "!llvm.struct<(f32", products, pending, constraints,
              operands, types, stores;
  for (int64_t i = 1; i != count; ++i) {
    sums += ", f32";
  }
  sums += ")>";
  for (int64_t i = 0; i != steps; ++i) {
    std::string j = std::to_string(i), type = "[<" + dtype + ">, <one>, ";
    products += "%by" + j + " = arith.constant " + std::to_string(2 * i) +
                " : i64\n%lhs_" + j + " = arith.addi %lhs, %by" + j +
                " : i64\n%rhs_" + j + " = arith.addi %rhs, %by" + j +
                " : i64\n%s" + std::to_string(i + 1) +
                " = nvvm.wgmma.mma_async %lhs_" + j + ", %rhs_" + j + ", %s" +
                j + ", #nvvm.shape<m = 64, n = " + std::to_string(n) +
                ", k = 16>, D [<f32>, <one>], A " + type + "<row>], B " + type +
                "<col>] : " + sums + " -> " + sums + "\n";
  }
  for (int64_t i = 0; i != count; ++i) {
    std::string j = std::to_string(i), comma = i == 0 ? "" : ", ";
    pending +=
        "%p" + j + " = llvm.extractvalue %sums#0[" + j + "] : " + sums + "\n";
    constraints = "=f," + constraints + j + ",";
    operands += comma + "%p" + j;
    types += comma + "f32";
    stores += "%r" + j + " = llvm.extractvalue %done[" + j + "] : " + sums +
              "\n%to" + j + " = llvm.getelementptr %result[" + j +
              "] : (!llvm.ptr<1>) -> !llvm.ptr<1>, f32\nllvm.store %r" + j +
              ", %to" + j + " : f32, !llvm.ptr<1>\n";
  }
  uint64_t layout = rowBytes == 128 ? 1 : rowBytes == 64 ? 2 : 3;
  uint64_t matrix = layout << 62 | uint64_t(8 * rowBytes / 16) << 32;
  std::string text = kernelText;
  auto set = [&](const std::string &name, const std::string &value) {
    replaceAll(text, "$" + name + "$", value);
  };
  set("threads", std::to_string(128 * groups));
  set("chunks", std::to_string(stages * stageBytes() / 16));
  set("matrix", std::to_string(int64_t(matrix)));
  set("lhsGroup", std::to_string(64 * rowBytes / 16));
  set("lhsBytes", std::to_string(64 * groups * rowBytes / 16));
  set("stageBytes", std::to_string(stageBytes() / 16));
  set("stages", std::to_string(stages));
  set("products", products);
  set("steps", std::to_string(steps));
  set("pending", pending);
  set("constraints", constraints + "~{memory}");
  set("operands", operands + " : (" + types + ")");
  set("count", std::to_string(count));
  set("stores", stores);
  for (const auto &[from, to] : changes) {
    replaceAll(text, from, to);
  }
  set("sums", sums);
  return text;
}

/// 16-byte chunks of K are exchanged by row.
std::vector<char> WgmmaRun::makeImage() {
  std::vector<char> image(size_t(stages * stageBytes()));
  FloatType type = dtype == "bf16" ? FloatType(BFloat16Type::get(&context_))
                                   : FloatType(Float16Type::get(&context_));
  auto place = [&](ArrayRef<double> matrix, int64_t offset) {
    for (auto [at, element] : llvm::enumerate(matrix)) {
      int64_t row = int64_t(at) / k, column = int64_t(at) % k;
      int64_t stage = column / (rowBytes / 2);
      int64_t x = column % (rowBytes / 2) * 2;
      int64_t flip = rowBytes == 128  ? row % 8
                     : rowBytes == 64 ? row / 2 % 4
                                      : row / 4 % 2;
      int64_t to = stage * stageBytes() + offset + row * rowBytes +
                   (x / 16 ^ flip) * 16 + x % 16;
      uint64_t bits = encode(element, type);
      std::memcpy(image.data() + to, &bits, 2);
    }
  };
  place(lhs, 0);
  place(rhs, 64 * groups * rowBytes);
  return image;
}

} // namespace minic::cuda
