// SPDX-License-Identifier: Apache-2.0
//
// The order of parameters is KernelAbi's.

#include "compiler/target/cuda/KernelLaunch.h"

using namespace mlir;

namespace minic::cuda {

LogicalResult checkProgrammatic(plan::KernelOp kernel, bool programmatic,
                                const DeviceProfile &profile) {
  if (!programmatic || profile.smVersion >= 90) {
    return success();
  }
  return kernel.emitError("programmatic launches need sm_90, got ")
         << profile.cpu;
}

void addLaunch(plan::PlanBuilder &plan, Operation *op, plan::KernelOp kernel,
               const KernelLaunch &launch, size_t entry) {
  OpBuilder &b = plan.builder();
  SmallVector<Value> addresses;
  SmallVector<Attribute> access;
  auto append = [&](Value address, plan::Access how) {
    addresses.push_back(address);
    access.push_back(plan::AccessAttr::get(b.getContext(), how));
  };
  for (Value operand : op->getOperands()) {
    append(plan.addressOf(operand), plan::Access::Read);
  }
  for (Value result : op->getResults()) {
    append(plan.addressOf(result), plan::Access::Write);
  }
  for (Value address : launch.workspace) {
    append(address, plan::Access::Write);
  }
  if (launch.runSize) {
    append(launch.runSize, plan::Access::Read);
  }
  auto command = plan::LaunchOp::create(
      b, op->getLoc(), cast<StringAttr>(kernel.getEntries()[entry]),
      launch.grid, addresses, access, b.getStringAttr(launch.label));
  command.setBlock({launch.threads});
  if (launch.clusterX > 0) {
    command.setCluster({launch.clusterX});
  }
  command.setSharedBytes(uint64_t(launch.sharedBytes));
  command.setProgrammatic(launch.programmatic);
  command.setScalars(launch.scalars);
  if (!launch.tensorMaps.empty()) {
    SmallVector<Attribute> maps(launch.tensorMaps.begin(),
                                launch.tensorMaps.end());
    command.setTensorMapsAttr(b.getArrayAttr(maps));
  }
}

} // namespace minic::cuda
