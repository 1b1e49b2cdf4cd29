// SPDX-License-Identifier: Apache-2.0
//
// Formula: integer arithmetic over names, as users' kernels say their grids,
// shared memory and the rules of their configurations.

#ifndef MINIC_DIALECTS_GRAPH_FORMULA_H
#define MINIC_DIALECTS_GRAPH_FORMULA_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace minic::graph {

/// Numbers, names, `+ - * / %`, comparisons (1 or 0), `and`, `or`, `not`,
/// parentheses, `min(a, b, ...)`, `max(a, b, ...)`, `ceildiv(a, b)` and
/// `select(condition, a, b)`; binding as in Python. All is int64; `/` and `%`
/// round down, as in Python.
class Formula {
public:
  /// Of names that a formula uses; none where it is not known.
  using Lookup =
      llvm::function_ref<std::optional<int64_t>(llvm::StringRef name)>;

  /// None for text that is no formula; `error` then says what was expected, and
  /// where.
  static std::optional<Formula> parse(llvm::StringRef text, std::string &error);
  /// The formulas of a list with commas between them; none of an empty one.
  static std::optional<std::vector<Formula>> parseList(llvm::StringRef text,
                                                       std::string &error);

  /// As it was written, without blanks around it.
  llvm::StringRef text() const { return text_; }
  /// Each once, in order of first use.
  llvm::ArrayRef<std::string> names() const { return names_; }
  /// None where a name is not known, a divisor is 0 or int64 overflows; `error`
  /// then says which.
  std::optional<int64_t> evaluate(Lookup valueOf, std::string &error) const;

private:
  friend class FormulaParser;
  enum class Code {
    Number, // value
    Name,   // value: index of the name
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
    CeilDivide,
    Minimum,
    Maximum,
    Less,
    LessEqual,
    Equal,
    NotEqual,
    And,
    Or,
    Not,
    Negate,
    Select
  };
  struct Step {
    Code code;
    int64_t value = 0;
  };

  std::string text_;
  llvm::SmallVector<std::string> names_;
  llvm::SmallVector<Step> steps_; // postfix
};

/// A letter or `_`, then letters, digits and `_`; no word of formulas.
bool isFormulaName(llvm::StringRef text);

} // namespace minic::graph

#endif // MINIC_DIALECTS_GRAPH_FORMULA_H
