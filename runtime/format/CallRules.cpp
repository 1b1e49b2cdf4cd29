// SPDX-License-Identifier: Apache-2.0
//
// checkDescription: the rules of a call's row, one function each.

#include "runtime/format/ViewRules.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

#include <algorithm>

namespace minic::format {

using View = CallDescription::View;
using Attribute = CallDescription::Attribute;

#define RETURN_IF_ERROR(expression)                                            \
  if (absl::Status status = (expression); !status.ok()) {                      \
    return status;                                                             \
  }

template <typename... Args> static absl::Status wrong(const Args &...args) {
  return absl::InvalidArgumentError(absl::StrCat(args...));
}

static absl::Status checkRole(const CallDescription &call, const RoleRule &rule,
                              const View &view) {
  RETURN_IF_ERROR(checkView(view, rule.minRank, rule.maxRank));
  if (rule.isWritten) {
    RETURN_IF_ERROR(checkOverlap(view));
  }
  bool isFloat = view.dtype == DType::f32 || view.dtype == DType::f16 ||
                 view.dtype == DType::bf16;
  if (rule.isFloat && !isFloat) {
    return wrong(rule.name, ": expected f32, f16 or bf16, got ",
                 EnumNameDType(view.dtype));
  }
  if (const View *other = rule.dtypeOf ? call.view(rule.dtypeOf) : nullptr;
      other && other->dtype != view.dtype) {
    return wrong(rule.name, ": expected ", rule.dtypeOf, "'s dtype ",
                 EnumNameDType(other->dtype), ", got ",
                 EnumNameDType(view.dtype));
  }
  if (rule.packedBy && call.integer(rule.packedBy) && !view.isConstant) {
    return wrong("packed ", rule.name, ": expected a constant");
  }
  return absl::OkStatus();
}

/// Each of `found` names one of `rules`, once, and all required are found.
template <typename Rule, typename Found>
static absl::Status
checkNames(absl::Span<const Rule> rules, const std::vector<Found> &found,
           absl::string_view Found::*name, const char *what) {
  for (size_t i = 0; i < found.size(); ++i) {
    absl::string_view given = found[i].*name;
    auto isGiven = [&](const auto &each) { return given == each.name; };
    if (std::none_of(rules.begin(), rules.end(), isGiven)) {
      return wrong(
          "unknown ", what, " '", shown(given), "'; known: ",
          absl::StrJoin(rules, ", ", [](std::string *out, const Rule &rule) {
            out->append(rule.name);
          }));
    }
    for (size_t j = 0; j < i; ++j) {
      if (found[j].*name == given) {
        return wrong(what, " '", given, "' given twice");
      }
    }
  }
  for (const Rule &rule : rules) {
    if (rule.isRequired &&
        std::none_of(found.begin(), found.end(), [&](const Found &each) {
          return each.*name == rule.name;
        })) {
      return wrong("expected the ", what, " '", rule.name, "', got none");
    }
  }
  return absl::OkStatus();
}

static absl::Status checkRange(const AttributeRule &rule, int64_t value) {
  return value < rule.min || value > rule.max
             ? wrong(rule.name, ": expected ", rule.min, " to ", rule.max,
                     ", got ", value)
             : absl::OkStatus();
}

static absl::Status checkAttribute(const AttributeRule &rule,
                                   const Attribute &attribute) {
  static constexpr const char *kKinds[] = {"an integer", "integers", "a number",
                                           "text"};
  const auto &value = attribute.value;
  if (value.index() != size_t(rule.kind)) {
    return wrong(rule.name, ": expected ", kKinds[int(rule.kind)], ", got ",
                 kKinds[value.index()]);
  }
  if (const auto *integer = std::get_if<int64_t>(&value)) {
    return checkRange(rule, *integer);
  }
  if (const auto *list = std::get_if<absl::Span<const int64_t>>(&value)) {
    for (int64_t each : *list) {
      RETURN_IF_ERROR(checkRange(rule, each));
    }
  }
  if (const auto *text = std::get_if<absl::string_view>(&value);
      text && std::none_of(rule.names.begin(), rule.names.end(),
                           [&](const char *name) { return *text == name; })) {
    return wrong(rule.name, ": expected ", absl::StrJoin(rule.names, " or "),
                 ", got '", shown(*text), "'");
  }
  return absl::OkStatus();
}

static absl::Status checkEpilogue(const CallDescription &call,
                                  const EpilogueRule &rule) {
  if (call.epilogue.size() > rule.maxOps) {
    return wrong("epilogue: expected ", rule.maxOps, " ops at most, got ",
                 call.epilogue.size());
  }
  for (const CallDescription::PostOp &postOp : call.epilogue) {
    if (!postOp.isBinary) {
      if (postOp.kind < 0 || postOp.kind > int(EltwiseKind::MAX)) {
        return wrong("epilogue: unknown eltwise kind ", postOp.kind);
      }
      if (!(rule.eltwise >> postOp.kind & 1)) {
        return wrong("epilogue: ", call.library, " ", call.op, " takes no ",
                     EnumNameEltwiseKind(EltwiseKind(postOp.kind)));
      }
      continue;
    }
    if (postOp.kind < 0 || postOp.kind > int(BinaryKindPostOp::MAX)) {
      return wrong("epilogue: unknown binary kind ", postOp.kind);
    }
    if (!rule.takesBinary) {
      return wrong("epilogue: ", call.library, " ", call.op,
                   " takes no binary ops");
    }
    RETURN_IF_ERROR(checkView(postOp.operand, 2, 12));
    RETURN_IF_ERROR(checkShape(postOp.operand, ShapeRule::broadcasts,
                               *call.view("result")));
  }
  return absl::OkStatus();
}

static absl::Status checkAlgorithm(absl::string_view algorithm,
                                   AlgorithmRule rule) {
  if (algorithm.empty() || rule == AlgorithmRule::text) {
    return absl::OkStatus();
  }
  if (rule == AlgorithmRule::none) {
    return wrong("algorithm: expected none, got '", shown(algorithm), "'");
  }
  bool isHex = algorithm.find_first_not_of("0123456789abcdef") ==
               absl::string_view::npos;
  return isHex && algorithm.size() == 128
             ? absl::OkStatus()
             : wrong("algorithm: expected 64 bytes in hexadecimal, got ",
                     algorithm.size(), " characters");
}

absl::Status checkDescription(const CallDescription &call) {
  const CallRule *rule = findCall(call.library, call.op);
  if (!rule) {
    return wrong("unknown library call");
  }
  RETURN_IF_ERROR(
      checkNames(rule->roles, call.operands, &View::role, "operand"));
  RETURN_IF_ERROR(checkNames(rule->attributes, call.attributes,
                             &Attribute::name, "attribute"));
  for (const AttributeRule &attribute : rule->attributes) {
    for (const Attribute &given : call.attributes) {
      if (given.name == attribute.name) {
        RETURN_IF_ERROR(checkAttribute(attribute, given));
      }
    }
  }
  for (const RoleRule &role : rule->roles) {
    if (const View *view = call.view(role.name)) {
      RETURN_IF_ERROR(checkRole(call, role, *view));
    }
  }
  RETURN_IF_ERROR(checkEpilogue(call, rule->epilogue));
  for (CallRelation relation : rule->relations) {
    RETURN_IF_ERROR(relation(call));
  }
  const View *result = call.view("result");
  for (const RoleRule &role : rule->roles) {
    if (const View *view = call.view(role.name); view && result) {
      RETURN_IF_ERROR(checkShape(*view, role.shape, *result));
    }
  }
  RETURN_IF_ERROR(checkAlgorithm(call.algorithm, rule->algorithm));
  return absl::OkStatus();
}

} // namespace minic::format
