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

/// As a key: equal kernels have equal text.
static std::string textOf(plan::KernelOp kernel) {
  std::string text;
  llvm::raw_string_ostream os(text);
  kernel->print(os, OpPrintingFlags().useLocalScope());
  return text;
}

FailureOr<bool> Target::codegenApart(ModuleOp module,
                                     ArrayRef<plan::KernelOp> kernels) const {
  SmallVector<plan::BinaryOp> binaries;
  for (plan::KernelOp kernel : kernels) {
    OwningOpRef<plan::BinaryOp> &known = binariesApart[textOf(kernel)];
    if (!known) {
      OwningOpRef<ModuleOp> device = ModuleOp::create(kernel.getLoc());
      OwningOpRef<ModuleOp> made = ModuleOp::create(kernel.getLoc());
      auto builder = OpBuilder::atBlockEnd(made->getBody());
      if (failed(emit(kernel, *device))) {
        return failure();
      }
      if (device->getBody()->empty()) {
        return false;
      }
      if (failed(assemble(*device, builder))) {
        return failure();
      }
      known = *made->getOps<plan::BinaryOp>().begin();
      (*known)->remove();
    }
    binaries.push_back(*known);
  }
  llvm::StringMap<std::string> binaryOf; // by entry
  for (size_t i = 0; i != kernels.size(); ++i) {
    plan::KernelOp kernel = kernels[i];
    auto binary = cast<plan::BinaryOp>(OpBuilder(kernel).clone(*binaries[i]));
    binary.setSymName(("kernel_" + llvm::Twine(i)).str());
    for (Attribute entry : kernel.getEntries()) {
      binaryOf[cast<StringAttr>(entry)] = binary.getSymName();
    }
  }
  module.walk([&](plan::LaunchOp launch) {
    auto binary = binaryOf.find(launch.getEntry());
    if (binary != binaryOf.end()) {
      launch.setBinary(binary->second);
    }
  });
  for (plan::KernelOp kernel : kernels) {
    kernel.erase();
  }
  return true;
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
  if (kernelsApart && profile_.isGpu()) {
    FailureOr<bool> isDone = codegenApart(module, kernels);
    if (failed(isDone)) {
      return failure();
    }
    if (*isDone) {
      return success();
    }
  }
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
