// SPDX-License-Identifier: Apache-2.0
//
// describeLayouts: what became of the order of images, in lines for people.

#ifndef MINIC_PASSES_GRAPH_LAYOUTS_DESCRIBELAYOUTS_H
#define MINIC_PASSES_GRAPH_LAYOUTS_DESCRIBELAYOUTS_H

#include "passes/graph/layouts/RewriteLayouts.h"

#include <string>
#include <vector>

namespace minic::graph {

/// First how many ops changed their order, of `stated` that state one, then a
/// line for each relayout.
std::vector<std::string> describeLayouts(const LayoutRewrite &done,
                                         unsigned stated, double savedUs);

} // namespace minic::graph

#endif // MINIC_PASSES_GRAPH_LAYOUTS_DESCRIBELAYOUTS_H
