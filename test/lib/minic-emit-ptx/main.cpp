// SPDX-License-Identifier: Apache-2.0
//
// minic-emit-ptx: prints the PTX of the plan.kernels of a module, and what the
// assembler says of each, where there is one. A schedule is what the kernel
// says, whatever the estimates would choose.

#include "compiler/target/Target.h"
#include "compiler/target/cuda/Assembler.h"
#include "compiler/target/cuda/CudaProfile.h"
#include "compiler/target/cuda/CudaTarget.h"
#include "dialects/RegisterDialects.h"
#include "dialects/kernel/Kernel.h"
#include "dialects/plan/Plan.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/CommandLine.h"

using namespace mlir;
using namespace minic;

static llvm::cl::opt<std::string> input(llvm::cl::Positional,
                                        llvm::cl::desc("<module>"),
                                        llvm::cl::init("-"));
static llvm::cl::opt<std::string> arch("arch", llvm::cl::init("sm_80"),
                                       llvm::cl::desc("GPU architecture"));
static llvm::cl::opt<bool> tf32("allow-tf32", llvm::cl::init(false),
                                llvm::cl::desc("--float32-precision=tf32"));

static LogicalResult emit(plan::KernelOp kernel, const Target &target,
                          ModuleOp device) {
  auto fusion = dyn_cast<kernel::FusionOp>(kernel.getBody().front().front());
  for (const KernelFamily *family : target.families()) {
    if (fusion && fusion.getImpl() &&
        family->name() == fusion.getImplAttr().getFamily()) {
      return family->emit(kernel, target.profile(), device);
    }
  }
  return kernel.emitError("expects a kernel.fusion with a family's impl");
}

static LogicalResult print(ModuleOp module, const DeviceProfile &profile) {
  auto target = createCudaTarget(profile);
  cuda::prepareContext(*module.getContext());
  OwningOpRef<ModuleOp> device = ModuleOp::create(module.getLoc());
  for (auto kernel : module.getOps<plan::KernelOp>()) {
    if (failed(emit(kernel, *target, *device))) {
      return failure();
    }
  }
  FailureOr<std::string> ptx = cuda::emitPtx(*device, profile);
  if (failed(ptx)) {
    return failure();
  }
  llvm::outs() << *ptx;
  if (!cuda::hasAssembler()) {
    llvm::outs() << "// nothing here assembles PTX\n";
    return success();
  }
  std::vector<cuda::KernelResources> resources;
  if (failed(cuda::assembleCubin(*ptx, profile.cpu, module, &resources))) {
    return failure();
  }
  for (const cuda::KernelResources &kernel : resources) {
    llvm::outs() << "// " << kernel.entry << ": " << kernel.registers
                 << " registers, " << kernel.spillBytes << " bytes spilled, "
                 << kernel.stackBytes << " bytes of stack"
                 << (kernel.serializesWgmma ? ", wgmma serialized" : "")
                 << '\n';
  }
  return success();
}

int main(int argc, char **argv) {
  llvm::cl::ParseCommandLineOptions(argc, argv, "PTX of plan.kernels\n");
  DialectRegistry registry;
  registerDialects(registry);
  MLIRContext context(registry);
  auto module = parseSourceFile<ModuleOp>(input, &context);
  auto profile = cuda::getArchProfile(arch);
  if (!profile) {
    llvm::errs() << "unknown architecture " << arch << '\n';
    return 1;
  }
  profile->allowTf32 = tf32;
  return module && succeeded(print(*module, *profile)) ? 0 : 1;
}
