// SPDX-License-Identifier: Apache-2.0
//
// Kernels of runs that have fewer rows than their bucket: rows of the run are
// as ever, and tiles behind them are neither computed nor written.

#include "dialects/kernel/RunRows.h"
#include "compiler/target/OfferFusion.h"
#include "compiler/target/cpu/KernelAbi.h"
#include "compiler/target/cpu/attention/AttentionFamily.h"
#include "compiler/target/cpu/conv_direct/ConvDirectFamily.h"
#include "compiler/target/cpu/gemm_amx/GemmAmxFamily.h"
#include "compiler/target/cpu/gemm_packed/GemmPackedFamily.h"
#include "compiler/target/cpu/gemm_packed/GemmPackedSchedule.h"
#include "compiler/target/cpu/images/ImagesFamily.h"
#include "compiler/target/cpu/loops/LoopsFamily.h"
#include "compiler/target/cpu/pointwise/PointwiseFamily.h"
#include "compiler/target/cpu/rows/RowsFamily.h"
#include "runtime/device/cpu/CpuFeatures.h"
#include "runtime/device/cpu/TileState.h"
#include "runtime/format/Packer.h"
#include "test/unit/compiler/target/cpu/LoweredFusion.h"
#include "test/unit/compiler/target/cpu/conv_direct/ConvCase.h"
#include "test/unit/compiler/target/cpu/gemm_amx/AmxProfile.h"
#include "test/unit/compiler/target/cpu/gemm_packed/TestTensor.h"
#include "test/unit/compiler/target/cuda/LoweredCall.h"
#include "test/unit/dialects/kernel/ParsedFusion.h"
#include "test/unit/dialects/kernel/TensorText.h"

using namespace mlir;

namespace minic::cpu {
namespace {

class RunRowsTest : public ::testing::Test {
protected:
  /// A fusion in a bucket of `size` rows.
  RunRowsTest() : profile(getCpuProfile(2)) {}

  void make(const std::vector<std::string> &arguments,
            const std::string &results, const std::string &body, int64_t size) {
    parsed = std::make_unique<ParsedFusion>(arguments, results, body);
    this->size = size;
    kernel::FusionOp fusion = parsed->get();
    Builder b(fusion.getContext());
    kernel::RunRows{b.getStringAttr("T"), size}.set(fusion);
  }

  /// Behind what a run needs less than `tile` elements of the result are
  /// computed.
  void check(const KernelFamily &family, const Implementation &offer,
             int64_t tile) {
    SCOPED_TRACE(offer.name);
    TestTensor whole = run(family, offer, 0);
    int64_t bytes = whole.elementBytes();
    for (int64_t rows : {int64_t(1), size / 2 - 1, size / 2, size - 1, size}) {
      SCOPED_TRACE(rows);
      TestTensor got = run(family, offer, uint32_t(rows));
      int64_t needed = whole.elements() / size * rows;
      int64_t end = needed + tile - 1;
      EXPECT_EQ(std::memcmp(got.data(), whole.data(), size_t(needed * bytes)),
                0);
      for (int64_t i = end * bytes; i < whole.elements() * bytes; ++i) {
        ASSERT_EQ(got.data()[i], char(0xff)) << "written behind the run, " << i;
      }
      EXPECT_TRUE(got.guardIntact());
    }
  }

  TestTensor run(const KernelFamily &family, const Implementation &offer,
                 uint32_t rows) {
    kernel::FusionOp fusion = parsed->get();
    cuda::implement(fusion, offer);
    std::vector<TestTensor> inputs;
    std::vector<std::vector<char>> packed;
    std::vector<void *> addresses;
    uint64_t seed = 1;
    for (auto [input, layout] :
         llvm::zip_equal(fusion.getInputs(), offer.operandLayouts)) {
      auto type = cast<RankedTensorType>(input.getType());
      inputs.push_back(TestTensor::random(kernel::withoutLayout(type), seed++));
      packed.push_back(pack(inputs.back(), layout));
      addresses.push_back(aligned(packed.back()));
    }
    auto type = cast<RankedTensorType>(fusion.getResult(0).getType());
    TestTensor result = TestTensor::poisoned(type);
    addresses.push_back(result.data());
    runImplemented(family, fusion, addresses, profile, rows, suffix);
    return result;
  }

