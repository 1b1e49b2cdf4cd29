// SPDX-License-Identifier: Apache-2.0
//
// The table, and the lines that say what it means.

#include "tools/minic/CompareReport.h"

#include "absl/strings/str_format.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <array>
#include <cmath>

namespace minic {

using llvm::formatv;

/// Names that a line lists before it counts the others.
static constexpr size_t mostListed = 8;

NodeNames::NodeNames(const std::vector<NamedTensor> &tensors) {
  for (const NamedTensor &tensor : tensors) {
    mlir::Operation *op = tensor.value.getDefiningOp();
    if (!tensor.node.empty()) {
      names.try_emplace(tensor.node, tensor.node, tensor.op);
    } else if (op) {
      for (const std::string &place : namesIn(op->getLoc())) {
        names.try_emplace(place, "%" + tensor.name, tensor.op);
      }
    }
  }
}

std::string NodeNames::nodeOf(const std::string &name) const {
  auto it = names.find(name);
  return it == names.end() ? name : it->second.first;
}

std::string NodeNames::opOf(const std::string &name) const {
  return names.lookup(name).second;
}

const CompareRow *CompareSection::firstDifference() const {
  auto it = llvm::find_if(
      rows, [](const CompareRow &row) { return !row.difference.own.matches; });
  return it == rows.end() ? nullptr : &*it;
}

bool CompareReport::differs() const {
  return (against && against->firstDifference()) ||
         (plan && plan->firstDifference());
}

/// NaN has no sign that would mean anything.
static std::string number(double value, int digits = 4) {
  return std::isnan(value) ? "nan" : absl::StrFormat("%.*g", digits, value);
}

static std::string typeOf(const CompareRow &row) {
  std::string text;
  for (int64_t dim : row.dims) {
    text += std::to_string(dim) + "x";
  }
  return text + runtime::toString(row.dtype);
}

/// "[0, 3, 17]"
static std::string placeOf(const CompareRow &row) {
  int64_t rest = row.difference.own.worstElement.index;
  std::vector<std::string> indices(row.dims.size());
  for (size_t i = indices.size(); i-- > 0;) {
    indices[i] = std::to_string(rest % row.dims[i]);
    rest /= row.dims[i];
  }
  return "[" + llvm::join(indices, ", ") + "]";
}

/// "a, b, c and 5 more"
static std::string list(const std::vector<std::string> &names) {
  size_t shown = names.size() > mostListed + 1 ? mostListed : names.size();
  std::string text = llvm::join(names.begin(), names.begin() + shown, ", ");
  return shown == names.size()
             ? text
             : text + " and " + std::to_string(names.size() - shown) + " more";
}

/// Wide where the bound is no test of the tensor.
static bool isVacuous(const CompareRow &row) {
  return row.difference.own.matches && row.difference.ownRms.isVacuous();
}

static std::string remarkOn(const CompareRow &row, bool isPlan) {
  const TensorDifference &difference = row.difference;
  std::vector<std::string> remarks;
  if (!difference.own.matches) {
    remarks.push_back("DIFFERS");
  } else if (isVacuous(row)) {
    remarks.push_back(
        "vacuous: the bound is " + number(difference.ownRms.bound) +
        " of its RMS, the error " + number(difference.ownRms.error));
  }
  if (difference.rows < difference.allRows) {
    remarks.push_back(
        formatv("{0} of {1} rows", difference.rows, difference.allRows).str());
  }
  std::vector<std::string> fused = difference.nodes;
  std::erase(fused, row.node);
  if (isPlan && !fused.empty()) {
    remarks.push_back("fused, not stored: " + list(fused));
  }
  return llvm::join(remarks, "; ");
}

using Cells = std::array<std::string, 10>;

static Cells cellsOf(const CompareRow &row, bool isPlan) {
  const TensorDifference &difference = row.difference;
  const runtime::Comparison::Element &worst = difference.own.worstElement;
  bool isOff = worst.index >= 0;
  return {row.tensor,
          row.node,
          row.op,
          typeOf(row),
          isOff ? number(worst.error) : "0",
          isOff ? number(worst.tolerance) : "-",
          isOff ? number(difference.own.worst) : "0",
          difference.totalRms ? number(*difference.totalRms) : "-",
          isOff ? placeOf(row) + " expected " + number(worst.expected, 9) +
                      ", got " + number(worst.got, 9)
                : "",
          remarkOn(row, isPlan)};
}

static std::string tableOf(const CompareSection &section) {
  std::vector<Cells> lines = {{"tensor", "node", "op", "type", "error", "bound",
                               "ratio", "total", "worst element", ""}};
  for (const CompareRow &row : section.rows) {
    lines.push_back(cellsOf(row, section.file.empty()));
  }
  std::array<size_t, std::tuple_size_v<Cells>> widths = {};
  for (const Cells &line : lines) {
    for (auto [width, cell] : llvm::zip_equal(widths, line)) {
      width = std::max(width, cell.size());
    }
  }
  std::string text;
  for (const Cells &line : lines) {
    std::string padded;
    for (auto [width, cell] : llvm::zip_equal(widths, line)) {
      padded += "  " + cell + std::string(width - cell.size(), ' ');
    }
    text += llvm::StringRef(padded).rtrim().str() + "\n";
  }
  return text;
}

/// What the first difference is, and where it may have arisen.
static std::string verdictOn(const CompareSection &section) {
  const CompareRow *row = section.firstDifference();
  if (!row) {
    size_t vacuous = llvm::count_if(section.rows, isVacuous);
    return vacuous == 0
               ? "no tensor differs\n"
               : formatv("no tensor leaves its bound, but {0} of {1} bounds "
                         "are too wide to tell\n",
                         vacuous, section.rows.size())
                     .str();
  }
  const runtime::Comparison::Element &worst = row->difference.own.worstElement;
  std::string text =
      "first difference: " + (row->node.empty() ? row->tensor : row->node) +
      (row->op.empty() ? "" : " (" + row->op + ")") + ": " + row->tensor +
      placeOf(*row) + " expected " + number(worst.expected, 9) + " ±" +
      number(worst.tolerance) + ", got " + number(worst.got, 9) + "\n";
  if (row->difference.nodes.size() > 1) {
    text += formatv("  it arises in one of {0} nodes after {1}: {2}\n",
                    row->difference.nodes.size(), list(row->from),
                    list(row->difference.nodes))
                .str();
  }
  return text;
}

static std::string textOf(const CompareSection &section) {
  std::string text =
      section.file.empty()
          ? formatv("compiled plan: {0} tensors that it stores\n",
                    section.rows.size())
                .str()
          : formatv("{0}: {1} tensors of the model\n", section.file,
                    section.rows.size())
                .str();
  text += tableOf(section);
  if (!section.unmatched.empty()) {
    text += formatv("no tensor of the model ({0}): {1}\n",
                    section.unmatched.size(), list(section.unmatched))
                .str();
  }
  return text + verdictOn(section);
}

std::string textOf(const CompareReport &report) {
  std::string text;
  if (!report.randomInputs.empty()) {
    text += formatv("random inputs (seed {0}): {1}\n", report.seed,
                    list(report.randomInputs))
                .str();
  }
  if (report.against) {
    text += textOf(*report.against);
  }
  if (report.plan) {
    text += textOf(*report.plan);
  }
  return text;
}

} // namespace minic
