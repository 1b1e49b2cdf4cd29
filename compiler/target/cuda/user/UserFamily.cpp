// SPDX-License-Identifier: Apache-2.0
//
// Compiling and launching of users' kernels.

#include "compiler/target/cuda/user/UserFamily.h"

#include "compiler/target/OfferFusion.h"
#include "compiler/target/UserKernels.h"
#include "compiler/target/codegen/EpilogueText.h"
#include "compiler/target/cuda/UserModules.h"
#include "compiler/target/cuda/user/ForeignCode.h"
#include "compiler/target/cuda/user/NvRtc.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

#include <mutex>

using namespace mlir;

namespace minic::cuda {

using graph::KernelConfig;
using graph::KernelGeometry;
using kernel::FusionOp;

llvm::StringRef UserFamily::name() const { return userFamily; }

llvm::StringRef UserFamily::version() const {
  static const std::string version = [] {
    const NvRtc *compiler = NvRtc::get();
    return "1" + (compiler ? ", " + compiler->version() : std::string());
  }();
  return version;
}

/// "compute_90a" of sm_90a.
static std::string virtualArch(const DeviceProfile &profile) {
  return "compute_" + StringRef(profile.cpu).ltrim("sm_").str();
}

/// What was compiled once is not compiled again by this process: matching,
/// building and the last compilation want the same.
static llvm::Expected<CudaPtx> compileOnce(const CudaSource &source) {
  static std::mutex mutex;
  static llvm::StringMap<CudaPtx> compiled;
  std::string key = source.arch + '\n' + source.entry + '\n' + source.name;
  for (const std::string &option : source.options) {
    key += '\n' + option;
  }
  key += "\n\n" + source.prelude + source.text;
  std::lock_guard<std::mutex> lock(mutex);
  if (auto known = compiled.find(key); known != compiled.end()) {
    return known->second;
  }
  std::string why;
  const NvRtc *compiler = NvRtc::get(&why);
  if (!compiler) {
    return llvm::createStringError(why);
  }
  llvm::Expected<CudaPtx> ptx = compiler->compile(source);
  if (ptx) {
    compiled[key] = *ptx;
  }
  return ptx;
}

/// The kernel's code for `config`, for launches that call it `name`.
static llvm::Expected<UserModule> compile(const UserKernel &kernel,
                                          const KernelConfig &config,
                                          const DeviceProfile &profile,
                                          StringRef name) {
  graph::KernelOp op = kernel.op;
  if (op.getLanguage() == "cubin") {
    if (!op.getFeatures()) {
      return llvm::createStringError(
          "expected features with the architecture that its cubin is for");
    }
    return checkCubin(op.getSource(config.number), op.getEntry(), profile,
                      name);
  }
  CudaPtx ptx = {op.getSource(config.number).str(), op.getEntry().str()};
  if (op.getLanguage() == "cuda") {
    SmallVector<std::string> options;
    for (const auto &[macro, value] : getDefinitions(kernel, config)) {
      options.push_back("-D" + macro + "=" + std::to_string(value));
    }
    llvm::append_range(options, textsOf(op.getFlagsAttr()));
    // CUDA C++ has functions for all of math.
    llvm::Expected<std::string> epilogue =
        writeEpilogue({op, kernel.epilogue, kernel.epilogueInputs}, ptx.text,
                      CLanguage::Cuda, [](ModuleOp) { return success(); });
    if (!epilogue) {
      return epilogue.takeError();
    }
    llvm::Expected<CudaPtx> compiled =
        compileOnce({getSourceName(op, config.number, ".cu"), ptx.text,
                     *epilogue, ptx.entry, virtualArch(profile), options});
    if (!compiled) {
      return compiled.takeError();
    }
    ptx = std::move(*compiled);
  }
  size_t scalars = op.getScalars() ? op.getScalars()->size() : 0;
  llvm::Expected<UserModule> module = checkPtx(
      ptx.text, ptx.entry, unsigned(kernel.countPointers() + scalars), name);
  if (module) {
    module->owner = "kernel " + op.getShownName();
  }
  return module;
}

/// What the device has less of than `geometry` wants; empty where it fits.
static std::string excess(const KernelGeometry &geometry,
                          const DeviceProfile &profile) {
  return excessOf(geometry.grid, geometry.block, geometry.sharedBytes, profile);
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
    int wanted = 0;
    StringRef name = feature;
    bool isExact = name.ends_with("a");
    if (!name.consume_front("sm_") ||
        name.rtrim('a').getAsInteger(10, wanted)) {
      return "expected features like sm_80, got '" + feature + "'";
    }
    if (isExact ? feature != profile.cpu : wanted > profile.smVersion) {
      return "needs " + feature + ", the target is " + profile.cpu;
    }
  }
  std::string why;
  SmallVector<KernelConfig> configs = kernel->sized.configs(why);
  llvm::erase_if(configs, [&](const KernelConfig &config) {
    auto geometry = kernel->sized.geometry(config, why);
    std::string more = geometry ? excess(*geometry, profile) : "";
    why = more.empty() ? why : more;
    return !geometry || !more.empty();
  });
  if (configs.empty()) {
    return "has no configuration for these sizes: " + why;
  }
  return tryKernel(
      fusion, *kernel,
      [&](const UserKernel &tried) -> std::optional<std::string> {
        llvm::Expected<UserModule> module =
            compile(tried, configs.front(), profile, "kernel");
        llvm::Error error =
            module ? checkAssembles(*module, profile) : module.takeError();
        return error ? std::optional(llvm::toString(std::move(error)))
                     : std::nullopt;
      });
}

