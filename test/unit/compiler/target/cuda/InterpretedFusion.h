// SPDX-License-Identifier: Apache-2.0
//
// InterpretedFusion: a fusion implemented by a CUDA kernel family, lowered,
// emitted, and run by the interpreter as its launches say.

#ifndef MINIC_TEST_UNIT_COMPILER_TARGET_CUDA_INTERPRETEDFUSION_H
#define MINIC_TEST_UNIT_COMPILER_TARGET_CUDA_INTERPRETEDFUSION_H

#include "compiler/target/KernelFamily.h"
#include "compiler/target/cuda/Assembler.h"
#include "compiler/target/cuda/CudaProfile.h"
#include "dialects/kernel/InPlace.h"
#include "runtime/format/Packer.h"
#include "test/unit/compiler/target/cpu/LoweredFusion.h"
#include "test/unit/compiler/target/cpu/gemm_packed/TestTensor.h"
#include "test/unit/compiler/target/cuda/LoweredCall.h"
#include "test/unit/compiler/target/cuda/SimtInterpreter.h"

#include "mlir/IR/Verifier.h"

namespace minic::cuda {

/// Memory aligned to 256 bytes.
struct DeviceBytes {
  explicit DeviceBytes(int64_t bytes, int fill = 0xff)
      : bytes(bytes), memory(size_t(bytes + 256), char(fill)) {}
  char *data() {
    auto address = reinterpret_cast<uintptr_t>(memory.data());
    return memory.data() + (256 - address % 256) % 256;
  }
  int64_t bytes;
  std::vector<char> memory;
};

/// Its zeroed buffers are marked; the status word is one.
class LaunchRecorder : public cpu::RecordingPlanBuilder {
public:
  using RecordingPlanBuilder::RecordingPlanBuilder;
  mlir::Value zeroedBuffer(int64_t bytes) override {
    mlir::Value made = buffer(bytes);
    made.getDefiningOp<plan::BufferOp>().setZeroed(true);
    return made;
  }
  mlir::Value statusWord() override { return zeroedBuffer(4); }
};

class InterpretedFusion {
public:
  InterpretedFusion(const std::vector<std::string> &arguments,
                    const std::string &results, const std::string &body)
      : parsed(arguments, results, body), fusion(parsed.get()) {
    prepareContext(*fusion.getContext());
    uint64_t seed = 1;
    for (mlir::Value input : fusion.getInputs()) {
      inputs.push_back(cpu::TestTensor::random(
          mlir::cast<mlir::RankedTensorType>(input.getType()), seed++));
    }
  }

  /// Runs `implementation` of `family` for `profile`. Counters must be zero
  /// again behind it, which a second run shows.
  void run(const KernelFamily &family, const Implementation &implementation,
           const DeviceProfile &profile) {
    SCOPED_TRACE(implementation.name);
    implement(fusion, implementation);
    LaunchRecorder plan(fusion.getContext());
    ASSERT_TRUE(succeeded(family.lower(fusion, plan)));
    ASSERT_TRUE(succeeded(mlir::verify(*plan.module)));
    llvm::SmallVector<plan::LaunchOp> launches;
    plan.module->walk([&](plan::LaunchOp op) { launches.push_back(op); });
    auto kernel = cpu::onlyOp<plan::KernelOp>(*plan.module);
    ASSERT_TRUE(!launches.empty() && kernel);
    mlir::OwningOpRef<mlir::ModuleOp> device =
        mlir::ModuleOp::create(fusion.getLoc());
    ASSERT_TRUE(succeeded(family.emit(kernel, profile, *device)));
    ASSERT_TRUE(succeeded(mlir::verify(*device)));
    place(implementation);
    for (plan::LaunchOp launch : launches) {
      addWorkspace(launch);
    }
    for (SimtOrder order : ordersOf(launches)) {
      for (plan::LaunchOp launch : launches) {
        auto grid = launch.getGrid(), cluster = launch.getCluster();
        ASSERT_EQ(interpret(*device, launch.getEntry(), grid[0],
                            launch.getBlock()[0],
                            int64_t(launch.getSharedBytes()),
                            parametersOf(launch), grid.size() > 1 ? grid[1] : 1,
                            cluster.empty() ? 1 : cluster[0],
                            tensorMapsOf(launch), order),
                  "");
      }
    }
    for (size_t i = 0; i != results.size(); ++i) {
      DeviceBytes &from = memory[memoryOf(inputs.size() + i)];
      std::memcpy(results[i].data(), from.data(), size_t(from.bytes));
    }
    // What generators wrote is also what the assembler takes.
    auto text = emitPtx(*device, profile);
    ASSERT_TRUE(succeeded(text));
    ptx = *text;
    ASSERT_TRUE(
        succeeded(assembleCubin(ptx, profile.cpu, *device, &resources)));
  }

  /// What the last run left in the last buffer of its launch.
  uint32_t lastWord() {
    uint32_t word;
    std::memcpy(&word, memory.back().data(), sizeof(word));
    return word;
  }

