// SPDX-License-Identifier: Apache-2.0
//
// The code is asked for twice, for its tiles and for itself; the answer is
// remembered.

#include "compiler/target/cpu/plugin/CpuPluginFamily.h"

#include "compiler/target/cpu/KernelLaunch.h"
#include "compiler/target/cpu/LinkedModules.h"
#include "compiler/target/cpu/user/CallModule.h"
#include "compiler/target/cpu/user/ObjectModule.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace minic::cpu {

using kernel::FusionOp;

/// The one extension beyond ISA levels that variants name only where it is
/// used (UsedFeatures.cpp).
static constexpr StringLiteral bf16Feature = "avx512bf16";

LogicalResult CpuPluginFamily::lower(FusionOp fusion,
                                     plan::PlanBuilder &plan) const {
  FailureOr<PluginCode> code = getCode(fusion, profile);
  if (failed(code)) {
    return failure();
  }
  std::string text = "plugin " + label(fusion);
  addLaunch(plan, fusion, plan.kernel(fusion, text),
            {.tiles = code->tiles, .label = text});
  return success();
}

LogicalResult CpuPluginFamily::emit(plan::KernelOp planned,
                                    const DeviceProfile &profile,
                                    ModuleOp device) const {
  auto fusion = cast<FusionOp>(planned.getBody().front().front());
  FailureOr<PluginCode> code = getCode(fusion, profile);
  if (failed(code)) {
    return failure();
  }
  bool isObject = code->kind == PluginCode::Kind::Object;
  if (!isObject && code->kind != PluginCode::Kind::LlvmIr) {
    return emitError(planned, fusion) << "code for a GPU, the target is a CPU";
  }
  size_t pointers = fusion.getInputs().size() + fusion.getNumResults();
  llvm::Expected<UserModule> module =
      isObject ? makeObjectModule(code->data, code->entry)
               : makeUserModule(code->data, "its LLVM IR", code->entry,
                                {.pointers = unsigned(pointers), .integers = 2},
                                profile);
  if (!module) {
    return emitError(planned, fusion) << llvm::toString(module.takeError());
  }
  Operation *entry = callModule(
      planned, device, *module,
      {llvm::to_vector(llvm::seq<unsigned>(0, unsigned(pointers))), {}});
  if (!isObject && StringRef(code->data).contains(bf16Feature)) {
    OpBuilder b(device.getContext());
    entry->setAttr(usedFeaturesAttrName, b.getStrArrayAttr({bf16Feature}));
  }
  return success();
}

} // namespace minic::cpu
