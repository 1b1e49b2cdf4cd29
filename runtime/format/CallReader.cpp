// SPDX-License-Identifier: Apache-2.0
//
// Lists are a handful of entries, read when a plan is loaded.

#include "runtime/format/CallReader.h"

#include "runtime/format/CallTable.h"

#include "absl/strings/str_cat.h"

namespace minic::format {

const TensorView *CallReader::view(absl::string_view role) const {
  for (const CallOperand *operand : *call_.operands()) {
    if (toView(*operand->role()) == role) {
      return operand->view();
    }
  }
  return nullptr;
}

const CallAttribute *CallReader::attribute(absl::string_view name) const {
  for (uint32_t i = 0; call_.attributes() && i < call_.attributes()->size();
       ++i) {
    const CallAttribute *attribute = call_.attributes()->Get(i);
    if (toView(*attribute->name()) == name) {
      return attribute;
    }
  }
  return nullptr;
}

int64_t CallReader::integer(absl::string_view name) const {
  const CallAttribute *found = attribute(name);
  return found ? found->value_as_IntValue()->value() : 0;
}

absl::Span<const int64_t> CallReader::integers(absl::string_view name) const {
  const CallAttribute *found = attribute(name);
  if (!found) {
    return {};
  }
  const auto &list = *found->value_as_IntsValue()->value();
  return {list.data(), list.size()};
}

double CallReader::number(absl::string_view name) const {
  const CallAttribute *found = attribute(name);
  return found ? found->value_as_FloatValue()->value() : 0;
}

absl::string_view CallReader::text(absl::string_view name) const {
  const CallAttribute *found = attribute(name);
  return found ? toView(*found->value_as_StringValue()->value())
               : absl::string_view();
}

const EltwisePostOp *CallReader::activation() const {
  return call_.epilogue() && call_.epilogue()->size() != 0
             ? call_.epilogue()->Get(0)->post_op_as_EltwisePostOp()
             : nullptr;
}

absl::string_view CallReader::algorithm() const {
  return call_.algorithm() ? toView(*call_.algorithm()) : absl::string_view();
}

std::string callName(const Call &call) {
  return absl::StrCat(shown(toView(*call.library())), " ",
                      shown(toView(*call.op())));
}

std::string callTitle(const Call &call) {
  const CallRule *rule = findCall(toView(*call.library()), toView(*call.op()));
  return rule ? absl::StrCat(rule->libraryName, " ", rule->op) : callName(call);
}

} // namespace minic::format
