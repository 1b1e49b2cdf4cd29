// SPDX-License-Identifier: Apache-2.0
//
// Verification of library calls, by the table that readers of artifacts use.

#include "dialects/plan/Commands.h"
#include "dialects/plan/DTypes.h"
#include "runtime/format/CallTable.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace minic::plan {

namespace {

/// From the op's attribute to what the table is about.
class CallVerifier {
public:
  explicit CallVerifier(CallOp op) : op(op), call(op.getDescriptor()) {}
  LogicalResult verify();

private:
  LogicalResult describe(StringRef role, TensorViewAttr view,
                         format::CallDescription::View &out);
  LogicalResult describe(NamedAttribute attribute);
  LogicalResult describePostOp(Attribute attribute);
  LogicalResult verifyWritten();

  CallOp op;
  LibraryCallAttr call;
  format::CallDescription description;
};

} // namespace

static absl::string_view toView(StringRef text) {
  return {text.data(), text.size()};
}

/// The value of enum `E` called `name`, -1 for none.
template <typename E, size_t n>
static int parseEnum(StringRef name, const E (&values)[n],
                     const char *(*toName)(E)) {
  for (E value : values) {
    if (name == toName(value)) {
      return int(value);
    }
  }
  return -1;
}

LogicalResult CallVerifier::describe(StringRef role, TensorViewAttr view,
                                     format::CallDescription::View &out) {
  int64_t addresses = op.getAddresses().size();
  if (view.getOperand() < 0 || view.getOperand() >= addresses) {
    return op.emitOpError("expects the view of ")
           << role << " to be of one of " << addresses << " addresses, got "
           << view.getOperand();
  }
  std::optional<format::DType> dtype = toDType(view.getDtype());
  if (!dtype) {
    return op.emitOpError("expects a dtype of tensors for ")
           << role << ", got " << view.getDtype();
  }
  Value base = op.getAddresses()[view.getOperand()];
  while (auto further = base.getDefiningOp<ViewOp>()) {
    base = further.getBase();
  }
  out = {
      toView(role),
      *dtype,
      {view.getDims().asArrayRef().data(), size_t(view.getDims().size())},
      {view.getStrides().asArrayRef().data(), size_t(view.getStrides().size())},
      bool(base.getDefiningOp<ConstantAddressOp>())};
  if (llvm::is_contained(view.getDims().asArrayRef(), 0)) {
    return op.emitOpError("expects dimensions of 1 or more for ")
           << role << ", got [" << view.getDims().asArrayRef() << ']';
  }
  return success();
}

LogicalResult CallVerifier::describe(NamedAttribute attribute) {
  format::CallDescription::Attribute &out =
      description.attributes.emplace_back();
  out.name = toView(attribute.getName());
  if (auto integer = dyn_cast<IntegerAttr>(attribute.getValue());
      integer && integer.getType().isInteger(64)) {
    out.value = integer.getInt();
  } else if (auto list = dyn_cast<DenseI64ArrayAttr>(attribute.getValue())) {
    out.value =
        absl::MakeConstSpan(list.asArrayRef().data(), list.asArrayRef().size());
  } else if (auto number = dyn_cast<FloatAttr>(attribute.getValue())) {
    out.value = number.getValueAsDouble();
  } else if (auto text = dyn_cast<StringAttr>(attribute.getValue())) {
    out.value = toView(text.getValue());
  } else {
    return op.emitOpError("expects an i64, an array of them, a float or a "
                          "string for '")
           << attribute.getName().strref() << "', got " << attribute.getValue();
  }
  return success();
}

LogicalResult CallVerifier::describePostOp(Attribute attribute) {
  format::CallDescription::PostOp &out = description.epilogue.emplace_back();
  if (auto eltwise = dyn_cast<EltwiseAttr>(attribute)) {
    out.isBinary = false;
    out.kind = parseEnum(eltwise.getKind(), format::EnumValuesEltwiseKind(),
                         format::EnumNameEltwiseKind);
  } else if (auto binary = dyn_cast<BinaryAttr>(attribute)) {
    out.isBinary = true;
    out.kind = parseEnum(binary.getKind(), format::EnumValuesBinaryKindPostOp(),
                         format::EnumNameBinaryKindPostOp);
    if (failed(
            describe("epilogue operand", binary.getOperand(), out.operand))) {
      return failure();
    }
  } else {
    return op.emitOpError("expects an epilogue of #plan.eltwise and "
                          "#plan.binary, got ")
           << attribute;
  }
  if (out.kind < 0) {
    return op.emitOpError("expects a known kind of epilogue op, got ")
           << attribute;
  }
  return success();
}

/// The addresses of what the library writes are written.
LogicalResult CallVerifier::verifyWritten() {
  const format::CallRule *rule =
      format::findCall(description.library, description.op);
  for (const format::RoleRule &role : rule->roles) {
    TensorViewAttr view = call.view(role.name);
    if (!view || !role.isWritten) {
      continue;
    }
    auto access = cast<AccessAttr>(op.getAccess()[view.getOperand()]);
    if (access.getValue() != Access::Write) {
      return op.emitOpError("expects the address of its ")
             << role.name << " to be written";
    }
  }
  return success();
}

LogicalResult CallVerifier::verify() {
  description.library = toView(call.getLibrary());
  description.op = toView(call.getOp());
  description.algorithm = toView(call.algorithm());
  for (OperandAttr operand : call.getOperands()) {
    if (failed(describe(operand.getRole().getValue(), operand.getView(),
                        description.operands.emplace_back()))) {
      return failure();
    }
  }
  if (DictionaryAttr attributes = call.getAttributes()) {
    for (NamedAttribute attribute : attributes) {
      if (failed(describe(attribute))) {
        return failure();
      }
    }
  }
  for (Attribute postOp : call.postOps()) {
    if (failed(describePostOp(postOp))) {
      return failure();
    }
  }
  if (absl::Status status = format::checkDescription(description);
      !status.ok()) {
    return op.emitOpError("of ")
           << call.getLibrary().getValue() << ' ' << call.getOp().getValue()
           << ": " << std::string(status.message());
  }
  return verifyWritten();
}

LogicalResult verifyCall(CallOp op) { return CallVerifier(op).verify(); }

} // namespace minic::plan
