// SPDX-License-Identifier: Apache-2.0
//
// CompareReport: what minic compare found, as a table or JSON.

#ifndef MINIC_TOOLS_MINIC_COMPAREREPORT_H
#define MINIC_TOOLS_MINIC_COMPAREREPORT_H

#include "compiler/compare/CompareTensors.h"
#include "compiler/import/NamedTensors.h"

#include "llvm/ADT/StringMap.h"

#include <optional>
#include <string>
#include <vector>

namespace minic {

/// How people know the nodes that locations stand for. Names are as namesIn
/// says them; those of a text are places in it.
class NodeNames {
public:
  explicit NodeNames(const std::vector<NamedTensor> &tensors);
  /// "/encoder/Add", "%hidden"; the name itself where it is unknown.
  std::string nodeOf(const std::string &name) const;
  /// "LayerNormalization"; empty where it is unknown.
  std::string opOf(const std::string &name) const;

private:
  llvm::StringMap<std::pair<std::string, std::string>> names;
};

struct CompareRow {
  std::string tensor;
  std::string node, op; // may be empty
  runtime::DType dtype;
  std::vector<int64_t> dims;
  /// Names of what it was computed from.
  std::vector<std::string> from;
  TensorDifference difference;
};

/// Tensors of one source, in the order of the model.
struct CompareSection {
  /// The file; empty for the compiled plan.
  std::string file;
  std::vector<CompareRow> rows;
  std::vector<std::string> unmatched;

  /// The first row whose own error leaves its bound; null where none does.
  const CompareRow *firstDifference() const;
};

struct CompareReport {
  std::string model;
  std::vector<std::string> randomInputs;
  uint64_t seed = 0;
  std::optional<CompareSection> against, plan;

  bool differs() const;
};

std::string textOf(const CompareReport &report);
/// See docs/json.md.
std::string jsonOf(const CompareReport &report);

} // namespace minic

#endif // MINIC_TOOLS_MINIC_COMPAREREPORT_H
