// SPDX-License-Identifier: Apache-2.0
//
// Recursive descent to postfix code, and a stack that runs it.

#include "dialects/graph/Formula.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

namespace minic::graph {

using llvm::StringRef;

static constexpr StringRef words[] = {"and", "or",      "not",   "min",
                                      "max", "ceildiv", "select"};

bool isFormulaName(StringRef text) {
  auto isRest = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  return !text.empty() && !llvm::isDigit(text.front()) &&
         llvm::all_of(text, isRest) && !llvm::is_contained(words, text);
}

class FormulaParser {
public:
  FormulaParser(StringRef text, std::string &error)
      : whole(text), rest(text), error(error) {}

  std::optional<std::vector<Formula>> parseAll() {
    std::vector<Formula> formulas;
    do {
      skipBlanks();
      StringRef begin = rest;
      formula = Formula();
      if (!parseOr(0)) {
        return std::nullopt;
      }
      formula.text_ = begin.drop_back(rest.size()).trim().str();
      formulas.push_back(std::move(formula));
    } while (consume(","));
    if (!rest.empty()) {
      fail("the end or an operator");
      return std::nullopt;
    }
    return formulas;
  }

private:
  using Code = Formula::Code;
  /// Deeper ones are refused, as each level is a call.
  static constexpr int kMaxDepth = 100;

  void skipBlanks() { rest = rest.ltrim(); }

  bool fail(StringRef expected) {
    if (error.empty()) {
      StringRef found = rest.take_front(10).take_until(
          [](char c) { return c == ' ' || c == '\n'; });
      error = "expected " + expected.str() + " at character " +
              std::to_string(whole.size() - rest.size() + 1) + ", got " +
              (rest.empty() ? "the end" : "'" + found.str() + "'");
    }
    return false;
  }

  bool consume(StringRef symbol) {
    skipBlanks();
    return rest.consume_front(symbol);
  }
  /// A word is no prefix of a name.
  bool consumeWord(StringRef word) {
    skipBlanks();
    if (peekName() != word) {
      return false;
    }
    rest = rest.drop_front(word.size());
    return true;
  }
  StringRef peekName() const {
    return rest.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
  }
  void emit(Code code, int64_t value = 0) {
    formula.steps_.push_back({code, value});
  }

  bool parseOr(int depth) {
    if (depth > kMaxDepth) {
      return fail("at most 100 levels of nesting");
    }
    if (!parseAnd(depth)) {
      return false;
    }
    while (consumeWord("or")) {
      if (!parseAnd(depth)) {
        return false;
      }
      emit(Code::Or);
    }
    return true;
  }

  bool parseAnd(int depth) {
    if (!parseNot(depth)) {
      return false;
    }
    while (consumeWord("and")) {
      if (!parseNot(depth)) {
        return false;
      }
      emit(Code::And);
    }
    return true;
  }

  bool parseNot(int depth) {
    bool isNegated = false;
    while (consumeWord("not")) {
      isNegated = !isNegated;
    }
    if (!parseComparison(depth)) {
      return false;
    }
    if (isNegated) {
      emit(Code::Not);
    }
    return true;
  }

  bool parseComparison(int depth) {
    if (!parseSum(depth)) {
      return false;
    }
    struct Comparison {
      StringRef symbol;
      Code code;
      bool isNegated; // of the code
    };
    // a > b is not a <= b.
    static constexpr Comparison comparisons[] = {
        {"<=", Code::LessEqual, false}, {">=", Code::Less, true},
        {"==", Code::Equal, false},     {"!=", Code::NotEqual, false},
        {"<", Code::Less, false},       {">", Code::LessEqual, true}};
    for (const Comparison &comparison : comparisons) {
      if (consume(comparison.symbol)) {
        if (!parseSum(depth)) {
          return false;
        }
        emit(comparison.code);
        if (comparison.isNegated) {
          emit(Code::Not);
        }
        return true;
      }
    }
    return true;
  }

  bool parseSum(int depth) {
    if (!parseProduct(depth)) {
      return false;
    }
    while (true) {
      bool isSum = consume("+");
      if (!isSum && !consume("-")) {
        return true;
      }
      if (!parseProduct(depth)) {
        return false;
      }
      emit(isSum ? Code::Add : Code::Subtract);
    }
  }

  bool parseProduct(int depth) {
    if (!parseUnary(depth)) {
      return false;
    }
    while (true) {
      Code code = Code::Multiply;
      if (consume("//") || consume("/")) {
        code = Code::Divide;
      } else if (consume("%")) {
        code = Code::Modulo;
      } else if (!consume("*")) {
        return true;
      }
      if (!parseUnary(depth)) {
        return false;
      }
      emit(code);
    }
  }

  bool parseUnary(int depth) {
    bool isNegative = false;
    while (consume("-")) {
      isNegative = !isNegative;
    }
    if (!parsePrimary(depth)) {
      return false;
    }
    if (isNegative) {
      emit(Code::Negate);
    }
    return true;
  }

