// SPDX-License-Identifier: Apache-2.0
//
// Compiling, launching and calling of users' kernels.

#include "compiler/target/cpu/user/UserFamily.h"

#include "compiler/target/OfferFusion.h"
#include "compiler/target/UserKernels.h"
#include "compiler/target/codegen/EpilogueText.h"
#include "compiler/target/cpu/KernelLaunch.h"
#include "compiler/target/cpu/LinkedModules.h"
#include "compiler/target/cpu/LowerToLlvm.h"
#include "compiler/target/cpu/user/CallModule.h"
#include "compiler/target/cpu/user/CompileC.h"
#include "compiler/target/cpu/user/UserModule.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace minic::cpu {

using graph::KernelConfig;
using kernel::FusionOp;

llvm::StringRef UserFamily::name() const { return userFamily; }

llvm::StringRef UserFamily::version() const {
  static const std::string version = "1, " + getClangVersion();
  return version;
}

/// The kernel's code for `config`.
static llvm::Expected<UserModule> compile(const UserKernel &kernel,
                                          const KernelConfig &config,
                                          const DeviceProfile &profile) {
  graph::KernelOp op = kernel.op;
  std::string ir = op.getSource(config.number).str(), name;
  if (op.getLanguage() == "c") {
    name = getSourceName(op, config.number, ".c");
    auto macros = getDefinitions(kernel, config);
    SmallVector<std::string> flags;
    for (const std::string &feature : textsOf(op.getFeaturesAttr())) {
      flags.push_back("-m" + feature);
    }
    llvm::append_range(flags, textsOf(op.getFlagsAttr()));
    llvm::Expected<std::string> epilogue =
        writeEpilogue({op, kernel.epilogue, kernel.epilogueInputs}, ir,
                      CLanguage::C, approximateMath);
    if (!epilogue) {
      return epilogue.takeError();
    }
    llvm::Expected<std::string> compiled =
        compileC({name, ir, macros, flags, *epilogue}, profile);
    if (!compiled) {
      return compiled.takeError();
    }
    ir = std::move(*compiled);
  } else {
    name = getSourceName(op, config.number, ".ll");
  }
  size_t scalars = op.getScalars() ? op.getScalars()->size() : 0;
  return makeUserModule(ir, name, op.getEntry(),
                        {.pointers = kernel.countPointers(),
                         .integers = unsigned(scalars + 2),
                         .pointersText = describePointers(kernel)},
                        profile);
}

std::optional<std::string>
UserFamily::reject(FusionOp fusion, const DeviceProfile &profile) const {
  auto kernel = UserKernel::get(fusion);
  if (!kernel) {
    return "not a kernel of the user alone";
  }
  graph::KernelOp op = kernel->op;
  if (op.getTargetName() != profile.target) {
    return "its code is of another target";
  }
  for (const std::string &feature : textsOf(op.getFeaturesAttr())) {
    if (!profile.has(feature)) {
      return "needs " + feature + ", which the target lacks";
    }
  }
  std::string why;
  SmallVector<KernelConfig> configs = kernel->sized.configs(why);
  llvm::erase_if(configs, [&](const KernelConfig &config) {
    return !kernel->sized.geometry(config, why);
  });
  if (configs.empty()) {
    return "has no configuration for these sizes: " + why;
  }
  return tryKernel(fusion, *kernel,
                   [&](const UserKernel &tried) -> std::optional<std::string> {
                     llvm::Expected<UserModule> module =
                         compile(tried, configs.front(), profile);
                     return module ? std::nullopt
                                   : std::optional(
                                         llvm::toString(module.takeError()));
                   });
}

std::vector<Implementation>
UserFamily::enumerate(FusionOp fusion, const DeviceProfile &profile) const {
  auto kernel = UserKernel::get(fusion);
  // Each tensor once, as fast as the second cache gives it: nobody knows better
  // before it is measured, and who wrote a kernel wants it tried.
  double us = getTrafficBytes(fusion) /
              (3 * std::max(profile.l3GBs, 1.0) * profile.threads) * 1e-3;
  return offerConfigs(fusion, *kernel, us);
}

LogicalResult UserFamily::lower(FusionOp fusion,
                                plan::PlanBuilder &plan) const {
  FailureOr<ConfiguredKernel> configured = ConfiguredKernel::get(fusion);
  if (failed(configured)) {
    return failure();
  }
  SmallVector<Value> unread = addContents(fusion, configured->kernel, plan);
  std::string label = configured->label();
  addLaunch(plan, fusion, plan.kernel(fusion, label),
            {.tiles = configured->geometry.grid.front(),
             .label = label,
             .workspace = std::move(unread)});
  return success();
}

LogicalResult UserFamily::emit(plan::KernelOp planned,
                               const DeviceProfile &profile,
                               ModuleOp device) const {
  auto configured =
      ConfiguredKernel::get(cast<FusionOp>(planned.getBody().front().front()));
  if (failed(configured)) {
    return failure();
  }
  const auto &[kernel, config, geometry] = *configured;
  graph::KernelOp op = kernel.op;
  llvm::Expected<UserModule> module = compile(kernel, config, profile);
  if (!module) {
    return planned.emitError("unsupported: kernel ")
           << op.getShownName() << " " << llvm::toString(module.takeError());
  }
  ModuleArguments arguments;
  for (unsigned i = 0; i != op.getInputs().size(); ++i) {
    arguments.pointers.push_back(kernel.parameterOfInput(i));
  }
  for (unsigned i = 0; i != op.getNumResults(); ++i) {
    arguments.pointers.push_back(kernel.parameterOfResult(i));
  }
  llvm::append_range(arguments.pointers, kernel.epilogueInputs);
  arguments.scalars = geometry.scalars;
  Operation *entry = callModule(planned, device, *module, arguments);
  if (op.getFeatures()) {
    entry->setAttr(usedFeaturesAttrName, *op.getFeatures());
  }
  return success();
}

} // namespace minic::cpu
