// SPDX-License-Identifier: Apache-2.0
//
// Where the CPU's families and libraries are listed, and where the kernels of a
// module meet in one device module.

#include "compiler/target/cpu/CpuTarget.h"

#include "compiler/target/cpu/Assembler.h"
#include "compiler/target/cpu/CpuProfile.h"
#include "compiler/target/cpu/conv_direct/ConvDirectFamily.h"
#include "compiler/target/cpu/gemm_packed/GemmPackedFamily.h"
#include "compiler/target/cpu/onednn/OnednnConvolution.h"
#include "compiler/target/cpu/onednn/OnednnMatmul.h"
#include "compiler/target/cpu/pointwise/PointwiseFamily.h"
#include "compiler/target/cpu/relayout/Relayout.h"

using namespace mlir;

namespace minic::cpu {

CpuTarget::CpuTarget(DeviceProfile profile) : profile_(std::move(profile)) {
  static const GemmPackedFamily gemm;
  static const PointwiseFamily pointwise;
  static const ConvDirectFamily convolution;
  families_ = {&gemm, &convolution, &pointwise};
  static const OnednnMatmul onednn(/*fusesEpilogue=*/false);
  static const OnednnMatmul onednnFused(/*fusesEpilogue=*/true);
  static const OnednnConvolution onednnConv(/*fusesEpilogue=*/false);
  static const OnednnConvolution onednnConvFused(/*fusesEpilogue=*/true);
  libraries_ = {&onednn, &onednnFused, &onednnConv, &onednnConvFused};
}

LogicalResult CpuTarget::emit(plan::KernelOp kernel, ModuleOp device) const {
  Operation &body = kernel.getBody().front().front();
  if (isa<kernel::RelayoutOp>(body)) {
    return emitRelayout(kernel, device);
  }
  auto fusion = dyn_cast<kernel::FusionOp>(body);
  if (!fusion || !fusion.getImplAttr()) {
    return kernel.emitError("internal error: expected a kernel.fusion with "
                            "impl");
  }
  StringRef name = fusion.getImplAttr().getFamily();
  for (const KernelFamily *family : families_) {
    if (family->name() == name) {
      return family->emit(kernel, profile_, device);
    }
  }
  return kernel.emitError("target 'cpu' has no kernel family '") << name << "'";
}

LogicalResult CpuTarget::codegen(ModuleOp module) const {
  SmallVector<plan::KernelOp> kernels;
  module.walk([&](plan::KernelOp kernel) {
    if (kernel.getTarget() == profile_.target) {
      kernels.push_back(kernel);
    }
  });
  if (kernels.empty()) {
    return success();
  }
  prepareContext(*module.getContext());
  OwningOpRef<ModuleOp> device = ModuleOp::create(module.getLoc());
  for (plan::KernelOp kernel : kernels) {
    if (failed(emit(kernel, *device))) {
      return failure();
    }
  }
  FailureOr<std::string> bytes = assemble(*device, profile_);
  if (failed(bytes)) {
    return failure();
  }
  OpBuilder builder(kernels.front());
  auto type =
      RankedTensorType::get(int64_t(bytes->size()), builder.getI8Type());
  auto data = DenseElementsAttr::getFromRawBuffer(type, *bytes);
  plan::BinaryOp::create(builder, module.getLoc(), "cpu_kernels",
                         "elf_shared_object", profile_.cpu, data);
  for (plan::KernelOp kernel : kernels) {
    kernel.erase();
  }
  return success();
}

LogicalResult CpuTarget::lowerRelayout(kernel::RelayoutOp op,
                                       plan::PlanBuilder &plan) const {
  return cpu::lowerRelayout(op, plan);
}

} // namespace minic::cpu

namespace minic {

std::unique_ptr<Target> createCpuTarget(int threads, llvm::StringRef isa) {
  return std::make_unique<cpu::CpuTarget>(cpu::getCpuProfile(threads, isa));
}

} // namespace minic
