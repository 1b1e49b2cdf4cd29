// SPDX-License-Identifier: Apache-2.0
//
// CallTable: what each op of each library takes. The reader of artifacts, the
// verifier of plans and the tests of both read this one table; a new op is a
// row of it, its executor and its backend.

#ifndef MINIC_RUNTIME_FORMAT_CALLTABLE_H
#define MINIC_RUNTIME_FORMAT_CALLTABLE_H

#include "runtime/format/CallDescription.h"

namespace minic::format {

/// What an operand's shape has to do with that of the role "result".
enum class ShapeRule {
  free,             // what the row's relations say
  asResult,         // its dimensions and dtype
  broadcasts,       // as many dimensions, each its or 1
  perColumn,        // [N], N its last dimension
  perChannel,       // [K], K its dimension 1
  perChannelOfRank, // [1, K, 1...], of its rank
};

struct RoleRule {
  const char *name;
  bool isRequired = true;
  bool isWritten = false;
  uint32_t minRank = 2, maxRank = 12; // oneDNN's limit, DNNL_MAX_NDIMS
  bool isFloat = true;                // f32, f16 or bf16
  ShapeRule shape = ShapeRule::free;
  /// Another role whose dtype it has; null: any.
  const char *dtypeOf = nullptr;
  /// An attribute; where it is 1 the operand must be a constant, which is
  /// packed once at load. Null: it is never packed.
  const char *packedBy = nullptr;
};

enum class AttributeKind { integer, integers, number, text };

struct AttributeRule {
  const char *name;
  AttributeKind kind;
  bool isRequired = true;
  int64_t min = 0, max = 0;                 // of integers
  absl::Span<const char *const> names = {}; // of text
};

struct EpilogueRule {
  uint32_t maxOps = 0;
  uint32_t eltwise = 0; // bits of EltwiseKind
  bool takesBinary = false;
};

enum class AlgorithmRule { none, text, bytes64 }; // bytes in hexadecimal

/// Checks operands and attributes together; those required are there.
using CallRelation = absl::Status (*)(const CallDescription &call);

struct CallRule {
  const char *library, *op;
  const char *libraryName; // as people write it: "cuBLAS"
  const char *target;      // whose plans may call it
  absl::Span<const RoleRule> roles;
  absl::Span<const AttributeRule> attributes = {};
  EpilogueRule epilogue = {};
  AlgorithmRule algorithm = AlgorithmRule::none;
  absl::Span<const CallRelation> relations = {};
};

absl::Span<const CallRule> callTable();
/// Null where the table has no such op.
const CallRule *findCall(absl::string_view library, absl::string_view op);

} // namespace minic::format

#endif // MINIC_RUNTIME_FORMAT_CALLTABLE_H
