// SPDX-License-Identifier: Apache-2.0
//
// Dispatch from an implemented fusion to the source that its impl names, and
// how the kernels of a module meet in one device module.

#include "compiler/target/Target.h"

using namespace mlir;

namespace minic {

void Target::addPlugin(Plugin &plugin) {
  plugins.push_back(createPluginFamily(plugin));
  families_.push_back(plugins.back().get());
}

const ImplementationSource *Target::find(StringRef family) const {
  for (const KernelFamily *source : families()) {
    if (source->name() == family) {
      return source;
    }
  }
  for (const LibraryBackend *source : libraries()) {
    if (source->name() == family) {
      return source;
    }
  }
  return nullptr;
}

LogicalResult Target::lower(Operation *op, plan::PlanBuilder &plan) {
  if (auto relayout = dyn_cast<kernel::RelayoutOp>(op)) {
    return lowerRelayout(relayout, plan);
  }
  auto fusion = dyn_cast<kernel::FusionOp>(op);
  if (!fusion || !fusion.getImplAttr()) {
    return op->emitError("internal error: expected a kernel.fusion with impl "
                         "or a kernel.relayout");
  }
  StringRef family = fusion.getImplAttr().getFamily();
  const ImplementationSource *source = find(family);
  if (!source) {
    return fusion.emitError("target '")
           << profile().target << "' has no kernel family or library '"
           << family << "'";
  }
  return source->lower(fusion, plan);
}

LogicalResult Target::emit(plan::KernelOp kernel, ModuleOp device) const {
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
  return kernel.emitError("target '")
         << profile_.target << "' has no kernel family '" << name << "'";
}

LogicalResult Target::report(plan::KernelOp kernel) const {
  OwningOpRef<ModuleOp> device = ModuleOp::create(kernel.getLoc());
  if (failed(emit(kernel, *device))) {
    return failure();
  }
  KernelCode &code = codeReport->emplace_back();
  code.entry = cast<StringAttr>(kernel.getEntries()[0]).getValue().str();
  code.arch = profile_.cpu;
  llvm::raw_string_ostream(code.deviceIr) << *device << '\n';
  return describe(*device, code);
}

LogicalResult Target::codegen(ModuleOp module) const {
  SmallVector<plan::KernelOp> kernels;
  module.walk([&](plan::KernelOp kernel) {
    if (kernel.getTarget() == profile_.target) {
      kernels.push_back(kernel);
    }
  });
  OwningOpRef<ModuleOp> device = ModuleOp::create(module.getLoc());
  if (kernels.empty()) {
    requireUsedFeatures(module, *device);
    return success();
  }
  prepareContext(*module.getContext());
  for (plan::KernelOp kernel : kernels) {
    if (failed(emit(kernel, *device)) ||
        (codeReport && failed(report(kernel)))) {
      return failure();
    }
  }
  requireUsedFeatures(module, *device);
  OpBuilder builder(kernels.front());
  if (failed(assemble(*device, builder))) {
    return failure();
  }
  for (plan::KernelOp kernel : kernels) {
    kernel.erase();
  }
  return success();
}

} // namespace minic