  static std::vector<char> pack(TestTensor &dense, Attribute attribute) {
    auto layout = dyn_cast<kernel::LayoutAttr>(attribute);
    auto bytes = size_t(dense.elements() * dense.elementBytes());
    if (!layout) {
      std::vector<char> copied(bytes + kAlignment);
      std::copy_n(dense.data(), bytes, aligned(copied));
      return copied;
    }
    auto copy = [](ArrayRef<int64_t> values) {
      return std::vector<int64_t>(values.begin(), values.end());
    };
    runtime::BlockedLayout blocked{
        copy(layout.getOrder()), copy(layout.getBlockDims()),
        copy(layout.getBlockSizes()), copy(layout.getPadded())};
    std::vector<char> made(size_t(blocked.elements() * dense.elementBytes()) +
                           kAlignment);
    runtime::pack(dense.data(), dense.dims, dense.elementBytes(), blocked,
                  aligned(made));
    return made;
  }

  DeviceProfile profile;
  std::string suffix; // of entries
  std::unique_ptr<ParsedFusion> parsed;
  int64_t size = 0;
};

/// Panels or tiles are what threads share; rows of two heights; packed tiles.
TEST_F(RunRowsTest, gemmPacked) {
  std::string x = tensor({91, 24}, "f32"), w = tensor({40, 24}, "f32"),
              y = tensor({91, 40}, "f32");
  make({x, w}, y,
       "%l = graph.linear %0, %1 : (" + x + ", " + w + ") -> " + y +
           "\n%r = graph.relu %l : " + y + "\nkernel.yield %r : " + y,
       91);
  GemmPackedFamily family;
  profile.breadth = Breadth::All; // what is promising differs between machines
  int splits = 0, others = 0;
  for (Implementation &each : family.enumerate(parsed->get(), profile)) {
    auto schedule = parseGemmPackedSchedule(each.impl.getSchedule(),
                                            parsed->get().getLoc());
    ASSERT_TRUE(succeeded(schedule));
    if ((schedule->splitN ? splits : others)++ < 6) {
      check(family, each, (schedule->mr + 1) * 40);
    }
  }
  EXPECT_GT(splits, 0);
  EXPECT_GT(others, 0);
}

/// By tiles where there are some, and without them; blocks of two heights.
TEST_F(RunRowsTest, gemmAmx) {
  bool hasTiles =
      runtime::requestTileState().ok() && runtime::cpuHasFeature("amx-bf16");
  if (!runtime::cpuHasFeature("avx512bf16")) {
    GTEST_SKIP() << "this CPU lacks 'avx512bf16'";
  }
  profile = amxProfile();
  std::string x = tensor({141, 64}, "bf16"), w = tensor({96, 64}, "bf16"),
              y = tensor({141, 96}, "bf16");
  make({x, w}, y,
       "%l = graph.linear %0, %1 : (" + x + ", " + w + ") -> " + y +
           "\nkernel.yield %l : " + y,
       141);
  for (Implementation &each :
       GemmAmxFamily().enumerate(parsed->get(), profile)) {
    for (bool withTiles : {true, false}) {
      if (hasTiles || !withTiles) {
        suffix = withTiles ? "" : withoutAmxName("");
        check(GemmAmxFamily(), each, 32 * 96);
      }
    }
  }
}

/// Images whose padded pixels are rows, and images whose windows are gathered.
TEST_F(RunRowsTest, gemmAmxOfImages) {
  bool hasTiles =
      runtime::requestTileState().ok() && runtime::cpuHasFeature("amx-bf16");
  if (!runtime::cpuHasFeature("avx512bf16")) {
    GTEST_SKIP() << "this CPU lacks 'avx512bf16'";
  }
  profile = amxProfile();
  for (int64_t stride : {1, 2}) {
    ConvCase conv{.n = 6, .c = 32, .h = 7, .w = 9, .k = 40, .r = 3, .s = 3};
    conv.strideH = conv.strideW = stride;
    conv.top = conv.left = conv.bottom = conv.right = 1;
    conv.dtype = "bf16";
    make({conv.input(), conv.filter()}, conv.result(),
         "%c = " + conv.op("%0, %1", false) +
             "kernel.yield %c : " + conv.result(),
         conv.n);
    int checked = 0;
    for (Implementation &each :
         GemmAmxFamily().enumerate(parsed->get(), profile)) {
      for (bool withTiles : {true, false}) {
        if (checked < 8 && (hasTiles || !withTiles)) {
          suffix = withTiles ? "" : withoutAmxName("");
          check(GemmAmxFamily(), each, 32 * conv.k);
          ++checked;
        }
      }
    }
    EXPECT_GT(checked, 0);
  }
}

/// Rows of several rows of the product, as those of heads are.
TEST_F(RunRowsTest, gemmOfSeveralRowsEach) {
  std::string x = tensor({1, 20, 3, 24}, "f32"), w = tensor({16, 24}, "f32"),
              y = tensor({1, 20, 3, 16}, "f32");
  make({x, w}, y,
       "%l = graph.linear %0, %1 : (" + x + ", " + w + ") -> " + y +
           "\nkernel.yield %l : " + y,
       20);
  GemmPackedFamily family;
  Implementation each = family.enumerate(parsed->get(), profile).front();
  auto schedule =
      parseGemmPackedSchedule(each.impl.getSchedule(), parsed->get().getLoc());
  check(family, each, (schedule->mr + 1) * 16);
}

/// Tiles of several rows, of a part of one, and of one loop for all.
TEST_F(RunRowsTest, pointwise) {
  std::string row = tensor({200}, "f32");
  for (int64_t columns : {200, 16384}) {
    std::string x = tensor({48, columns}, "f32"), c = tensor({48, 1}, "f32");
    for (bool isFlat : {false, true}) {
      make({x, isFlat ? x : c}, x,
           "%r = graph.add %0, %1 : (" + x + ", " + (isFlat ? x : c) + ") -> " +
               x + "\nkernel.yield %r : " + x,
           24);
      for (Implementation &each :
           PointwiseFamily().enumerate(parsed->get(), profile)) {
        auto tile = each.impl.getSchedule().getAs<IntegerAttr>("tile").getInt();
        check(PointwiseFamily(), each,
              isFlat || columns > tile ? std::max(tile, columns)
                                       : tile / columns * columns);
      }
    }
  }
}

TEST_F(RunRowsTest, transposed) {
  std::string x = tensor({40, 96}, "f32"), y = tensor({96, 40}, "f32");
  make({x}, y,
       "%t = graph.transpose %0 [1, 0] : " + x + " -> " + y +
           "\n%r = graph.exp %t : " + y + "\nkernel.yield %r : " + y,
       96);
  check(PointwiseFamily(),
        PointwiseFamily().enumerate(parsed->get(), profile).front(), 16 * 40);
}

TEST_F(RunRowsTest, rows) {
  std::string x = tensor({50, 33}, "f32");
  make({x}, x,
       "%r = graph.softmax %0 axis = 1 : " + x + "\nkernel.yield %r : " + x,
       50);
  for (Implementation &each : RowsFamily().enumerate(parsed->get(), profile)) {
    auto tile = each.impl.getSchedule().getAs<IntegerAttr>("tile");
    auto pieces = each.impl.getSchedule().getAs<IntegerAttr>("pieces");
    bool isWhole = pieces && pieces.getInt() > 1;
    check(RowsFamily(), each, (isWhole || !tile ? 50 : tile.getInt()) * 33);
  }
}

/// Both layouts of convolutions, lines that are packed or not, lines or panels
/// that threads share.
TEST_F(RunRowsTest, convDirect) {
  profile.l3GBs = profile.memoryGBs / 2; // where panels are shared
  for (bool isNhwc : {false, true}) {
    std::string x = isNhwc ? tensor({6, 7, 5, 8}, "f32")
                           : tensor({6, 8, 7, 5}, "f32"),
                y = isNhwc ? tensor({6, 7, 5, 20}, "f32")
                           : tensor({6, 20, 7, 5}, "f32"),
                w = tensor({20, 8, 3, 3}, "f32"),
                layout = isNhwc ? "layout = \"nhwc\", " : "";
    make({x, w}, y,
         "%c = graph.conv2d %0, %1 {" + layout +
             "pads = array<i64: 1, 1, 1, 1>} : (" + x + ", " + w + ") -> " + y +
             "\n%r = graph.relu %c : " + y + "\nkernel.yield %r : " + y,
         6);
    size_t checked = 0, shared = 0;
    for (Implementation &each :
         ConvDirectFamily().enumerate(parsed->get(), profile)) {
      bool sharesPanels = StringRef(each.name).contains(" split=n");
      if (checked++ < 6 || (sharesPanels && shared < 3)) {
        check(ConvDirectFamily(), each, /*tile=*/1);
        shared += sharesPanels;
      }
    }
    EXPECT_GT(checked, 1u);
    EXPECT_EQ(shared > 0, isNhwc);
  }
}

/// Queries by their batch; heads that share keys; keys in parts.
TEST_F(RunRowsTest, attention) {
  std::string q = tensor({5, 4, 17, 8}, "f32"),
              k = tensor({5, 2, 200, 8}, "f32");
  make({q, k, k}, q,
       "%a = graph.attention %0, %1, %2 : (" + q + ", " + k + ", " + k +
           ") -> " + q + "\nkernel.yield %a : " + q,
       5);
  for (Implementation &each :
       AttentionFamily().enumerate(parsed->get(), profile)) {
    check(AttentionFamily(), each, /*tile=*/1);
  }
}

TEST_F(RunRowsTest, images) {
  for (bool isNhwc : {false, true}) {
    std::string x = isNhwc ? tensor({6, 8, 9, 5}, "f32")
                           : tensor({6, 5, 8, 9}, "f32"),
                y = isNhwc ? tensor({6, 4, 4, 5}, "f32")
                           : tensor({6, 5, 4, 4}, "f32");
    make({x}, y,
         "%p = graph.pool2d max, %0 window = [2, 2] {" +
             std::string(isNhwc ? "layout = \"nhwc\", " : "") +
             "strides = array<i64: 2, 2>} : " + x + " -> " + y +
             "\nkernel.yield %p : " + y,
         6);
    for (Implementation &each :
         ImagesFamily().enumerate(parsed->get(), profile)) {
      int64_t tile =
          each.impl.getSchedule().getAs<IntegerAttr>("tile").getInt();
      check(ImagesFamily(), each, tile * (isNhwc ? 5 : 4));
    }
  }
}

TEST_F(RunRowsTest, loops) {
  std::string x = tensor({30, 7}, "f32");
  make({x}, x,
       "%r = graph.cumsum %0 axis = 1 : " + x + "\nkernel.yield %r : " + x, 30);
  Implementation each = LoopsFamily().enumerate(parsed->get(), profile).front();
  check(LoopsFamily(), each,
        each.impl.getSchedule().getAs<IntegerAttr>("tile").getInt());
}

/// A softmax along the rows of memory: its rows are columns there.
TEST_F(RunRowsTest, rowsOutOfOrderAreAllComputed) {
  std::string x = tensor({8, 4, 16}, "f32");
  make({x}, x,
       "%r = graph.softmax %0 axis = 1 : " + x + "\nkernel.yield %r : " + x, 8);
  check(RowsFamily(), RowsFamily().enumerate(parsed->get(), profile).front(),
        8 * 4 * 16);
}

} // namespace
} // namespace minic::cpu
