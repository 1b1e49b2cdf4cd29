// SPDX-License-Identifier: Apache-2.0
//
// Where the CPU's families and libraries are listed, and what its kernels
// become.

#include "compiler/target/cpu/CpuTarget.h"

#include "compiler/target/cpu/Assembler.h"
#include "compiler/target/cpu/CpuProfile.h"
#include "compiler/target/cpu/UsedFeatures.h"
#include "compiler/target/cpu/attention/AttentionFamily.h"
#include "compiler/target/cpu/conv_direct/ConvDirectFamily.h"
#include "compiler/target/cpu/gemm_amx/GemmAmxFamily.h"
#include "compiler/target/cpu/gemm_packed/GemmPackedFamily.h"
#include "compiler/target/cpu/images/ImagesFamily.h"
#include "compiler/target/cpu/loops/LoopsFamily.h"
#include "compiler/target/cpu/onednn/OnednnConvolution.h"
#include "compiler/target/cpu/onednn/OnednnMatmul.h"
#include "compiler/target/cpu/onednn/OnednnRows.h"
#include "compiler/target/cpu/plugin/CpuPluginFamily.h"
#include "compiler/target/cpu/pointwise/PointwiseFamily.h"
#include "compiler/target/cpu/relayout/Relayout.h"
#include "compiler/target/cpu/rows/RowsFamily.h"
#include "compiler/target/cpu/user/UserFamily.h"

using namespace mlir;

namespace minic::cpu {

CpuTarget::CpuTarget(DeviceProfile profile) : Target(std::move(profile)) {
  static const GemmAmxFamily gemmAmx;
  static const GemmPackedFamily gemm;
  static const PointwiseFamily pointwise;
  static const ConvDirectFamily convolution;
  static const RowsFamily rows;
  static const AttentionFamily attention;
  static const ImagesFamily images;
  static const LoopsFamily loops;
  static const UserFamily user;
  families_ = {&gemmAmx,   &gemm,   &convolution, &pointwise, &rows,
               &attention, &images, &loops,       &user};
  static const OnednnMatmul onednn(/*fusesEpilogue=*/false);
  static const OnednnMatmul onednnFused(/*fusesEpilogue=*/true);
  static const OnednnConvolution onednnConv(/*fusesEpilogue=*/false);
  static const OnednnConvolution onednnConvFused(/*fusesEpilogue=*/true);
  static const OnednnRows onednnRows;
  libraries_ = {&onednn, &onednnFused, &onednnConv, &onednnConvFused,
                &onednnRows};
}

std::unique_ptr<KernelFamily>
CpuTarget::createPluginFamily(Plugin &plugin) const {
  return std::make_unique<CpuPluginFamily>(plugin, profile_);
}

void CpuTarget::prepareContext(MLIRContext &context) const {
  cpu::prepareContext(context);
}

LogicalResult CpuTarget::emitRelayout(plan::KernelOp kernel,
                                      ModuleOp device) const {
  return cpu::emitRelayout(kernel, device);
}

void CpuTarget::requireUsedFeatures(ModuleOp module, ModuleOp device) const {
  cpu::requireUsedFeatures(module, device, profile_);
}

LogicalResult CpuTarget::describe(ModuleOp device, KernelCode &code) const {
  return cpu::describeCode(device, profile_, code);
}

LogicalResult CpuTarget::assemble(ModuleOp device, OpBuilder &builder) const {
  FailureOr<std::string> bytes = cpu::assemble(device, profile_);
  if (failed(bytes)) {
    return failure();
  }
  auto type =
      RankedTensorType::get(int64_t(bytes->size()), builder.getI8Type());
  auto data = DenseElementsAttr::getFromRawBuffer(type, *bytes);
  plan::BinaryOp::create(builder, device.getLoc(), "cpu_kernels",
                         "elf_shared_object", profile_.cpu, data);
  return success();
}

LogicalResult CpuTarget::lowerRelayout(kernel::RelayoutOp op,
                                       plan::PlanBuilder &plan) const {
  return cpu::lowerRelayout(op, plan);
}

} // namespace minic::cpu

namespace minic {

std::unique_ptr<Target> createCpuTarget(int threads, llvm::StringRef isa) {
  return createCpuTarget(cpu::getCpuProfile(threads, isa));
}

std::unique_ptr<Target> createCpuTarget(const DeviceProfile &profile) {
  return std::make_unique<cpu::CpuTarget>(profile);
}

} // namespace minic
