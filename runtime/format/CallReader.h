// SPDX-License-Identifier: Apache-2.0
//
// CallReader: operands of a library call by role, attributes by name, for those
// who execute or print it. The call is of a checked artifact.

#ifndef MINIC_RUNTIME_FORMAT_CALLREADER_H
#define MINIC_RUNTIME_FORMAT_CALLREADER_H

#include "runtime/format/CallDescription.h"

#include <string>

namespace minic::format {

class CallReader {
public:
  explicit CallReader(const Call &call) : call_(call) {}

  bool is(absl::string_view library, absl::string_view op) const {
    return toView(*call_.library()) == library && toView(*call_.op()) == op;
  }
  /// Null where there is none; required ones of the table are there.
  const TensorView *view(absl::string_view role) const;
  /// 0, empty or "" where there is none.
  int64_t integer(absl::string_view name) const;
  absl::Span<const int64_t> integers(absl::string_view name) const;
  double number(absl::string_view name) const;
  absl::string_view text(absl::string_view name) const;
  /// The first op of the epilogue, null where there is none or it is binary.
  const EltwisePostOp *activation() const;
  absl::string_view algorithm() const;
  /// f32 operands may be rounded to tf32.
  bool allowsTf32() const { return text("compute") == "tf32"; }

private:
  const CallAttribute *attribute(absl::string_view name) const;

  const Call &call_;
};

/// "cublas gemm", for messages.
std::string callName(const Call &call);
/// "cuBLAS gemm", for people.
std::string callTitle(const Call &call);

/// Calls `visit` with the address of every operand, those of the epilogue
/// included, and of the scratch.
template <typename Visit>
void forEachAddress(const Call &call, const Visit &visit) {
  for (const CallOperand *operand : *call.operands()) {
    visit(*operand->view()->address());
  }
  for (uint32_t i = 0; call.epilogue() && i < call.epilogue()->size(); ++i) {
    if (const auto *binary =
            call.epilogue()->Get(i)->post_op_as_BinaryPostOp()) {
      visit(*binary->operand()->address());
    }
  }
  if (call.scratch()) {
    visit(*call.scratch());
  }
}

} // namespace minic::format

#endif // MINIC_RUNTIME_FORMAT_CALLREADER_H
