// SPDX-License-Identifier: Apache-2.0
//
// Einsum: operands are contracted from left to right, two at a time, each pair
// as a batched product of matrices.

#include "compiler/import/onnx/OpTable.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <map>
#include <set>

namespace minic {

namespace {

/// A tensor whose dimensions have labels. Those of an ellipsis are digits and
/// beyond, in the order of the dimensions from the last one back.
struct Labelled {
  Value value;
  std::string labels;
};

/// "ij,jk->ik": the labels of operands and of the result.
struct Equation {
  std::vector<std::string> operands;
  std::string result;
};

} // namespace

/// Dimensions of an ellipsis at most.
static constexpr int64_t maxEllipsis = 8;

/// `term` with the ellipsis written out for `hidden` dimensions; empty, and the
/// node fails, where it is no term.
static std::string labelsOf(Node &n, llvm::StringRef term, int64_t hidden) {
  std::string labels;
  for (size_t i = 0; i < term.size(); ++i) {
    if (term.substr(i).starts_with("...")) {
      for (int64_t k = hidden; k-- > 0;) {
        labels.push_back(char('0' + k));
      }
      i += 2;
    } else if (llvm::isAlpha(term[i])) {
      labels.push_back(term[i]);
    } else {
      n.fail("the term '" + term + "'");
      return {};
    }
  }
  return labels;
}

static std::optional<Equation> readEquation(Node &n,
                                            llvm::ArrayRef<Value> values) {
  std::string text = n.stringOf("equation", "");
  llvm::erase_if(text, [](char c) { return c == ' '; });
  auto [left, right] = llvm::StringRef(text).split("->");
  llvm::SmallVector<llvm::StringRef> terms;
  left.split(terms, ',');
  if (terms.size() != values.size()) {
    n.fail("the equation '" + text + "'");
    return std::nullopt;
  }
  Equation equation;
  std::map<char, int> uses;
  int64_t most = 0;
  for (auto [term, value] : llvm::zip_equal(terms, values)) {
    int64_t named = int64_t(term.size()) - (term.contains("...") ? 3 : 0);
    int64_t hidden = term.contains("...") ? value.rank() - named : 0;
    if (hidden < 0 || hidden > maxEllipsis) {
      n.fail("the equation '" + text + "'");
      return std::nullopt;
    }
    most = std::max(most, hidden);
    equation.operands.push_back(labelsOf(n, term, hidden));
    if (int64_t(equation.operands.back().size()) != value.rank()) {
      n.fail("the equation '" + text + "'");
      return std::nullopt;
    }
    for (char label : equation.operands.back()) {
      uses[label] += 1;
    }
  }
  if (llvm::StringRef(text).contains("->")) {
    equation.result = labelsOf(n, right, most);
  } else {
    equation.result = labelsOf(n, "...", most);
    for (auto [label, count] : uses) {
      if (llvm::isAlpha(label) && count == 1) {
        equation.result.push_back(label);
      }
    }
  }
  for (char label : equation.result) {
    if (!uses.count(label) ||
        llvm::StringRef(equation.result).count(label) > 1) {
      n.fail("the equation '" + text + "'");
      return std::nullopt;
    }
  }
  return n.failed() ? std::nullopt : std::optional(equation);
}

/// A label that is there twice is a diagonal.
static Labelled diagonal(Node &n, Labelled x) {
  for (size_t i = 0; i < x.labels.size() && x.value; ++i) {
    size_t other = x.labels.find(x.labels[i], i + 1);
    if (other == std::string::npos) {
      continue;
    }
    int64_t extent = x.value.dims[i];
    if (x.value.dims[other] != extent) {
      n.fail("a diagonal of unequal dimensions");
      return {};
    }
    Dims order, apart, steps, starts, counts;
    std::string labels;
    for (size_t d = 0; d < x.labels.size(); ++d) {
      if (d != i && d != other) {
        order.push_back(int64_t(d));
        apart.push_back(x.value.dims[d]);
        labels.push_back(x.labels[d]);
      }
    }
    order.append({int64_t(i), int64_t(other)});
    apart.push_back(extent * extent);
    labels.push_back(x.labels[i]);
    starts.assign(apart.size(), 0);
    steps.assign(apart.size(), 1);
    counts = apart;
    steps.back() = extent == 1 ? 1 : extent + 1;
    counts.back() = extent;
    x.value = n.e.slice(n.e.reshape(n.e.transpose(x.value, order), apart),
                        starts, counts, steps);
    x.labels = labels;
    return diagonal(n, x);
  }
  return x;
}

/// Sums over labels that are not among `kept`.
static Labelled summed(Node &n, const Labelled &x, const std::set<char> &kept) {
  Dims axes;
  std::string labels;
  for (auto [d, label] : llvm::enumerate(x.labels)) {
    if (kept.count(label)) {
      labels.push_back(label);
    } else {
      axes.push_back(int64_t(d));
    }
  }
  return {n.e.reduce(graph::ReduceKind::Sum, x.value, axes, false), labels};
}

/// Labels of x that satisfy `isWanted`, in their order.
static std::string pick(const Labelled &x,
                        llvm::function_ref<bool(char)> isWanted) {
  std::string picked;
  for (char label : x.labels) {
    if (isWanted(label)) {
      picked.push_back(label);
    }
  }
  return picked;
}

/// x in the order of `labels`, which it has; with `sizes`, where a dimension of
/// 1 is repeated, merged into as many dimensions as there are groups.
static Value arranged(Node &n, const Labelled &x,
                      llvm::ArrayRef<std::string> groups,
                      const std::map<char, int64_t> &sizes) {
  Dims order, wide, merged;
  for (const std::string &group : groups) {
    int64_t size = 1;
    for (char label : group) {
      order.push_back(int64_t(x.labels.find(label)));
      wide.push_back(sizes.at(label));
      // What 64 bits do not hold, no tensor has: expand fails.
      if (__builtin_mul_overflow(size, wide.back(), &size)) {
        return n.fail("a product of more than 2^47 elements");
      }
    }
    merged.push_back(size);
  }
  return n.e.reshape(n.e.expand(n.e.transpose(x.value, order), wide), merged);
}

static Labelled contracted(Node &n, Labelled x, Labelled y,
                           const std::set<char> &kept) {
  auto isIn = [](const Labelled &tensor) {
    return [&tensor](char label) {
      return tensor.labels.find(label) != std::string::npos;
    };
  };
  auto inX = isIn(x), inY = isIn(y);
  std::string batch = pick(x, [&](char l) { return inY(l) && kept.count(l); });
  std::string inner = pick(x, [&](char l) { return inY(l) && !kept.count(l); });
  std::string rows = pick(x, [&](char l) { return !inY(l); });
  std::string columns = pick(y, [&](char l) { return !inX(l); });
  std::map<char, int64_t> sizes;
  for (const Labelled *tensor : {&x, &y}) {
    for (auto [d, label] : llvm::enumerate(tensor->labels)) {
      int64_t extent = tensor->value.dims[d];
      int64_t &size = sizes.try_emplace(label, extent).first->second;
      if (size != extent && size != 1 && extent != 1) {
        n.fail("dimensions of one label that do not broadcast");
        return {};
      }
      size = std::max(size, extent);
    }
  }
  mlir::Value lhs = n.e.graph(arranged(n, x, {batch, rows, inner}, sizes));
  mlir::Value rhs = n.e.graph(arranged(n, y, {batch, inner, columns}, sizes));
  if (!lhs || !rhs) {
    return {};
  }
  Value product = n.e.emit<graph::MatmulOp>(lhs, rhs, false, false);
  std::string labels = batch + rows + columns;
  Dims dims;
  for (char label : labels) {
    dims.push_back(sizes[label]);
  }
  return {n.e.reshape(product, dims), labels};
}

static void einsum(Node &n) {
  std::vector<Value> values;
  for (unsigned i = 0; i < n.operandCount(); ++i) {
    values.push_back(n.operand(i));
  }
  if (n.failed() || values.empty()) {
    n.fail("no operands");
    return;
  }
  std::optional<Equation> equation = readEquation(n, values);
  if (!equation) {
    return;
  }
  Labelled left;
  for (size_t i = 0; i < values.size(); ++i) {
    // What comes later or is asked for stays.
    std::set<char> kept(equation->result.begin(), equation->result.end());
    for (size_t k = i + 1; k < values.size(); ++k) {
      kept.insert(equation->operands[k].begin(), equation->operands[k].end());
    }
    std::set<char> own = kept;
    own.insert(left.labels.begin(), left.labels.end());
    Labelled right =
        summed(n, diagonal(n, {values[i], equation->operands[i]}), own);
    if (i > 0) {
      std::set<char> both = kept;
      both.insert(right.labels.begin(), right.labels.end());
      left = contracted(n, summed(n, left, both), right, kept);
    } else {
      left = right;
    }
    if (n.failed()) {
      return;
    }
  }
  Dims order;
  for (char label : equation->result) {
    order.push_back(int64_t(left.labels.find(label)));
  }
  n.set(0, n.e.transpose(left.value, order));
}

llvm::ArrayRef<OpEntry> einsumOps() {
  static const OpEntry table[] = {{"Einsum", einsum, 12}};
  return table;
}

} // namespace minic
