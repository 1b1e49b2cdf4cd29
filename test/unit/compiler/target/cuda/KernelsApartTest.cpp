// SPDX-License-Identifier: Apache-2.0
//
// Where kernels are kept apart each is a binary of its own, which launches
// name, and none is assembled twice.

#include "compiler/target/Target.h"
#include "compiler/target/cuda/CudaProfile.h"
#include "dialects/RegisterDialects.h"
#include "dialects/plan/Plan.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

#include <gmock/gmock.h>

#include <map>
#include <set>

using namespace mlir;

namespace minic::cuda {
namespace {

using testing::SizeIs;

/// Says how often the assembler was at work.
class CountingCache : public BinaryCache {
public:
  int assembled = 0;
  std::optional<AssembledBinary> find(const std::string &) override {
    return std::nullopt;
  }
  void put(const std::string &, const AssembledBinary &) override {
    ++assembled;
  }
};

class KernelsApartTest : public testing::Test {
protected:
  KernelsApartTest() {
    registerDialects(registry);
    context.appendDialectRegistry(registry);
    target = createCudaTarget(*getCudaProfile("h200"));
    target->setBinaryCache(&cache);
  }

  static std::string kernel(const std::string &entry, const std::string &op) {
    return "plan.kernel @" + entry + " target \"cuda\" entries [\"" + entry +
           "\"] {\n^bb0(%x: tensor<64xf32>):\n"
           "%r = kernel.fusion (%0 = %x : tensor<64xf32>) -> tensor<64xf32> "
           "attributes {impl = #kernel.impl<family = \"pointwise\", schedule = "
           "{threads = 64 : i64, unroll = 1 : i64, vector = 1 : i64}>} {\n"
           "%y = graph." +
           op +
           " %0 : tensor<64xf32>\nkernel.yield %y : tensor<64xf32>\n}\n}\n";
  }
  /// A kernel in PTX that the user brought; `source` is the digest of what it
  /// says.
  static std::string usersKernel(const std::string &entry) {
    return "plan.kernel @" + entry + " target \"cuda\" entries [\"" + entry +
           "\"] {\n^bb0(%x: tensor<64xf32>):\n"
           "%r = kernel.fusion (%0 = %x : tensor<64xf32>) -> tensor<64xf32> "
           "attributes {impl = #kernel.impl<family = \"user\", schedule = "
           "{config = {}, source = \"74de58556af1c914\"}>} {\n"
           "%y = graph.kernel @user(%0) {language = \"ptx\", entry = \"copy\", "
           "dims = [[\"N\"], [\"N\"]], grid = \"1\", block = \"N\", sources = "
           "[\".version 8.0\\0A.target sm_80\\0A.address_size 64\\0A"
           ".visible .entry copy(.param .u64 a, .param .u64 b) { ret; }\"]} "
           ": (tensor<64xf32>) -> tensor<64xf32> body {\n"
           "^bb0(%a: tensor<64xf32>):\n"
           "%b = graph.relu %a : tensor<64xf32>\n"
           "graph.yield %b : tensor<64xf32>\n}\n"
           "kernel.yield %y : tensor<64xf32>\n}\n}\n";
  }
  static std::string launch(const std::string &entry) {
    return "plan.launch \"" + entry +
           "\" grid [1](%x, %y) access [#plan<access read>, #plan<access "
           "write>]\n";
  }

  /// A plan of these entries, each with its op, after codegen.
  OwningOpRef<ModuleOp>
  generate(const std::map<std::string, std::string> &opOfEntry) {
    std::string text =
        "plan.function @main inputs [] outputs [] flops = 0 {\n"
        "plan.variant \"cuda\" isa [] threads = 1 prepare {} run "
        "{\n%x = plan.input 0\n%y = plan.output 0\n";
    for (const auto &[entry, op] : opOfEntry) {
      text += launch(entry);
    }
    text += "}\n}\n";
    for (const auto &[entry, op] : opOfEntry) {
      text += op == "user" ? usersKernel(entry) : kernel(entry, op);
    }
    auto module =
        parseSourceString<ModuleOp>(text, ParserConfig(&context, false));
    EXPECT_TRUE(module) << text;
    EXPECT_TRUE(module && succeeded(target->codegen(*module)));
    return module;
  }

  /// Of each binary that launches of `module` name, its bytes.
  static std::map<std::string, std::string> binariesOf(ModuleOp module) {
    std::map<std::string, std::string> found;
    SymbolTable symbols(module);
    module.walk([&](plan::LaunchOp launch) {
      auto binary = launch.getBinary()
                        ? symbols.lookup<plan::BinaryOp>(*launch.getBinary())
                        : plan::BinaryOp();
      ASSERT_TRUE(binary) << launch.getEntry().str();
      auto data = cast<DenseElementsAttr>(binary.getData()).getRawData();
      found[launch.getEntry().str()].assign(data.begin(), data.end());
    });
    return found;
  }

  DialectRegistry registry;
  MLIRContext context;
  CountingCache cache;
  std::unique_ptr<Target> target;
};

TEST_F(KernelsApartTest, EachHasABinaryAndNoneIsMadeTwice) {
  target->setKernelsApart(true);
  auto first = generate({{"one", "relu"}, {"two", "tanh"}});
  auto before = binariesOf(*first);
  ASSERT_THAT(before, SizeIs(2));
  EXPECT_NE(before["one"], before["two"]);
  EXPECT_EQ(cache.assembled, 2);
  auto second = generate({{"one", "relu"}, {"three", "exp"}});
  auto after = binariesOf(*second);
  EXPECT_EQ(after["one"], before["one"]);
  EXPECT_EQ(cache.assembled, 3);
  // Another kernel under a name that is known.
  auto third = generate({{"one", "exp"}});
  EXPECT_NE(binariesOf(*third)["one"], before["one"]);
  EXPECT_EQ(cache.assembled, 4);
}

/// Launches of a user's kernel get its own name, as where all are in one.
TEST_F(KernelsApartTest, NotBesideKernelsOfUsers) {
  target->setKernelsApart(true);
  auto module = generate({{"one", "relu"}, {"two", "tanh"}, {"mine", "user"}});
  EXPECT_THAT(llvm::to_vector(module->getOps<plan::BinaryOp>()), SizeIs(2));
  auto binaries = binariesOf(*module);
  ASSERT_THAT(binaries, SizeIs(3));
  EXPECT_EQ(binaries["one"], binaries["two"]);
}

TEST_F(KernelsApartTest, OtherwiseOneHasAll) {
  auto module = generate({{"one", "relu"}, {"two", "tanh"}});
  EXPECT_EQ(cache.assembled, 1);
  EXPECT_THAT(llvm::to_vector(module->getOps<plan::BinaryOp>()), SizeIs(1));
}

} // namespace
} // namespace minic::cuda
