// SPDX-License-Identifier: Apache-2.0
//
// The maximum flow by Dinic's algorithm (1970): what it cannot reach any more
// is the second part.

#include "passes/support/MinimumCut.h"

#include <algorithm>
#include <cstddef>

namespace minic {

/// Below this an edge counts as full. Costs are microseconds.
constexpr double nothing = 1e-9;

MinimumCut::Node MinimumCut::addNode() {
  leaving.emplace_back();
  return Node(leaving.size()) - 1;
}

void MinimumCut::addEdge(Node from, Node to, double cost) {
  leaving[size_t(from)].push_back(int(edges.size()));
  edges.push_back({to, cost});
  leaving[size_t(to)].push_back(int(edges.size()));
  edges.push_back({from, 0});
}

bool MinimumCut::findLevels() {
  level.assign(leaving.size(), -1);
  level[source] = 0;
  std::vector<Node> queue = {source};
  for (size_t i = 0; i != queue.size(); ++i) {
    for (int edge : leaving[size_t(queue[i])]) {
      const Edge &e = edges[size_t(edge)];
      if (e.left > nothing && level[size_t(e.to)] < 0) {
        level[size_t(e.to)] = level[size_t(queue[i])] + 1;
        queue.push_back(e.to);
      }
    }
  }
  return level[sink] >= 0;
}

bool MinimumCut::pushAlongOnePath() {
  std::vector<int> path; // of edges
  Node node = source;
  while (node != sink) {
    size_t &at = next[size_t(node)];
    if (at != leaving[size_t(node)].size()) {
      int edge = leaving[size_t(node)][at];
      const Edge &e = edges[size_t(edge)];
      if (e.left > nothing && level[size_t(e.to)] == level[size_t(node)] + 1) {
        path.push_back(edge);
        node = e.to;
      } else {
        ++at;
      }
      continue;
    }
    if (path.empty()) {
      return false;
    }
    node = edges[size_t(path.back()) ^ 1].to;
    path.pop_back();
    ++next[size_t(node)];
  }
  double pushed = infinite;
  for (int edge : path) {
    pushed = std::min(pushed, edges[size_t(edge)].left);
  }
  for (int edge : path) {
    edges[size_t(edge)].left -= pushed;
    edges[size_t(edge) ^ 1].left += pushed;
  }
  return true;
}

std::vector<bool> MinimumCut::run() {
  while (findLevels()) {
    next.assign(leaving.size(), 0);
    while (pushAlongOnePath()) {
    }
  }
  std::vector<bool> isFirst(leaving.size());
  for (size_t node = 0; node != leaving.size(); ++node) {
    isFirst[node] = level[node] >= 0;
  }
  return isFirst;
}

} // namespace minic
