// SPDX-License-Identifier: Apache-2.0
//
// Where CUDA's families and libraries are listed, and what its kernels become.

#include "compiler/target/cuda/CudaTarget.h"

#include "compiler/target/CountCode.h"
#include "compiler/target/cuda/Assembler.h"
#include "compiler/target/cuda/EstimateFit.h"
#include "compiler/target/cuda/UserModules.h"
#include "compiler/target/cuda/attention/AttentionFamily.h"
#include "compiler/target/cuda/conv_depthwise/ConvDepthwiseFamily.h"
#include "compiler/target/cuda/conv_sm80/ConvSm80Family.h"
#include "compiler/target/cuda/conv_sm90/ConvSm90Family.h"
#include "compiler/target/cuda/cublas/CublasGemm.h"
#include "compiler/target/cuda/cublaslt/CublasltMatmul.h"
#include "compiler/target/cuda/cudnn/CudnnAttention.h"
#include "compiler/target/cuda/cudnn/CudnnConvolution.h"
#include "compiler/target/cuda/cudnn/CudnnMatmul.h"
#include "compiler/target/cuda/gemm_skinny/GemmSkinnyFamily.h"
#include "compiler/target/cuda/gemm_sm80/GemmSm80Family.h"
#include "compiler/target/cuda/gemm_sm90/GemmSm90Family.h"
#include "compiler/target/cuda/group_norm/GroupNormFamily.h"
#include "compiler/target/cuda/images/ImagesFamily.h"
#include "compiler/target/cuda/loops/LoopsFamily.h"
#include "compiler/target/cuda/plugin/CudaPluginFamily.h"
#include "compiler/target/cuda/pointwise/PointwiseFamily.h"
#include "compiler/target/cuda/relayout/Relayout.h"
#include "compiler/target/cuda/rows/RowsFamily.h"
#include "compiler/target/cuda/user/UserFamily.h"

using namespace mlir;

