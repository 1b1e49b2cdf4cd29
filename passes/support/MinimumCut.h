// SPDX-License-Identifier: Apache-2.0
//
// MinimumCut: parts the nodes of a network in two such that the edges from the
// first part to the second cost least.

#ifndef MINIC_PASSES_SUPPORT_MINIMUMCUT_H
#define MINIC_PASSES_SUPPORT_MINIMUMCUT_H

#include <vector>

namespace minic {

class MinimumCut {
public:
  using Node = int;
  /// In the first part and in the second, whatever it costs.
  static constexpr Node source = 0, sink = 1;
  /// Of an edge that is never cut.
  static constexpr double infinite = 1e18;

  Node addNode();
  /// Costs `cost` if `from` is in the first part and `to` in the second.
  void addEdge(Node from, Node to, double cost);
  /// Whether each node is in the first part. Of equal cuts the one with the
  /// smallest first part. Call it once.
  std::vector<bool> run();

private:
  struct Edge {
    Node to;
    double left; // of its cost
  };
  bool findLevels();
  bool pushAlongOnePath();

  std::vector<Edge> edges; // each beside its reverse
  std::vector<std::vector<int>> leaving = {{}, {}};
  std::vector<int> level;
  std::vector<size_t> next;
};

} // namespace minic

#endif // MINIC_PASSES_SUPPORT_MINIMUMCUT_H
