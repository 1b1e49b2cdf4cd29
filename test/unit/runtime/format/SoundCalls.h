// SPDX-License-Identifier: Apache-2.0
//
// SoundCalls: a sound call of each row of the table, with all optional operands
// and attributes, made of the row's own rules.

#ifndef MINIC_TEST_UNIT_RUNTIME_FORMAT_SOUNDCALLS_H
#define MINIC_TEST_UNIT_RUNTIME_FORMAT_SOUNDCALLS_H

#include "runtime/format/CallTable.h"
#include "test/unit/runtime/format/DamageCases.h"

#include <bit>

namespace minic::testing {

/// [2, 4] x [4, 3], or a [1, 4, 5, 5] image by 8 filters of 3x3, padded by 1,
/// or 4 heads of 3 queries that share 2 of 5 keys, or rows of [2, 3].
inline std::vector<int64_t> soundDims(const std::string &role,
                                      format::ShapeRule shape,
                                      const std::string &op) {
  using format::ShapeRule;
  std::vector<int64_t> result = op == "convolution"
                                    ? std::vector<int64_t>{1, 8, 5, 5}
                                    : std::vector<int64_t>{2, 3};
  switch (shape) {
  case ShapeRule::perColumn:
    return {result.back()};
  case ShapeRule::perChannel:
    return {result[1]};
  case ShapeRule::perChannelOfRank:
    return {1, result[1], 1, 1};
  case ShapeRule::asResult:
  case ShapeRule::broadcasts:
    return result;
  case ShapeRule::free:
    break;
  }
  if (op == "attention") {
    return role == "query" || role == "result"
               ? std::vector<int64_t>{1, 4, 3, 8}
           : role == "bias" ? std::vector<int64_t>{1, 1, 3, 5}
                            : std::vector<int64_t>{1, 2, 5, 8};
  }
  if (role == "lhs") {
    return {2, 4};
  }
  if (role == "rhs") {
    return {4, 3};
  }
  if (op == "reduction") {
    return role == "input" ? std::vector<int64_t>{2, 3}
                           : std::vector<int64_t>{2, 1};
  }
  if (role == "input") {
    return {1, 4, 5, 5};
  }
  return role == "filter" ? std::vector<int64_t>{8, 4, 3, 3} : result;
}

/// Operands lie at multiples of 2048 bytes of the arena, those that are packed
/// in constant 0.
inline format::CallT soundCall(const format::CallRule &rule) {
  format::CallT call = libraryCall(rule.library, rule.op);
  uint64_t place = 0;
  for (const format::RoleRule &role : rule.roles) {
    auto view = arenaView(place, soundDims(role.name, role.shape, rule.op));
    if (role.packedBy) {
      view->address = address(format::Base::constant, 0, 0);
    }
    setOperand(call, role.name, std::move(view));
    place += 2048;
  }
  for (const format::AttributeRule &attribute : rule.attributes) {
    switch (attribute.kind) {
    case format::AttributeKind::integer:
      setInteger(call, attribute.name, 1);
      break;
    case format::AttributeKind::integers:
      setIntegers(call, attribute.name, {1, 1});
      break;
    case format::AttributeKind::text:
      setText(call, attribute.name, attribute.names[0]);
      break;
    case format::AttributeKind::number:
      setNumber(call, attribute.name, 0.5);
      break;
    }
  }
  if (rule.epilogue.maxOps > 0) {
    // gelu_tanh where it is taken, which an aux operand needs.
    auto gelu = format::EltwiseKind::gelu_tanh;
    addEltwise(call, rule.epilogue.eltwise >> int(gelu) & 1
                         ? gelu
                         : format::EltwiseKind(
                               std::countr_zero(rule.epilogue.eltwise)));
  }
  if (rule.epilogue.takesBinary) {
    addBinary(call, format::BinaryKindPostOp::mul,
              arenaView(place, soundDims("result", format::ShapeRule::asResult,
                                         rule.op)));
  }
  if (rule.algorithm == format::AlgorithmRule::bytes64) {
    call.algorithm = std::string(128, '0');
  } else if (rule.algorithm == format::AlgorithmRule::text) {
    call.algorithm = "eng1_k2=3";
  }
  setScratch(call, {format::Base::arena, 0, 1 << 14}, 1 << 14);
  call.library_version = "1.2.3";
  return call;
}

/// An artifact of that call alone.
inline TestArtifact soundArtifact(const format::CallRule &rule) {
  TestArtifact artifact;
  artifact.variant().target = rule.target;
  artifact.variant().arena_bytes = 1 << 15;
  artifact.constant("w", {512}, std::vector<float>(512, 1));
  artifact.call(soundCall(rule));
  return artifact;
}

} // namespace minic::testing

#endif // MINIC_TEST_UNIT_RUNTIME_FORMAT_SOUNDCALLS_H