namespace minic::cuda {

CudaTarget::CudaTarget(DeviceProfile profile) : Target(std::move(profile)) {
  static const AttentionFamily attention;
  static const GemmSkinnyFamily skinny;
  static const GemmSm80Family gemmSm80;
  static const GemmSm90Family gemmSm90;
  static const ConvSm80Family convSm80;
  static const ConvSm90Family convSm90;
  static const ConvDepthwiseFamily depthwise;
  static const ImagesFamily images;
  static const GroupNormFamily groupNorm;
  static const PointwiseFamily pointwise;
  static const RowsFamily rows;
  static const LoopsFamily loops;
  static const UserFamily user;
  families_ = {&attention, &skinny,    &gemmSm80, &gemmSm90,  &convSm80,
               &convSm90,  &depthwise, &images,   &pointwise, &groupNorm,
               &rows,      &loops,     &user};
  static const CublasGemm cublas;
  static const CublasltMatmul cublaslt;
  static const CudnnConvolution convolution(/*fusesEpilogue=*/false),
      fusedConvolution(/*fusesEpilogue=*/true);
  static const CudnnMatmul cudnnMatmul;
  static const CudnnAttention cudnnAttention;
  libraries_ = {&cublas,           &cublaslt,    &convolution,
                &fusedConvolution, &cudnnMatmul, &cudnnAttention};
}

std::unique_ptr<KernelFamily>
CudaTarget::createPluginFamily(Plugin &plugin) const {
  return std::make_unique<CudaPluginFamily>(plugin, profile_);
}

void CudaTarget::prepareContext(MLIRContext &context) const {
  cuda::prepareContext(context);
}

LogicalResult CudaTarget::emitRelayout(plan::KernelOp kernel,
                                       ModuleOp device) const {
  return cuda::emitRelayout(kernel, profile_, device);
}

LogicalResult CudaTarget::describe(ModuleOp device, KernelCode &code) const {
  code.assemblyKind = "ptx";
  for (const UserModule &users : getUserModules(device)) {
    code.assembly = users.isCubin ? "" : users.code;
    return success();
  }
  FailureOr<std::string> ptx = emitPtx(device, profile_, &code.llvmIr);
  if (failed(ptx)) {
    return failure();
  }
  code.assembly = *std::move(ptx);
  return success();
}

/// What the assembler said, into the report of `arch`.
static void addResources(std::vector<KernelCode> &report, StringRef arch,
                         ArrayRef<KernelResources> resources, StringRef cubin) {
  for (KernelCode &code : report) {
    for (const KernelResources &kernel : resources) {
      if (code.arch != arch || code.entry != kernel.entry) {
        continue;
      }
      code.registers = kernel.registers;
      code.spillBytes = kernel.spillBytes;
      code.sharedBytes = kernel.sharedBytes;
      code.codeBytes = countCodeBytes(cubin, code.entry);
      constexpr int64_t instructionBytes = 16; // since sm_70
      if (code.codeBytes > 0) {
        code.instructions = code.codeBytes / instructionBytes;
      }
    }
  }
}

static plan::BinaryOp addBinary(StringRef name, StringRef bytes, bool isCubin,
                                const DeviceProfile &profile, Location loc,
                                OpBuilder &builder) {
  auto type = RankedTensorType::get(int64_t(bytes.size()), builder.getI8Type());
  auto data = DenseElementsAttr::getFromRawBuffer(
      type, ArrayRef(bytes.data(), bytes.size()));
  return plan::BinaryOp::create(builder, loc, name, isCubin ? "cubin" : "ptx",
                                profile.features.front(), data);
}

LogicalResult CudaTarget::assemblePtx(StringRef name, std::string ptx,
                                      ModuleOp device, OpBuilder &builder,
                                      StringRef owner) const {
  bool isPtx = StringRef(profile_.features.front()).starts_with("compute_");
  bool isCubin = !isPtx && hasAssembler();
  std::vector<KernelResources> resources;
  std::string bytes = std::move(ptx);
  if (isCubin) {
    FailureOr<std::string> cubin = assembleCubin(
        bytes, profile_.cpu, device, &resources, binaryCache, owner);
    if (failed(cubin)) {
      return failure();
    }
    bytes = *std::move(cubin);
  } else if (!isPtx) {
    device.emitWarning("nothing here assembles PTX (no libnvJitLink.so.13, no "
                       "ptxas): the driver does it whenever the artifact is "
                       "loaded");
  }
  plan::BinaryOp binary =
      addBinary(name, bytes, isCubin, profile_, device.getLoc(), builder);
  if (codeReport) {
    addResources(*codeReport, profile_.cpu, resources, bytes);
  }
  int registers = 0, spills = 0;
  for (const KernelResources &kernel : resources) {
    registers = std::max(registers, kernel.registers);
    spills = std::max(spills, kernel.spillBytes);
  }
  binary->setAttr("registers", builder.getI64IntegerAttr(registers));
  binary->setAttr("spill_bytes", builder.getI64IntegerAttr(spills));
  return success();
}

LogicalResult CudaTarget::assemble(ModuleOp device, OpBuilder &builder) const {
  constexpr StringRef ownName = "cuda_kernels";
  if (!device.getBody()->empty()) {
    FailureOr<std::string> ptx = emitPtx(device, profile_);
    if (failed(ptx) ||
        failed(assemblePtx(ownName, *std::move(ptx), device, builder))) {
      return failure();
    }
  }
  std::vector<UserModule> users = getUserModules(device);
  if (users.empty()) {
    return success();
  }
  // Users' kernels are binaries of their own, so that their symbols meet no
  // others.
  llvm::StringMap<std::pair<std::string, std::string>> places;
  for (const UserModule &user : users) {
    std::string name = "user_" + user.launched;
    if (user.isCubin) {
      addBinary(name, user.code, /*isCubin=*/true, profile_, device.getLoc(),
                builder);
    } else if (failed(
                   assemblePtx(name, user.code, device, builder, user.owner))) {
      return failure();
    }
    places[user.launched] = {name, user.entry};
  }
  auto module = cast<ModuleOp>(builder.getInsertionBlock()->getParentOp());
  module.walk([&](plan::LaunchOp launch) {
    auto place = places.find(launch.getEntry());
    if (place == places.end()) {
      launch.setBinary(ownName);
    } else {
      launch.setBinary(place->second.first);
      launch.setEntry(place->second.second);
    }
  });
  return success();
}

void CudaTarget::expect(StringRef source, kernel::FusionOp fusion,
                        MutableArrayRef<Implementation> implementations) const {
  std::optional<ProductSizes> sizes = getProductSizes(fusion);
  for (Implementation &implementation : implementations) {
    implementation.estimateUs = fitEstimate(
        profile_, source, sizes ? &*sizes : nullptr, implementation);
  }
}

LogicalResult CudaTarget::lowerRelayout(kernel::RelayoutOp op,
                                        plan::PlanBuilder &plan) const {
  return cuda::lowerRelayout(op, plan, profile_);
}

} // namespace minic::cuda

namespace minic {

std::unique_ptr<Target> createCudaTarget(const DeviceProfile &profile) {
  DeviceProfile here = profile;
  here.assemblerMovesRegisters = cuda::assemblerMovesRegisters();
  return std::make_unique<cuda::CudaTarget>(here);
}

} // namespace minic
