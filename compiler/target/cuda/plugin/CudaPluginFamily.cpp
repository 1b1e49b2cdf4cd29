// SPDX-License-Identifier: Apache-2.0
//
// The code is asked for twice, for its grid and for itself; the answer is
// remembered.

#include "compiler/target/cuda/plugin/CudaPluginFamily.h"

#include "compiler/target/cuda/UserModules.h"
#include "compiler/target/cuda/user/ForeignCode.h"

using namespace mlir;

namespace minic::cuda {

using kernel::FusionOp;

LogicalResult CudaPluginFamily::lower(FusionOp fusion,
                                      plan::PlanBuilder &plan) const {
  FailureOr<PluginCode> code = getCode(fusion, profile);
  if (failed(code)) {
    return failure();
  }
  std::string why =
      excessOf(code->grid, code->block, code->sharedBytes, profile);
  if (!why.empty()) {
    return emitError(fusion, fusion) << why;
  }
  std::string text = "plugin " + label(fusion);
  plan::KernelOp planned = plan.kernel(fusion, text);
  OpBuilder &b = plan.builder();
  SmallVector<Value> addresses;
  SmallVector<Attribute> access;
  auto append = [&](Value value, plan::Access how) {
    addresses.push_back(plan.addressOf(value));
    access.push_back(plan::AccessAttr::get(b.getContext(), how));
  };
  for (Value operand : fusion.getInputs()) {
    append(operand, plan::Access::Read);
  }
  for (Value result : fusion.getResults()) {
    append(result, plan::Access::Write);
  }
  auto launch = plan::LaunchOp::create(
      b, fusion.getLoc(), cast<StringAttr>(planned.getEntries()[0]), code->grid,
      addresses, access, b.getStringAttr(text));
  launch.setBlock(code->block);
  launch.setSharedBytes(uint64_t(code->sharedBytes));
  return success();
}

LogicalResult CudaPluginFamily::emit(plan::KernelOp planned,
                                     const DeviceProfile &profile,
                                     ModuleOp device) const {
  auto fusion = cast<FusionOp>(planned.getBody().front().front());
  FailureOr<PluginCode> code = getCode(fusion, profile);
  if (failed(code)) {
    return failure();
  }
  StringRef name = cast<StringAttr>(planned.getEntries()[0]).getValue();
  llvm::Expected<UserModule> module = [&]() -> llvm::Expected<UserModule> {
    switch (code->kind) {
    case PluginCode::Kind::Ptx:
      return checkPtx(
          code->data, code->entry,
          unsigned(fusion.getInputs().size() + fusion.getNumResults()), name);
    case PluginCode::Kind::Cubin:
      return checkCubin(code->data, code->entry, profile, name);
    case PluginCode::Kind::LlvmIr:
    case PluginCode::Kind::Object:
      break;
    }
    return llvm::createStringError("code for a CPU, the target is a GPU");
  }();
  if (!module) {
    return emitError(planned, fusion) << llvm::toString(module.takeError());
  }
  module->owner = "plug-in " + label(fusion);
  addUserModule(device, *module);
  return success();
}

} // namespace minic::cuda