std::vector<Implementation>
UserFamily::enumerate(FusionOp fusion, const DeviceProfile &profile) const {
  auto kernel = UserKernel::get(fusion);
  // Each tensor once, at the speed of memory: nobody knows better before it is
  // measured, and who wrote a kernel wants it tried.
  double us = getTrafficBytes(fusion) / std::max(profile.memoryGBs, 1.0) * 1e-3;
  std::vector<Implementation> offers = offerConfigs(fusion, *kernel, us);
  llvm::erase_if(offers, [&](const Implementation &offer) {
    std::string why;
    auto config = kernel->sized.findConfig(
        offer.impl.getSchedule().getAs<DictionaryAttr>("config"));
    return !excess(*kernel->sized.geometry(*config, why), profile).empty();
  });
  return offers;
}

LogicalResult UserFamily::lower(FusionOp fusion,
                                plan::PlanBuilder &plan) const {
  FailureOr<ConfiguredKernel> configured = ConfiguredKernel::get(fusion);
  if (failed(configured)) {
    return failure();
  }
  const auto &[kernel, config, geometry] = *configured;
  graph::KernelOp op = kernel.op;
  SmallVector<Value> unread = addContents(fusion, kernel, plan);
  std::string label = configured->label();
  plan::KernelOp planned = plan.kernel(fusion, label);

  OpBuilder &b = plan.builder();
  SmallVector<Value> addresses;
  SmallVector<Attribute> access;
  auto append = [&](Value address, plan::Access how) {
    addresses.push_back(address);
    access.push_back(plan::AccessAttr::get(b.getContext(), how));
  };
  for (unsigned i = 0; i != op.getInputs().size(); ++i) {
    append(plan.addressOf(fusion.getInputs()[kernel.parameterOfInput(i)]),
           plan::Access::Read);
  }
  unsigned firstResult = fusion.getInputs().size();
  for (unsigned i = 0; i != op.getNumResults(); ++i) {
    unsigned place = kernel.parameterOfResult(i) - firstResult;
    append(place < fusion.getNumResults()
               ? plan.addressOf(fusion.getResult(place))
               : unread[place - fusion.getNumResults()],
           plan::Access::Write);
  }
  for (unsigned input : kernel.epilogueInputs) {
    append(plan.addressOf(fusion.getInputs()[input]), plan::Access::Read);
  }
  auto launch = plan::LaunchOp::create(
      b, fusion.getLoc(), cast<StringAttr>(planned.getEntries()[0]),
      geometry.grid, addresses, access, b.getStringAttr(label));
  launch.setBlock(geometry.block);
  launch.setSharedBytes(uint64_t(geometry.sharedBytes));
  launch.setScalars(geometry.scalars);
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
  StringRef entry = cast<StringAttr>(planned.getEntries()[0]).getValue();
  llvm::Expected<UserModule> module =
      compile(configured->kernel, configured->config, profile, entry);
  if (!module) {
    return planned.emitError("unsupported: kernel ")
           << configured->kernel.op.getShownName() << " "
           << llvm::toString(module.takeError());
  }
  addUserModule(device, *module);
  return success();
}

} // namespace minic::cuda
