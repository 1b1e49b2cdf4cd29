// SPDX-License-Identifier: Apache-2.0
//
// The order of parameters is KernelAbi's.

#include "compiler/target/cuda/KernelLaunch.h"

using namespace mlir;

namespace minic::cuda {

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
}

} // namespace minic::cuda
