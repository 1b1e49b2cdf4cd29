// SPDX-License-Identifier: Apache-2.0
//
// Attributes, checked before anybody computes with them.

#include "compiler/import/onnx/Window.h"

namespace minic {

std::optional<Dims> perDim(Node &n, llvm::StringRef name, size_t count,
                           int64_t otherwise) {
  Dims values = n.intsOf(name).value_or(Dims(count, otherwise));
  if (values.size() != count) {
    n.fail("expected " + llvm::Twine(count) + " values of '" + name +
           "', got " + llvm::Twine(values.size()));
    return std::nullopt;
  }
  return values;
}

std::optional<Window> windowOf(Node &n, llvm::ArrayRef<int64_t> extents,
                               llvm::ArrayRef<int64_t> kernel) {
  size_t count = extents.size();
  auto strides = perDim(n, "strides", count, 1);
  auto dilations = perDim(n, "dilations", count, 1);
  auto pads = perDim(n, "pads", 2 * count, 0);
  if (!strides || !dilations || !pads) {
    return std::nullopt;
  }
  Window window{Dims(kernel), *strides, *dilations, Dims(), Dims()};
  std::string mode = n.stringOf("auto_pad", "NOTSET");
  for (size_t i = 0; i < count; ++i) {
    int64_t before = (*pads)[i], after = (*pads)[count + i];
    // Products of a kernel or an extent with these fit into 64 bits.
    constexpr int64_t most = int64_t(1) << 31, mostApart = int64_t(1) << 24;
    auto isOutside = [](int64_t value, int64_t least, int64_t greatest) {
      return value < least || value > greatest;
    };
    if (isOutside(window.strides[i], 1, mostApart) ||
        isOutside(window.dilations[i], 1, mostApart) ||
        isOutside(before, 0, most) || isOutside(after, 0, most) ||
        isOutside(kernel[i], 1, most)) {
      n.fail("strides, dilations or pads that are out of range");
      return std::nullopt;
    }
    if (mode == "VALID") {
      before = after = 0;
    } else if (mode == "SAME_UPPER" || mode == "SAME_LOWER") {
      int64_t stride = window.strides[i];
      int64_t outputs = (extents[i] + stride - 1) / stride;
      int64_t needed = (outputs - 1) * stride +
                       (kernel[i] - 1) * window.dilations[i] + 1 - extents[i];
      needed = std::max<int64_t>(needed, 0);
      before = mode == "SAME_UPPER" ? needed / 2 : needed - needed / 2;
      after = needed - before;
    } else if (mode != "NOTSET") {
      n.fail("auto_pad '" + mode + "'");
      return std::nullopt;
    }
    window.before.push_back(before);
    window.after.push_back(after);
  }
  return window;
}

void addUnitDim(Window &window) {
  for (Dims *dims : {&window.kernel, &window.strides, &window.dilations}) {
    dims->insert(dims->begin(), 1);
  }
  for (Dims *dims : {&window.before, &window.after}) {
    dims->insert(dims->begin(), 0);
  }
}

Dims spatialOf(const Value &x) {
  return Dims(llvm::ArrayRef<int64_t>(x.dims).drop_front(2));
}

} // namespace minic
