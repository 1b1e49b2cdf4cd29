// SPDX-License-Identifier: Apache-2.0
//
// DotLayout: pictures of graphs by Graphviz's `dot`, where it is installed.

#ifndef MINIC_COMPILER_TRACE_DOTLAYOUT_H
#define MINIC_COMPILER_TRACE_DOTLAYOUT_H

#include "compiler/trace/RepeatedBlock.h"

#include <string>
#include <vector>

namespace minic::trace {

struct DotNode {
  std::string label;
  std::vector<size_t> inputs; // of the same graph
};

struct DotGraph {
  std::string name; // ids of its nodes are "NAME-INDEX"
  std::vector<DotNode> nodes;
  std::vector<RepeatedBlock> repeats; // shown once
};

struct DotPictures {
  /// Parallel to the graphs: an <svg> element, empty where there is none.
  std::vector<std::string> svgs;
  /// Why pictures are missing, for people; empty if none is.
  std::string missing;
};

/// Graphs with more nodes than this, repetitions shown once, have no picture:
/// dot would take seconds.
inline constexpr size_t mostNodesOfPicture = 400;

/// One call of the `dot` on PATH for all graphs. Takes 10 s at most.
DotPictures layOut(const std::vector<DotGraph> &graphs);

/// The graph in dot's language.
std::string toDot(const DotGraph &graph);

} // namespace minic::trace

#endif // MINIC_COMPILER_TRACE_DOTLAYOUT_H
