// SPDX-License-Identifier: Apache-2.0
//
// All that the dialect registers, for one TableGen run.

include "dialects/graph/ConstantAttrs.td"
include "dialects/graph/GraphKernelOps.td"
include "dialects/graph/GraphOps.td"
