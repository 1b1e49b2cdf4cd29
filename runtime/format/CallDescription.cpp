// SPDX-License-Identifier: Apache-2.0
//
// Finds what is asked for; lists are a handful of entries.

#include "runtime/format/CallDescription.h"

#include "runtime/base/Tensor.h"

#include "absl/strings/escaping.h"

namespace minic::format {

using View = CallDescription::View;
using Attribute = CallDescription::Attribute;

std::string shown(absl::string_view name) {
  return absl::CEscape(name.substr(0, 40));
}

const View *CallDescription::view(absl::string_view role) const {
  for (const View &view : operands) {
    if (view.role == role) {
      return &view;
    }
  }
  return nullptr;
}

template <typename T>
static T valueOf(const std::vector<Attribute> &attributes,
                 absl::string_view name, T absent) {
  for (const Attribute &attribute : attributes) {
    if (attribute.name == name) {
      return std::get<T>(attribute.value);
    }
  }
  return absent;
}

int64_t CallDescription::integer(absl::string_view name, int64_t absent) const {
  return valueOf<int64_t>(attributes, name, absent);
}
absl::Span<const int64_t>
CallDescription::integers(absl::string_view name) const {
  return valueOf<absl::Span<const int64_t>>(attributes, name, {});
}
double CallDescription::number(absl::string_view name) const {
  return valueOf<double>(attributes, name, 0);
}
absl::string_view CallDescription::text(absl::string_view name) const {
  return valueOf<absl::string_view>(attributes, name, {});
}

bool extentOf(const View &view, uint64_t &bytes) {
  uint64_t last = 0; // element with the highest address
  bytes = 0;
  for (size_t i = 0; i < view.dims.size(); ++i) {
    uint64_t reach;
    if (view.dims[i] == 0) {
      return true;
    }
    if (__builtin_mul_overflow(uint64_t(view.strides[i]), view.dims[i] - 1,
                               &reach) ||
        __builtin_add_overflow(last, reach, &last)) {
      return false;
    }
  }
  return !__builtin_add_overflow(last, 1, &last) &&
         !__builtin_mul_overflow(
             last, uint64_t(runtime::elementBytes(view.dtype)), &bytes);
}

} // namespace minic::format
