// SPDX-License-Identifier: Apache-2.0
//
// Registration, and what ODS generates.

#include "dialects/kernel/Kernel.h"

#include "dialects/kernel/KernelDialect.cpp.inc"

void minic::kernel::KernelDialect::initialize() {
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "dialects/kernel/KernelOps.cpp.inc"
      >();
}