  ParsedFusion parsed;
  kernel::FusionOp fusion;
  /// What a run has of a padded dimension; 0: all.
  uint32_t runSize = 0;
  std::vector<cpu::TestTensor> inputs, results;
  std::string ptx;
  std::vector<KernelResources> resources;

private:
  void place(const Implementation &implementation) {
    memory.clear();
    results.clear();
    workspace.clear();
    for (auto [i, input] : llvm::enumerate(inputs)) {
      memory.push_back(pack(input, implementation.operandLayouts[i]));
    }
    for (mlir::Value result : fusion.getResults()) {
      results.push_back(cpu::TestTensor::poisoned(
          mlir::cast<mlir::RankedTensorType>(result.getType())));
      memory.emplace_back(results.back().elements() *
                          results.back().elementBytes());
    }
  }

  size_t tensors() const { return inputs.size() + results.size(); }

  /// Of operand or result `i`: a result that updates an operand has its memory.
  size_t memoryOf(size_t i) {
    if (i < inputs.size()) {
      return i;
    }
    return kernel::getUpdatedInput(fusion, unsigned(i - inputs.size()))
        .value_or(unsigned(i));
  }

  /// Launches may share buffers.
  void addWorkspace(plan::LaunchOp launch) {
    for (mlir::Value address : launch.getAddresses().drop_front(tensors())) {
      auto buffer = address.getDefiningOp<plan::BufferOp>();
      if (workspace.try_emplace(address, memory.size()).second) {
        memory.emplace_back(int64_t(buffer.getBytes()),
                            buffer.getZeroed() ? 0 : 0xff);
        if (buffer.getSizeOf()) {
          std::memcpy(memory.back().data(), &runSize, sizeof(runSize));
        }
      }
    }
  }

  std::vector<GlobalRange> parametersOf(plan::LaunchOp launch) {
    std::vector<GlobalRange> parameters;
    for (auto [i, address] : llvm::enumerate(launch.getAddresses())) {
      DeviceBytes &each =
          memory[i < tensors() ? memoryOf(i) : workspace.at(address)];
      parameters.push_back({each.data(), each.bytes});
    }
    return parameters;
  }

  /// Launches run twice, and those with roles for warps in each order.
  static std::vector<SimtOrder>
  ordersOf(llvm::ArrayRef<plan::LaunchOp> launches) {
    std::vector<SimtOrder> orders = {SimtOrder::FirstFirst,
                                     SimtOrder::LastFirst};
    for (plan::LaunchOp launch : launches) {
      if (launch.getTensorMapsAttr() && orders.size() == 2) {
        orders.push_back(SimtOrder::Random);
      }
    }
    return orders;
  }

  std::vector<SimtTensorMap> tensorMapsOf(plan::LaunchOp launch) {
    std::vector<SimtTensorMap> maps;
    std::vector<GlobalRange> parameters = parametersOf(launch);
    mlir::ArrayAttr attributes = launch.getTensorMapsAttr();
    for (size_t i = 0; attributes && i != attributes.size(); ++i) {
      auto map = mlir::cast<plan::TensorMapAttr>(attributes[i]);
      EXPECT_EQ(map.getSwizzle(), 128);
      SimtTensorMap &made = maps.emplace_back();
      made.address = uint64_t(reinterpret_cast<uintptr_t>(
          parameters[size_t(map.getOperand())].data));
      made.dims = map.getDims().asArrayRef().vec();
      made.strides = map.getStrides().asArrayRef().vec();
      made.box = map.getBox().asArrayRef().vec();
      if (plan::Im2colAttr im2col = map.getIm2col()) {
        made.lower = im2col.getLower().asArrayRef().vec();
        made.upper = im2col.getUpper().asArrayRef().vec();
        made.steps = im2col.getSteps().asArrayRef().vec();
      }
    }
    return maps;
  }

  static DeviceBytes pack(cpu::TestTensor &dense, mlir::Attribute attribute) {
    auto layout = mlir::dyn_cast<kernel::LayoutAttr>(attribute);
    if (!layout) {
      DeviceBytes made(dense.elements() * dense.elementBytes());
      std::memcpy(made.data(), dense.data(), size_t(made.bytes));
      return made;
    }
    auto copy = [](llvm::ArrayRef<int64_t> values) {
      return std::vector<int64_t>(values.begin(), values.end());
    };
    runtime::BlockedLayout blocked{
        copy(layout.getOrder()), copy(layout.getBlockDims()),
        copy(layout.getBlockSizes()), copy(layout.getPadded())};
    DeviceBytes made(blocked.elements() * dense.elementBytes());
    runtime::pack(dense.data(), dense.dims, dense.elementBytes(), blocked,
                  made.data());
    return made;
  }

  std::vector<DeviceBytes> memory;
  llvm::DenseMap<mlir::Value, size_t> workspace; // numbers in `memory`
};

} // namespace minic::cuda

#endif // MINIC_TEST_UNIT_COMPILER_TARGET_CUDA_INTERPRETEDFUSION_H
