// SPDX-License-Identifier: Apache-2.0
//
// Calls of libraries under construction, by role and by name.

#ifndef MINIC_TEST_UNIT_RUNTIME_TESTING_CALLTABLES_H
#define MINIC_TEST_UNIT_RUNTIME_TESTING_CALLTABLES_H

#include "runtime/format/plan_generated.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace minic::testing {

inline format::CallT libraryCall(const std::string &library,
                                 const std::string &op) {
  format::CallT call;
  call.library = library;
  call.op = op;
  return call;
}

/// `view` becomes the operand `role`, in place of what it was.
inline void setOperand(format::CallT &call, const std::string &role,
                       std::unique_ptr<format::TensorViewT> view) {
  for (auto &operand : call.operands) {
    if (operand->role == role) {
      operand->view = std::move(view);
      return;
    }
  }
  call.operands.push_back(std::make_unique<format::CallOperandT>());
  call.operands.back()->role = role;
  call.operands.back()->view = std::move(view);
}

/// The call has this operand.
inline format::TensorViewT &operandOf(format::CallT &call,
                                      const std::string &role) {
  auto found =
      std::find_if(call.operands.begin(), call.operands.end(),
                   [&](const auto &operand) { return operand->role == role; });
  return *(*found)->view;
}

inline format::CallAttributeT &attributeOf(format::CallT &call,
                                           const std::string &name) {
  for (auto &attribute : call.attributes) {
    if (attribute->name == name) {
      return *attribute;
    }
  }
  call.attributes.push_back(std::make_unique<format::CallAttributeT>());
  call.attributes.back()->name = name;
  return *call.attributes.back();
}

inline void setInteger(format::CallT &call, const std::string &name,
                       int64_t integer) {
  format::IntValueT value;
  value.value = integer;
  attributeOf(call, name).value.Set(std::move(value));
}

inline void setIntegers(format::CallT &call, const std::string &name,
                        std::vector<int64_t> integers) {
  format::IntsValueT value;
  value.value = std::move(integers);
  attributeOf(call, name).value.Set(std::move(value));
}

inline void setNumber(format::CallT &call, const std::string &name,
                      double number) {
  format::FloatValueT value;
  value.value = number;
  attributeOf(call, name).value.Set(std::move(value));
}

inline void setText(format::CallT &call, const std::string &name,
                    const std::string &text) {
  format::StringValueT value;
  value.value = text;
  attributeOf(call, name).value.Set(std::move(value));
}

inline void addEltwise(format::CallT &call, format::EltwiseKind kind,
                       float alpha = 0, float beta = 0) {
  format::EltwisePostOpT eltwise;
  eltwise.kind = kind;
  eltwise.alpha = alpha;
  eltwise.beta = beta;
  call.epilogue.push_back(std::make_unique<format::PostOpEntryT>());
  call.epilogue.back()->post_op.Set(std::move(eltwise));
}

inline void addBinary(format::CallT &call, format::BinaryKindPostOp kind,
                      std::unique_ptr<format::TensorViewT> operand) {
  format::BinaryPostOpT binary;
  binary.kind = kind;
  binary.operand = std::move(operand);
  call.epilogue.push_back(std::make_unique<format::PostOpEntryT>());
  call.epilogue.back()->post_op.Set(std::move(binary));
}

inline void setScratch(format::CallT &call, format::Address address,
                       uint64_t bytes) {
  call.scratch = std::make_unique<format::Address>(address);
  call.scratch_bytes = bytes;
}

} // namespace minic::testing

#endif // MINIC_TEST_UNIT_RUNTIME_TESTING_CALLTABLES_H
