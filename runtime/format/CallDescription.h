// SPDX-License-Identifier: Apache-2.0
//
// CallDescription: what a library call says, whoever holds it: a table of an
// artifact or an attribute of a plan.

#ifndef MINIC_RUNTIME_FORMAT_CALLDESCRIPTION_H
#define MINIC_RUNTIME_FORMAT_CALLDESCRIPTION_H

#include "runtime/format/plan_generated.h"

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

#include <string>
#include <variant>
#include <vector>

namespace minic::format {

inline absl::string_view toView(const flatbuffers::String &text) {
  return {text.data(), text.size()};
}

/// A name of what may be damaged, as messages show it: printable, in one line,
/// not long.
std::string shown(absl::string_view name);

/// Refers to memory of the call that it describes.
struct CallDescription {
  struct View {
    absl::string_view role;
    DType dtype;
    absl::Span<const int64_t> dims, strides; // elements
    bool isConstant; // of the artifact, known when it is loaded
  };
  struct Attribute {
    absl::string_view name;
    std::variant<int64_t, absl::Span<const int64_t>, double, absl::string_view>
        value;
  };
  struct PostOp {
    bool isBinary;
    int kind;     // of EltwiseKind or BinaryKindPostOp
    View operand; // binary
  };

  absl::string_view library, op;
  std::vector<View> operands;
  std::vector<Attribute> attributes;
  std::vector<PostOp> epilogue;
  absl::string_view algorithm;

  /// Null where there is none.
  const View *view(absl::string_view role) const;
  /// Of an attribute that the call's row of the table requires, or `absent`.
  int64_t integer(absl::string_view name, int64_t absent = 0) const;
  absl::Span<const int64_t> integers(absl::string_view name) const;
  double number(absl::string_view name) const;
  absl::string_view text(absl::string_view name) const;
};

/// Checks `call` against its row of the table: the library has the op, each
/// role and attribute is known, there where it is required, once, of the type,
/// rank, dtype, shape and range that the row says, and so is the epilogue.
/// InvalidArgument says what is wrong: "rhs: rank 2 with 1 strides".
absl::Status checkDescription(const CallDescription &call);

/// Bytes from the first to the last element of `view`, which has passed
/// checkDescription; false where they are more than any memory has.
bool extentOf(const CallDescription::View &view, uint64_t &bytes);

} // namespace minic::format

#endif // MINIC_RUNTIME_FORMAT_CALLDESCRIPTION_H