  bool parsePrimary(int depth) {
    if (consume("(")) {
      return parseOr(depth + 1) && (consume(")") || fail("')'"));
    }
    StringRef name = peekName();
    if (!name.empty() && llvm::isDigit(name.front())) {
      int64_t value = 0;
      if (name.getAsInteger(10, value)) {
        return fail("an int64");
      }
      rest = rest.drop_front(name.size());
      emit(Code::Number, value);
      return true;
    }
    for (auto [word, code, least, most] :
         {std::tuple("min", Code::Minimum, 2, 100),
          std::tuple("max", Code::Maximum, 2, 100),
          std::tuple("ceildiv", Code::CeilDivide, 2, 2),
          std::tuple("select", Code::Select, 3, 3)}) {
      if (consumeWord(word)) {
        return parseCall(code, least, most, depth);
      }
    }
    if (!isFormulaName(name)) {
      return fail("a number, a name or '('");
    }
    rest = rest.drop_front(name.size());
    auto *known = llvm::find(formula.names_, name);
    emit(Code::Name, known - formula.names_.begin());
    if (known == formula.names_.end()) {
      formula.names_.push_back(name.str());
    }
    return true;
  }

  /// More than two operands are taken pair by pair.
  bool parseCall(Code code, int least, int most, int depth) {
    if (!consume("(")) {
      return fail("'('");
    }
    int count = 0;
    do {
      if (!parseOr(depth + 1)) {
        return false;
      }
      if (++count > 1 && code != Code::Select) {
        emit(code);
      }
    } while (count < most && consume(","));
    if (count < least) {
      return fail("','");
    }
    if (code == Code::Select) {
      emit(code);
    }
    return consume(")") || fail("')'");
  }

  StringRef whole, rest;
  std::string &error;
  Formula formula;
};

std::optional<Formula> Formula::parse(StringRef text, std::string &error) {
  auto list = parseList(text, error);
  if (list && list->size() != 1) {
    error = "expected one formula, got " + std::to_string(list->size());
    return std::nullopt;
  }
  return list ? std::optional(std::move(list->front())) : std::nullopt;
}

std::optional<std::vector<Formula>> Formula::parseList(StringRef text,
                                                       std::string &error) {
  error.clear();
  return FormulaParser(text, error).parseAll();
}

/// Rounds down; `b` is not 0 and the quotient fits.
static int64_t floorDivide(int64_t a, int64_t b) {
  int64_t quotient = a / b;
  return a % b != 0 && (a % b < 0) != (b < 0) ? quotient - 1 : quotient;
}

std::optional<int64_t> Formula::evaluate(Lookup valueOf,
                                         std::string &error) const {
  llvm::SmallVector<int64_t> stack;
  auto fail = [&](const std::string &what) {
    error = what + " in '" + text_ + "'";
    return std::nullopt;
  };
  for (const Step &step : steps_) {
    if (step.code == Code::Number) {
      stack.push_back(step.value);
      continue;
    }
    if (step.code == Code::Name) {
      std::optional<int64_t> value = valueOf(names_[step.value]);
      if (!value) {
        return fail("nothing is called '" + names_[step.value] + "'");
      }
      stack.push_back(*value);
      continue;
    }
    if (step.code == Code::Not) {
      stack.back() = stack.back() == 0;
      continue;
    }
    if (step.code == Code::Negate) {
      if (llvm::SubOverflow(int64_t(0), stack.back(), stack.back())) {
        return fail("int64 overflows");
      }
      continue;
    }
    if (step.code == Code::Select) {
      int64_t otherwise = stack.pop_back_val(), then = stack.pop_back_val();
      stack.back() = stack.back() != 0 ? then : otherwise;
      continue;
    }
    int64_t b = stack.pop_back_val(), a = stack.back(), &result = stack.back();
    bool overflows = false;
    switch (step.code) {
    case Code::Add:
      overflows = llvm::AddOverflow(a, b, result);
      break;
    case Code::Subtract:
      overflows = llvm::SubOverflow(a, b, result);
      break;
    case Code::Multiply:
      overflows = llvm::MulOverflow(a, b, result);
      break;
    case Code::Divide:
    case Code::Modulo:
    case Code::CeilDivide:
      if (b == 0) {
        return fail("a division by 0");
      }
      if (a == INT64_MIN) {
        return fail("int64 overflows");
      }
      result = step.code == Code::Divide   ? floorDivide(a, b)
               : step.code == Code::Modulo ? a - floorDivide(a, b) * b
                                           : -floorDivide(-a, b);
      break;
    case Code::Minimum:
      result = std::min(a, b);
      break;
    case Code::Maximum:
      result = std::max(a, b);
      break;
    case Code::Less:
      result = a < b;
      break;
    case Code::LessEqual:
      result = a <= b;
      break;
    case Code::Equal:
      result = a == b;
      break;
    case Code::NotEqual:
      result = a != b;
      break;
    case Code::And:
      result = a != 0 && b != 0;
      break;
    case Code::Or:
      result = a != 0 || b != 0;
      break;
    default:
      break; // handled above
    }
    if (overflows) {
      return fail("int64 overflows");
    }
  }
  return stack.back();
}

} // namespace minic::graph
