// SPDX-License-Identifier: Apache-2.0
//
// GemmRun: a fusion with a contraction, generated with a given schedule of
// gemm_packed or gemm_amx, run on random data.

#ifndef MINIC_TEST_UNIT_COMPILER_TARGET_CPU_GEMM_PACKED_GEMMRUN_H
#define MINIC_TEST_UNIT_COMPILER_TARGET_CPU_GEMM_PACKED_GEMMRUN_H

#include "compiler/target/cpu/Assembler.h"
#include "compiler/target/cpu/CpuProfile.h"
#include "compiler/target/cpu/KernelAbi.h"
#include "compiler/target/cpu/PackedRhs.h"
#include "compiler/target/cpu/gemm_amx/EmitGemmAmx.h"
#include "compiler/target/cpu/gemm_packed/EmitGemm.h"
#include "runtime/format/Packer.h"
#include "test/unit/compiler/target/cpu/LoadedKernel.h"
#include "test/unit/compiler/target/cpu/gemm_packed/TestTensor.h"
#include "test/unit/dialects/kernel/ParsedFusion.h"

#include <cstdlib>
#include <functional>

namespace minic::cpu {

/// Builds and runs one fusion. Inputs are made by the constructor, in the order
/// of the fusion's operands; `run` leaves the results in `results`.
class GemmRun {
public:
  GemmRun(const std::vector<std::string> &arguments, const std::string &results,
          const std::string &body)
      : parsed_(arguments, results, body), fusion(parsed_.get()) {
    prepareContext(*fusion.getContext());
    std::string reason;
    auto analyzed = matchPackedProduct(fusion, &reason);
    EXPECT_TRUE(mlir::succeeded(analyzed)) << reason;
    shape = *analyzed;
    uint64_t seed = 1;
    for (mlir::Value input : fusion.getInputs()) {
      inputs.push_back(TestTensor::random(
          mlir::cast<mlir::RankedTensorType>(input.getType()), seed++));
    }
  }

  /// Splits the grid into `threads` ranges, run one after the other.
  void run(const GemmPackedSchedule &schedule, const std::string &isa = "",
           int threads = 1) {
    runKernel<GemmGeometry>(
        schedule, [](auto &&...operands) { emitGemm(operands...); }, "kernel",
        getCpuProfile(1, isa), threads);
  }

  /// The entry that uses tiles, or the form without; code for `profile`, which
  /// has AMX.
  void run(const GemmAmxSchedule &schedule, const DeviceProfile &profile,
           bool withTiles = true, int threads = 1) {
    runKernel<GemmAmxGeometry>(
        schedule, [](auto &&...operands) { emitGemmAmx(operands...); },
        withTiles ? std::string("kernel") : withoutAmxName("kernel"), profile,
        threads);
  }

private:
  template <typename Geometry, typename Schedule>
  void runKernel(
      const Schedule &schedule,
      llvm::function_ref<void(mlir::Location, mlir::ModuleOp, llvm::StringRef,
                              const kernel::FusionShape &, const Geometry &)>
          emit,
      const std::string &name, const DeviceProfile &profile, int threads) {
    std::string reason;
    auto geometry = Geometry::get(shape, schedule, &reason);
    ASSERT_TRUE(mlir::succeeded(geometry)) << reason;
    results.clear();
    for (mlir::Value result : fusion.getResults()) {
      results.push_back(TestTensor::poisoned(
          mlir::cast<mlir::RankedTensorType>(result.getType())));
    }
    auto device = mlir::OwningOpRef<mlir::ModuleOp>(
        mlir::ModuleOp::create(fusion.getLoc()));
    emit(fusion.getLoc(), *device, "kernel", shape, *geometry);
    auto bytes = assemble(*device, profile);
    ASSERT_TRUE(mlir::succeeded(bytes));
    LoadedKernel loaded(*bytes);
    Entry entry = loaded.entry(name.c_str());
    ASSERT_NE(entry, nullptr);

    size_t rhs =
        mlir::cast<mlir::BlockArgument>(shape.gemm->rhs).getArgNumber();
    kernel::LayoutAttr layout = getRhsLayout(shape, *geometry);
    auto copy = [](llvm::ArrayRef<int64_t> values) {
      return std::vector<int64_t>(values.begin(), values.end());
    };
    runtime::BlockedLayout blocked{
        copy(layout.getOrder()), copy(layout.getBlockDims()),
        copy(layout.getBlockSizes()), copy(layout.getPadded())};
    TestTensor &dense = inputs[rhs];
    GuardedBytes packed(blocked.elements() * dense.elementBytes());
    runtime::pack(dense.data(), dense.dims, dense.elementBytes(), blocked,
                  packed.data());
    GuardedBytes scratch(geometry->scratchBytes());
    std::memset(scratch.data(), 0xff, geometry->scratchBytes());

    std::vector<Arg> args;
    for (size_t i = 0; i != inputs.size(); ++i) {
      args.push_back(i == rhs ? packed.data() : inputs[i].data());
    }
    for (TestTensor &result : results) {
      args.push_back(result.data());
    }
    int64_t grid = geometry->grid();
    for (int thread = 0; thread != threads; ++thread) {
      entry(args.data(), grid * thread / threads, grid * (thread + 1) / threads,
            scratch.data());
    }
    for (TestTensor &result : results) {
      EXPECT_TRUE(result.guardIntact()) << "wrote past the end";
    }
  }

  ParsedFusion parsed_;

public:
  kernel::FusionOp fusion;
  kernel::FusionShape shape;
  std::vector<TestTensor> inputs, results;
};

} // namespace minic::cpu

#endif // MINIC_TEST_UNIT_COMPILER_TARGET_CPU_GEMM_PACKED_GEMMRUN_H
