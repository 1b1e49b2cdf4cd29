// SPDX-License-Identifier: Apache-2.0
//
// The rules of kernel-fuse about caches that are updated in place.

#ifndef MINIC_PASSES_KERNEL_CACHERULES_H
#define MINIC_PASSES_KERNEL_CACHERULES_H

#include "passes/kernel/FusionGroups.h"

#include "dialects/graph/Graph.h"

namespace minic::kernel {

/// Rule 9: an update takes the ops that make its new elements, if nothing else
/// reads them.
void takeNewElements(FusionGroups &groups, graph::CacheUpdateOp update);

/// Rule 11: updates of one shape are one fusion, if none reads what another
/// writes.
void joinUpdates(FusionGroups &groups);

/// Rule 13: attention takes the updates of its key and value, the rotary
/// embedding of its query and a copy of what counts its keys.
void takeUpdates(FusionGroups &groups, graph::AttentionOp attention);

} // namespace minic::kernel

#endif // MINIC_PASSES_KERNEL_CACHERULES_H
