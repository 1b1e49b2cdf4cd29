// SPDX-License-Identifier: Apache-2.0
//
// Products whose operands TMA copies, on a GPU: what the interpreter takes for
// granted about tensor maps, mbarriers and clusters. Each kernel runs often, in
// a graph and outside, since what is wrong about phases shows only sometimes.

#include "test/unit/runtime/device/cuda/CudaTestProgram.h"
#include "test/unit/runtime/testing/GpuOrSkip.h"

#include <cmath>
#include <cstring>

namespace minic::cuda {
namespace {

using namespace ::minic::testing;

/// tma-gemm.mlir as PTX.
const char *const tmaGemmPtx =
#include "test/unit/compiler/target/cuda/gemm_sm90/TmaGemmPtx.inc"
    ;

/// A kernel of tma-gemm.mlir, with its tile.
struct TmaKernel {
  const char *name;
  int64_t m, n, k, batches;
  int64_t bm, bn, threads;
  int64_t multicastM, multicastN;
  uint32_t sharedBytes;
  int64_t blocks = 0; // that stay; 0: one for each tile
};

using Halves = std::vector<uint16_t>;

/// To nearest, ties to even.
uint16_t toBf16(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return uint16_t((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

/// Small whole numbers, whose sums are exact.
float element(int64_t seed, int64_t at) {
  return float((at * 7 + at / 13 * 5 + seed) % 5 - 2);
}

std::vector<float> pack(const Halves &halves) {
  std::vector<float> packed((halves.size() + 1) / 2);
  std::memcpy(packed.data(), halves.data(), halves.size() * 2);
  return packed;
}

Halves tensor(int64_t seed, int64_t elements) {
  Halves halves;
  for (int64_t i = 0; i != elements; ++i) {
    halves.push_back(toBf16(element(seed, i)));
  }
  return halves;
}

void addMap(format::LaunchT &launch, uint32_t param, const TmaKernel &kernel,
            int64_t rows, int64_t boxRows) {
  format::TensorMapParamT map;
  map.param = param;
  map.dtype = format::DType::bf16;
  map.dims = {kernel.k, rows};
  map.strides = {kernel.k * 2};
  map.box = {64, boxRows};
  map.swizzle = 128;
  if (kernel.batches > 1) {
    map.dims.push_back(kernel.batches);
    map.strides.push_back(kernel.k * rows * 2);
    map.box.push_back(1);
  }
  launch.params.push_back(std::make_unique<format::ParamEntryT>());
  launch.params.back()->param.Set(std::move(map));
}

class TmaGemmGpuTest : public GpuOrSkip {
protected:
  void check(const TmaKernel &kernel) {
    const auto &[name, m, n, k, batches, bm, bn, threads, multicastM,
                 multicastN, sharedBytes, blocks] = kernel;
    const auto *text = reinterpret_cast<const std::byte *>(tmaGemmPtx);
    TestArtifact artifact = cudaArtifact();
    artifact.variant().isa = {"sm_90a"};
    setBinary(artifact, format::BinaryKind::ptx,
              {text, text + std::strlen(tmaGemmPtx)});
    artifact.input("x", {batches, m, k}, format::DType::bf16);
    artifact.input("w", {batches, n, k}, format::DType::bf16);
    artifact.output("y", {batches, m, n}, format::DType::bf16);
    format::LaunchT &launch = artifact.launch(
        name,
        blocks ? blocks : (m + bm - 1) / bm * ((n + bn - 1) / bn) * batches,
        {inputAddress(0), inputAddress(1), outputAddress(0)}, {});
    launch.block = {threads};
    launch.shared_bytes = sharedBytes;
    if (multicastM * multicastN > 1) {
      launch.cluster = {multicastM * multicastN};
    }
    addMap(launch, 0, kernel, m, bm / multicastN);
    addMap(launch, 1, kernel, n, bn / multicastM);
    LoadedArtifact loaded(artifact);
    ASSERT_TRUE(loaded.status().ok()) << loaded.status();
    for (runtime::GraphMode mode :
         {runtime::GraphMode::Off, runtime::GraphMode::On}) {
      runtime::ExecutionOptions options{nullptr};
      options.graph = mode;
      auto execution = (*loaded).createExecution(options);
      ASSERT_TRUE(execution.ok()) << execution.status();
      for (int64_t run = 0; run != 20; ++run) {
        // Other tensors each time, as maps must follow them.
        DeviceFloats x(*loaded, pack(tensor(run, batches * m * k))),
            w(*loaded, pack(tensor(run + 3, batches * n * k))),
            y(*loaded, std::vector<float>(size_t(batches * m * n + 1) / 2,
                                          std::nanf("")));
        void *callers[] = {x.data(), w.data(), y.data()};
        ASSERT_TRUE((*execution)->run(callers).ok());
        absl::Status status = (*execution)->synchronize();
        ASSERT_TRUE(status.ok()) << status;
        ASSERT_NO_FATAL_FAILURE(compare(kernel, run, y.read()));
      }
    }
  }

private:
  static void compare(const TmaKernel &kernel, int64_t run,
                      const std::vector<float> &packed) {
    const int64_t m = kernel.m, n = kernel.n, k = kernel.k;
    Halves got(size_t(kernel.batches * m * n));
    std::memcpy(got.data(), packed.data(), got.size() * 2);
    for (int64_t at = 0; at != int64_t(got.size()); ++at) {
      int64_t batch = at / (m * n), row = at / n % m, column = at % n;
      float sum = 0;
      for (int64_t i = 0; i != k; ++i) {
        sum += element(run, (batch * m + row) * k + i) *
               element(run + 3, (batch * n + column) * k + i);
      }
      ASSERT_EQ(got[size_t(at)], toBf16(sum))
          << kernel.name << ", run " << run << " at " << batch << ", " << row
          << ", " << column;
    }
  }
};

TEST_F(TmaGemmGpuTest, FillsARing) {
  check({"small", 200, 104, 328, 1, 64, 64, 160, 1, 1, 4 * 128 * 128 + 64});
  check({"ring", 200, 104, 1000, 1, 128, 96, 288, 1, 1, 3 * 224 * 128 + 48});
}

TEST_F(TmaGemmGpuTest, HasBatches) {
  check({"batched", 72, 40, 200, 3, 64, 32, 160, 1, 1, 4 * 96 * 128 + 64});
}

TEST_F(TmaGemmGpuTest, CopiesForClusters) {
  check({"along_m", 250, 72, 1000, 1, 64, 64, 160, 2, 1, 3 * 128 * 128 + 48});
  check(
      {"along_n", 200, 250, 1000, 1, 128, 128, 288, 1, 2, 3 * 256 * 128 + 48});
}

/// 35 tiles in six blocks, whose teams have three or two each.
TEST_F(TmaGemmGpuTest, TakesTilesInTurn) {
  check({"ping_pong", 520, 392, 328, 1, 128, 64, 288, 1, 1,
         4 * 192 * 128 + 8 * 16 * 72 * 4 + 80, 6});
}

TEST_F(TmaGemmGpuTest, TakesOverRegisters) {
  check({"registers", 520, 392, 328, 1, 128, 192, 384, 1, 1,
         4 * 320 * 128 + 8 * 16 * 72 * 4 + 80, 2});
}

} // namespace
} // namespace minic::cuda
