// SPDX-License-Identifier: Apache-2.0
//
// WindowLine and ResizeLine: how pooling and resizing read an image along one
// dimension.

#ifndef MINIC_DIALECTS_GRAPH_IMAGELINES_H
#define MINIC_DIALECTS_GRAPH_IMAGELINES_H

#include <algorithm>
#include <cstdint>

namespace minic::graph {

enum class ResizeRule : uint32_t; // of Graph.h

/// Window o has elements o * stride - before + i * dilation for i below
/// `window`, of which those from 0 to extent - 1 are the input's. Each window
/// has one at least.
struct WindowLine {
  int64_t extent, outputs;
  int64_t window, stride, dilation;
  int64_t before, after;

  /// From the first to behind the last element of a window.
  int64_t reach() const { return (window - 1) * dilation + 1; }
  int64_t start(int64_t output) const { return output * stride - before; }
  /// How many of window `output` come before position `bound`.
  int64_t countBelow(int64_t output, int64_t bound) const {
    int64_t room = bound - start(output);
    return room <= 0 ? 0 : std::min(window, (room + dilation - 1) / dilation);
  }
  /// The first of a window's elements inside the input, and behind the last.
  int64_t first(int64_t output) const { return countBelow(output, 0); }
  int64_t last(int64_t output) const { return countBelow(output, extent); }
  /// How many there are, pads among them if they count.
  int64_t count(int64_t output, bool countsPads) const {
    return countsPads ? countBelow(output, extent + after)
                      : last(output) - first(output);
  }
  /// Every window is wholly inside.
  bool isInside() const {
    return before == 0 && start(outputs - 1) + reach() <= extent;
  }
};

/// Result element o is at (scale * o + offset) / divisor of the input.
struct ResizeLine {
  int64_t inputs, outputs;
  int64_t scale, offset, divisor;
  bool roundsDown; ///< to the nearest otherwise

  ResizeLine(int64_t inputs, int64_t outputs, ResizeRule rule);

  /// Element o is element o of the input.
  bool isIdentity() const {
    return inputs == outputs && scale == divisor && offset == 0;
  }
  /// The nearest element is (factor * o + addend) / by, rounded down: neither
  /// is negative, and no result is outside.
  struct Nearest {
    int64_t factor, addend, by;
  };
  Nearest nearest() const {
    return roundsDown
               ? Nearest{scale, offset, divisor}
               : Nearest{2 * scale, 2 * offset + divisor - 1, 2 * divisor};
  }
  int64_t nearest(int64_t output) const {
    Nearest to = nearest();
    return (to.factor * output + to.addend) / to.by;
  }
  /// The same between two elements: `rest` / divisor of the way from `first` to
  /// `second`.
  struct Between {
    int64_t first, second, rest;
  };
  Between between(int64_t output) const {
    int64_t at =
        std::clamp<int64_t>(scale * output + offset, 0, (inputs - 1) * divisor);
    int64_t first = at / divisor;
    return {first, std::min(first + 1, inputs - 1), at % divisor};
  }
};

} // namespace minic::graph

#endif // MINIC_DIALECTS_GRAPH_IMAGELINES_H
