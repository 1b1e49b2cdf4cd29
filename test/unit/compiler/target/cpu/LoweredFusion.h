// SPDX-License-Identifier: Apache-2.0
//
// LoweredFusion: a fusion (or relayout) implemented by one source, with its
// commands, and its kernel where it has one, ready to run.

#ifndef MINIC_TEST_UNIT_COMPILER_TARGET_CPU_LOWEREDFUSION_H
#define MINIC_TEST_UNIT_COMPILER_TARGET_CPU_LOWEREDFUSION_H

#include "compiler/target/KernelFamily.h"
#include "compiler/target/cpu/Assembler.h"
#include "compiler/target/cpu/CpuProfile.h"
#include "test/unit/compiler/target/cpu/LoadedKernel.h"

#include "mlir/IR/IRMapping.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace minic::cpu {

/// Collects commands in a module; every tensor is a buffer of its own.
class RecordingPlanBuilder : public plan::PlanBuilder {
public:
  explicit RecordingPlanBuilder(mlir::MLIRContext *context)
      : module(mlir::ModuleOp::create(mlir::UnknownLoc::get(context))),
        builder_(mlir::OpBuilder::atBlockEnd(module->getBody())) {
    context->loadDialect<plan::PlanDialect>();
  }

  mlir::OpBuilder &builder() override { return builder_; }
  mlir::Value addressOf(mlir::Value tensor) override {
    mlir::Value &address = addresses_[tensor];
    if (!address) {
      address = buffer(kernel::getBytes(
          mlir::cast<mlir::RankedTensorType>(tensor.getType())));
    }
    return address;
  }
  mlir::Value buffer(int64_t bytes) override {
    return plan::BufferOp::create(builder_, module->getLoc(),
                                  plan::AddressType::get(builder_.getContext()),
                                  builder_.getI64IntegerAttr(bytes),
                                  builder_.getI64IntegerAttr(64),
                                  mlir::UnitAttr(), mlir::IntegerAttr(),
                                  mlir::UnitAttr(), mlir::StringAttr());
  }
  mlir::Value zeroedBuffer(int64_t bytes) override {
    mlir::Value address = buffer(bytes);
    address.getDefiningOp<plan::BufferOp>().setZeroed(true);
    return address;
  }
  mlir::Value statusWord() override { return buffer(4); }
  mlir::Value sizeWord(mlir::StringAttr dim) override {
    mlir::Value address = RecordingPlanBuilder::zeroedBuffer(4);
    address.getDefiningOp<plan::BufferOp>().setSizeOfAttr(dim);
    return address;
  }
  int64_t threads() const override { return 2; }
  plan::KernelOp kernel(mlir::Operation *op, llvm::StringRef stem,
                        int64_t entries) override {
    stem = stem.split(' ').first; // the family; a schedule is no symbol
    mlir::SmallVector<mlir::Attribute> names;
    for (int64_t i = 0; i != entries; ++i) {
      names.push_back(
          builder_.getStringAttr((stem + "_" + llvm::Twine(i)).str()));
    }
    auto kernel = plan::KernelOp::create(
        builder_, op->getLoc(), builder_.getStringAttr(stem),
        builder_.getStringAttr("cpu"), builder_.getArrayAttr(names));
    mlir::OpBuilder::InsertionGuard guard(builder_);
    mlir::Block *body = builder_.createBlock(&kernel.getBody());
    mlir::IRMapping mapping;
    for (mlir::Value operand : op->getOperands()) {
      mapping.map(operand,
                  body->addArgument(operand.getType(), operand.getLoc()));
    }
    builder_.clone(*op, mapping);
    return kernel;
  }

  mlir::OwningOpRef<mlir::ModuleOp> module;

private:
  mlir::OpBuilder builder_;
  llvm::DenseMap<mlir::Value, mlir::Value> addresses_;
};

/// The only op of a kind in `module`; null where there is none.
template <typename Op> Op onlyOp(mlir::ModuleOp module) {
  Op found;
  module.walk([&](Op op) {
    EXPECT_FALSE(found) << "more than one";
    found = op;
  });
  return found;
}

/// The first address in `bytes` that is aligned as the runtime aligns constants
/// and scratch; that many bytes more are needed.
constexpr size_t kAlignment = 64;
template <typename Byte> Byte *aligned(std::vector<Byte> &bytes) {
  auto address = reinterpret_cast<uintptr_t>(bytes.data());
  return bytes.data() + (kAlignment - address % kAlignment) % kAlignment;
}

