// SPDX-License-Identifier: Apache-2.0
//
// LoweredCall: the library call that a backend writes for a fusion.

#ifndef MINIC_TEST_UNIT_COMPILER_TARGET_CUDA_LOWEREDCALL_H
#define MINIC_TEST_UNIT_COMPILER_TARGET_CUDA_LOWEREDCALL_H

#include "compiler/target/KernelFamily.h"
#include "compiler/target/cuda/CudaProfile.h"
#include "test/unit/dialects/kernel/ParsedFusion.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"

namespace minic::cuda {

/// Collects the commands of one library call; every tensor is a buffer.
class CallRecorder : public plan::PlanBuilder {
public:
  explicit CallRecorder(mlir::MLIRContext *context)
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
  mlir::Value zeroedBuffer(int64_t bytes) override { return buffer(bytes); }
  mlir::Value statusWord() override { return buffer(4); }
  mlir::Value sizeWord(mlir::StringAttr) override { return buffer(4); }
  int64_t threads() const override { return 1; }
  plan::KernelOp kernel(mlir::Operation *, llvm::StringRef, int64_t) override {
    ADD_FAILURE() << "a library has no kernel";
    return {};
  }

  plan::CallOp call() {
    plan::CallOp found;
    module->walk([&](plan::CallOp op) { found = op; });
    return found;
  }

  mlir::OwningOpRef<mlir::ModuleOp> module;

private:
  mlir::OpBuilder builder_;
  llvm::DenseMap<mlir::Value, mlir::Value> addresses_;
};

/// Gives `fusion` the implementation and, as kernel-realize would, its
/// operands the layouts that it asks for.
inline void implement(kernel::FusionOp fusion,
                      const Implementation &implementation) {
  fusion.setImplAttr(implementation.impl);
  mlir::OpBuilder builder(fusion);
  for (size_t i = 0; i < implementation.operandLayouts.size(); ++i) {
    auto layout =
        mlir::dyn_cast<kernel::LayoutAttr>(implementation.operandLayouts[i]);
    if (!layout) {
      continue;
    }
    mlir::Value input = fusion.getInputs()[i];
    auto type = mlir::cast<mlir::RankedTensorType>(input.getType());
    fusion->setOperand(
        i, kernel::RelayoutOp::create(
               builder, fusion.getLoc(),
               mlir::RankedTensorType::get(type.getShape(),
                                           type.getElementType(), layout),
               input));
  }
}

/// The call by implementation number `which` of `backend`; verified.
struct LoweredCall {
  LoweredCall(const LibraryBackend &backend, ParsedFusion &parsed,
              const DeviceProfile &profile, size_t which = 0)
      : plan(parsed.get().getContext()) {
    kernel::FusionOp fusion = parsed.get();
    auto implementations = backend.enumerate(fusion, profile);
    EXPECT_GT(implementations.size(), which);
    implement(fusion, implementations[which]);
    EXPECT_TRUE(succeeded(backend.lower(fusion, plan)));
    EXPECT_TRUE(succeeded(mlir::verify(*plan.module)));
    call = plan.call();
    descriptor = call.getDescriptor();
  }

  CallRecorder plan;
  plan::CallOp call;
  plan::LibraryCallAttr descriptor;
};

/// The text attribute `name` of the call.
inline std::string textOf(plan::LibraryCallAttr descriptor,
                          llvm::StringRef name) {
  return mlir::cast<mlir::StringAttr>(descriptor.attribute(name)).str();
}
/// The kinds of its epilogue: "relu".
inline std::string epilogueOf(plan::LibraryCallAttr descriptor) {
  std::string kinds;
  for (mlir::Attribute postOp : descriptor.postOps()) {
    kinds += mlir::cast<plan::EltwiseAttr>(postOp).getKind().str();
  }
  return kinds;
}
inline llvm::ArrayRef<int64_t> integersOf(plan::LibraryCallAttr descriptor,
                                          llvm::StringRef name) {
  return mlir::cast<mlir::DenseI64ArrayAttr>(descriptor.attribute(name))
      .asArrayRef();
}

/// The diagnostic of lowering `fusion`, which must fail.
inline std::string loweringError(const LibraryBackend &backend,
                                 kernel::FusionOp fusion) {
  std::string message;
  mlir::ScopedDiagnosticHandler handler(fusion.getContext(),
                                        [&](mlir::Diagnostic &diagnostic) {
                                          message = diagnostic.str();
                                          return mlir::success();
                                        });
  CallRecorder plan(fusion.getContext());
  EXPECT_TRUE(failed(backend.lower(fusion, plan)));
  return message;
}

/// A linear of 3xK by N on `dtype` with bias, then `epilogue` from %y to %r;
/// `more` arguments from %3 on.
inline ParsedFusion linear(const std::string &epilogue,
                           const std::string &dtype,
                           const std::vector<std::string> &more = {},
                           const std::string &result = "",
                           const std::string &k = "16",
                           const std::string &n = "8") {
  std::string x = "tensor<3x" + k + "x" + dtype + ">",
              w = "tensor<" + n + "x" + k + "x" + dtype + ">",
              b = "tensor<" + n + "x" + dtype + ">",
              y = "tensor<3x" + n + "x" + dtype + ">";
  std::vector<std::string> arguments = {x, w, b};
  arguments.insert(arguments.end(), more.begin(), more.end());
  std::string last = epilogue.empty() ? "%y" : "%r";
  std::string type = result.empty() ? y : result;
  return ParsedFusion(arguments, type,
                      "%y = graph.linear %0, %1, %2 : (" + x + ", " + w + ", " +
                          b + ") -> " + y + "\n" + epilogue +
                          "\nkernel.yield " + last + " : " + type);
}

inline std::string reasonFor(const LibraryBackend &backend,
                             ParsedFusion &&parsed) {
  return backend.reject(parsed.get(), *getCudaProfile("h200"))
      .value_or("accepted");
}

} // namespace minic::cuda

#endif // MINIC_TEST_UNIT_COMPILER_TARGET_CUDA_LOWEREDCALL_H
