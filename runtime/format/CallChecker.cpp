// SPDX-License-Identifier: Apache-2.0
//
// From a table to its description, whose shapes are checked first; then memory.

#include "runtime/format/CallChecker.h"

#include "runtime/base/Tensor.h"
#include "runtime/format/CallReader.h"
#include "runtime/format/CallTable.h"

#include "absl/strings/str_cat.h"

namespace minic::format {

#define RETURN_IF_ERROR(expression)                                            \
  if (absl::Status status = (expression); !status.ok()) {                      \
    return status;                                                             \
  }

template <typename... Args> static absl::Status damaged(const Args &...args) {
  return absl::DataLossError(absl::StrCat("damaged artifact: ", args...));
}

static absl::Status describe(const TensorView &view, absl::string_view role,
                             CallDescription::View &out) {
  if (!isAligned(*view.dims()) || !isAligned(*view.strides())) {
    return damaged(shown(role), ": dimensions or strides are not aligned");
  }
  out = {role,
         view.dtype(),
         {view.dims()->data(), view.dims()->size()},
         {view.strides()->data(), view.strides()->size()},
         view.address()->base() == Base::constant};
  return absl::OkStatus();
}

static absl::Status describe(const CallAttribute &attribute,
                             CallDescription::Attribute &out) {
  out.name = toView(*attribute.name());
  if (const auto *integer = attribute.value_as_IntValue()) {
    out.value = integer->value();
  } else if (const auto *list = attribute.value_as_IntsValue()) {
    if (!isAligned(*list->value())) {
      return damaged("attribute '", shown(out.name),
                     "': values are not aligned");
    }
    out.value =
        absl::MakeConstSpan(list->value()->data(), list->value()->size());
  } else if (const auto *number = attribute.value_as_FloatValue()) {
    out.value = number->value();
  } else if (const auto *text = attribute.value_as_StringValue()) {
    out.value = toView(*text->value());
  } else {
    return damaged("attribute '", shown(out.name), "': unknown kind ",
                   int(attribute.value_type()));
  }
  return absl::OkStatus();
}

static absl::Status describe(const PostOpEntry &entry,
                             CallDescription::PostOp &out) {
  if (const EltwisePostOp *eltwise = entry.post_op_as_EltwisePostOp()) {
    out.isBinary = false;
    out.kind = int(eltwise->kind());
    return absl::OkStatus();
  }
  const BinaryPostOp *binary = entry.post_op_as_BinaryPostOp();
  if (!binary) {
    return damaged("epilogue: unknown post-op ", int(entry.post_op_type()));
  }
  out.isBinary = true;
  out.kind = int(binary->kind());
  return describe(*binary->operand(), "epilogue operand", out.operand);
}

static absl::Status describe(const Call &call, CallDescription &out) {
  out.library = toView(*call.library());
  out.op = toView(*call.op());
  for (const CallOperand *operand : *call.operands()) {
    RETURN_IF_ERROR(describe(*operand->view(), toView(*operand->role()),
                             out.operands.emplace_back()));
  }
  for (uint32_t i = 0; call.attributes() && i < call.attributes()->size();
       ++i) {
    RETURN_IF_ERROR(
        describe(*call.attributes()->Get(i), out.attributes.emplace_back()));
  }
  for (uint32_t i = 0; call.epilogue() && i < call.epilogue()->size(); ++i) {
    RETURN_IF_ERROR(
        describe(*call.epilogue()->Get(i), out.epilogue.emplace_back()));
  }
  if (call.algorithm()) {
    out.algorithm = toView(*call.algorithm());
  }
  return absl::OkStatus();
}

/// Every element of a view whose shape is sound lies in its memory.
static absl::Status checkMemory(const CallDescription::View &described,
                                const Address &address, bool isWritten,
                                const AddressSpace &space,
                                const std::string &what) {
  uint64_t element = runtime::elementBytes(described.dtype);
  if (address.offset() % element != 0) {
    return damaged(what, ": offset ", address.offset(),
                   " is not a multiple of the element size");
  }
  // A captured graph may stage what libraries use, and state is not staged.
  if (space.isInPlace(address)) {
    return damaged(what,
                   ": no library takes a tensor that is updated in place");
  }
  uint64_t extent = 0;
  if (!extentOf(described, extent)) {
    return damaged(what, ": strides are out of range");
  }
  return space.check(address, extent, isWritten, what);
}

static absl::Status checkScratch(const Call &call, const AddressSpace &space,
                                 const std::string &what) {
  if (call.scratch()) {
    return space.check(*call.scratch(), call.scratch_bytes(), true, what);
  }
  return call.scratch_bytes() == 0 ? absl::OkStatus()
                                   : damaged(what, ": expected an address for ",
                                             call.scratch_bytes(), " bytes");
}

static bool isWritten(const CallRule &rule, absl::string_view role) {
  for (const RoleRule &each : rule.roles) {
    if (role == each.name) {
      return each.isWritten;
    }
  }
  return false;
}

absl::Status checkCall(const Call &call, std::string_view target,
                       const AddressSpace &space) {
  CallDescription description;
  RETURN_IF_ERROR(describe(call, description));
  std::string name = callName(call);
  if (absl::Status status = checkDescription(description); !status.ok()) {
    return damaged(name, ": ", status.message());
  }
  const CallRule &rule = *findCall(description.library, description.op);
  if (rule.target != target) {
    return damaged("call: ", name, " in a plan for ", std::string(target));
  }
  for (uint32_t i = 0; i < call.operands()->size(); ++i) {
    const CallDescription::View &view = description.operands[i];
    RETURN_IF_ERROR(checkMemory(
        view, *call.operands()->Get(i)->view()->address(),
        isWritten(rule, view.role), space, absl::StrCat(name, " ", view.role)));
  }
  for (uint32_t i = 0; i < description.epilogue.size(); ++i) {
    if (const auto *binary =
            call.epilogue()->Get(i)->post_op_as_BinaryPostOp()) {
      const CallDescription::View &view = description.epilogue[i].operand;
      RETURN_IF_ERROR(checkMemory(view, *binary->operand()->address(), false,
                                  space, absl::StrCat(name, " ", view.role)));
    }
  }
  return checkScratch(call, space, absl::StrCat(name, " scratch"));
}

} // namespace minic::format
