// SPDX-License-Identifier: Apache-2.0
//
// The order of parameters is KernelAbi's.

#include "compiler/target/cpu/KernelLaunch.h"

using namespace mlir;

namespace minic::cpu {

void addLaunch(plan::PlanBuilder &plan, Operation *op, plan::KernelOp kernel,
               const KernelLaunch &launch, size_t entry) {
  OpBuilder &b = plan.builder();
  SmallVector<Value> addresses;
  SmallVector<Attribute> access;
  auto append = [&](ValueRange tensors, plan::Access how) {
    for (Value tensor : tensors) {
      addresses.push_back(plan.addressOf(tensor));
      access.push_back(plan::AccessAttr::get(b.getContext(), how));
    }
  };
  append(op->getOperands(), plan::Access::Read);
  append(op->getResults(), plan::Access::Write);
  for (Value address : launch.workspace) {
    addresses.push_back(address);
    access.push_back(
        plan::AccessAttr::get(b.getContext(), plan::Access::Write));
  }
  if (launch.runSize) {
    addresses.push_back(launch.runSize);
    access.push_back(plan::AccessAttr::get(b.getContext(), plan::Access::Read));
  }
  Value scratch;
  if (launch.scratchBytes > 0) {
    scratch = plan.buffer(launch.scratchBytes * plan.threads());
  }
  plan::LaunchOp::create(
      b, op->getLoc(), cast<StringAttr>(kernel.getEntries()[entry]),
      {launch.tiles}, addresses, access, b.getStringAttr(launch.label), scratch,
      launch.scratchBytes);
}

} // namespace minic::cpu