/// Runs the tiles of one launch in uneven pieces, as threads would.
inline void runLaunch(const std::string &sharedObject, plan::LaunchOp launch,
                      const std::vector<void *> &addresses,
                      const std::string &suffix = "") {
  LoadedKernel loaded(sharedObject);
  Entry entry = loaded.entry((launch.getEntry().str() + suffix).c_str());
  ASSERT_NE(entry, nullptr);
  std::vector<Arg> args(addresses.begin(), addresses.end());
  int64_t tiles = launch.getGrid()[0];
  // Uninitialised as a thread's is, and checked behind its end.
  constexpr unsigned char kPoison = 0xa5;
  auto bytes = size_t(launch.getScratchBytes());
  std::vector<unsigned char> memory(bytes + 64 + kAlignment, kPoison);
  unsigned char *scratch = aligned(memory);
  for (int64_t begin = 0; begin < tiles;) {
    int64_t end = std::min(tiles, begin + 1 + begin / 2);
    entry(args.data(), begin, end, bytes ? scratch : nullptr);
    begin = end;
  }
  EXPECT_EQ(std::count(scratch + bytes, scratch + bytes + 64, kPoison), 64)
      << "written past the end of scratch";
}

/// Memory behind the operands and results of a launch, poisoned or zeroed.
class LaunchWorkspace {
public:
  /// `runSize`: what words have that say how many rows a run has.
  LaunchWorkspace(plan::LaunchOp launch, size_t tensors, uint32_t runSize) {
    for (mlir::Value address :
         llvm::drop_begin(launch.getAddresses(), tensors)) {
      auto buffer = address.getDefiningOp<plan::BufferOp>();
      bool isSize = bool(buffer.getSizeOf());
      isZeroed.push_back(buffer.getZeroed() && !isSize);
      memory.emplace_back(
          size_t(buffer.getBytes()),
          static_cast<unsigned char>(isZeroed.back() ? 0 : 0xa5));
      if (isSize) {
        std::memcpy(memory.back().data(), &runSize, sizeof(runSize));
      }
    }
  }
  void appendTo(std::vector<void *> &addresses) {
    for (auto &bytes : memory) {
      addresses.push_back(bytes.data());
    }
  }
  /// As the next run expects it.
  void check() const {
    for (auto [i, bytes] : llvm::enumerate(memory)) {
      if (isZeroed[i]) {
        EXPECT_EQ(std::count(bytes.begin(), bytes.end(), 0),
                  std::ptrdiff_t(bytes.size()));
      }
    }
  }

private:
  std::vector<std::vector<unsigned char>> memory;
  std::vector<bool> isZeroed;
};

/// Runs `fusion`, which has an implementation of `family`, on `addresses`:
/// operands, then results. Its launches share their workspace. `suffix` says
/// which form of the entries.
inline void runImplemented(const KernelFamily &family, kernel::FusionOp fusion,
                           const std::vector<void *> &addresses,
                           const DeviceProfile &profile, uint32_t runSize = 0,
                           const std::string &suffix = "") {
  mlir::MLIRContext *context = fusion.getContext();
  prepareContext(*context);
  RecordingPlanBuilder plan(context);
  ASSERT_TRUE(succeeded(family.lower(fusion, plan)));
  std::vector<plan::LaunchOp> launches;
  plan.module->walk([&](plan::LaunchOp op) { launches.push_back(op); });
  if (launches.empty()) {
    return;
  }
  for (plan::LaunchOp launch : launches) {
    ASSERT_EQ(launch.getAddresses(), launches[0].getAddresses());
  }
  ASSERT_GE(launches[0].getAddresses().size(), addresses.size());
  LaunchWorkspace workspace(launches[0], addresses.size(), runSize);
  std::vector<void *> all = addresses;
  workspace.appendTo(all);
  mlir::OwningOpRef<mlir::ModuleOp> device =
      mlir::ModuleOp::create(fusion.getLoc());
  ASSERT_TRUE(succeeded(
      family.emit(onlyOp<plan::KernelOp>(*plan.module), profile, *device)));
  auto bytes = assemble(*device, profile);
  ASSERT_TRUE(succeeded(bytes));
  for (plan::LaunchOp launch : launches) {
    runLaunch(*bytes, launch, all, suffix);
  }
  workspace.check();
}

/// Implements `fusion` by implementation number `which` of `family`, and runs
/// it on `addresses`.
inline void runFusion(const KernelFamily &family, kernel::FusionOp fusion,
                      const std::vector<void *> &addresses, size_t which = 0,
                      const std::string &isa = "") {
  DeviceProfile profile = getCpuProfile(2, isa);
  auto rejected = family.reject(fusion, profile);
  ASSERT_FALSE(rejected) << *rejected;
  auto implementations = family.enumerate(fusion, profile);
  ASSERT_GT(implementations.size(), which);
  fusion.setImplAttr(implementations[which].impl);
  runImplemented(family, fusion, addresses, profile);
}

} // namespace minic::cpu

#endif // MINIC_TEST_UNIT_COMPILER_TARGET_CPU_LOWEREDFUSION_H
