// SPDX-License-Identifier: Apache-2.0
//
// Resize and Upsample: graph.resize of the height and the width where it has
// the mode, else each dimension by itself: as moves where elements are only
// repeated or left out, or as a sum of elements with known weights.

#include "compiler/import/onnx/Interpolation.h"
#include "compiler/import/onnx/OpTable.h"

#include <algorithm>
#include <cmath>

namespace minic {

/// Elements that one element of the result may come from, per dimension.
static constexpr size_t maxTaps = 64;

/// x with elements of `axis` at `places`: repeated or strided where they are
/// regular.
static Value take(Node &n, const Value &x, int64_t axis, const Dims &places) {
  int64_t count = int64_t(places.size()), extent = x.dims[axis];
  int64_t times = count / extent;
  auto isEach = [&](auto &&place) {
    for (int64_t i = 0; i < count; ++i) {
      if (places[i] != place(i)) {
        return false;
      }
    }
    return true;
  };
  if (times * extent == count && isEach([&](int64_t i) { return i / times; })) {
    Dims apart(x.dims), wide, merged(x.dims);
    apart.insert(apart.begin() + axis + 1, 1);
    wide = apart;
    wide[axis + 1] = times;
    merged[axis] = count;
    return n.e.reshape(n.e.expand(n.e.reshape(x, apart), wide), merged);
  }
  int64_t step = count > 1 ? places[1] - places[0] : 1;
  if (step > 0 && isEach([&](int64_t i) { return places[0] + i * step; })) {
    Dims starts(x.rank(), 0), counts(x.dims), steps(x.rank(), 1);
    starts[axis] = places[0];
    counts[axis] = count;
    steps[axis] = step;
    return n.e.slice(x, starts, counts, steps);
  }
  return n.e.gather(x, n.e.ints(places), axis);
}

/// A float for each index of `axis`, as a constant that broadcasts to x.
static Value alongAxis(Node &n, const Value &x, int64_t axis, int dataType,
                       llvm::ArrayRef<double> numbers) {
  HostTensor tensor = HostTensor::splat(dataType, {int64_t(numbers.size())}, 0);
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (tensor.isFloat()) {
      tensor.floats[i] = roundTo(dataType, numbers[i]);
    } else {
      tensor.ints[i] = int64_t(numbers[i]);
    }
  }
  tensor.dims = Dims(x.rank(), 1);
  tensor.dims[axis] = int64_t(numbers.size());
  return n.e.constant(std::move(tensor));
}

static Value resizeAxis(Node &n, const Value &x, int64_t axis,
                        const Interpolation &how, const ResizedLine &line) {
  // An element of the result is a sum over 1 / scale elements and more: they
  // are counted before they are looked for.
  double least = std::min(double(line.inputs), 1 / line.scale);
  if (how.antialiases && how.mode != "nearest" && least > double(maxTaps)) {
    return n.fail("a sum of more than " + llvm::Twine(maxTaps) + " elements");
  }
  Taps taps = tapsOf(how, line);
  size_t most = 0;
  for (const auto &tap : taps) {
    most = std::max(most, tap.size());
  }
  if (most > maxTaps) {
    return n.fail("a sum of " + llvm::Twine(most) + " elements, at most " +
                  llvm::Twine(maxTaps) + " are written out");
  }
  Value sum;
  for (size_t k = 0; k < std::max<size_t>(most, 1); ++k) {
    Dims places;
    std::vector<double> weights;
    for (const auto &tap : taps) {
      auto it = tap.begin();
      std::advance(it, std::min(k, tap.empty() ? 0 : tap.size() - 1));
      places.push_back(tap.empty() ? 0 : it->first);
      weights.push_back(k < tap.size() ? it->second : 0);
    }
    Value part = take(n, x, axis, places);
    bool isPlain = llvm::all_of(weights, [](double w) { return w == 1; });
    if (!isPlain && how.mode != "nearest") {
      part = n.e.mul(part, alongAxis(n, x, axis, x.dataType, weights));
    }
    sum = sum ? n.e.add(sum, part) : part;
  }
  if (llvm::none_of(taps, [](const auto &tap) { return tap.empty(); })) {
    return sum;
  }
  std::vector<double> isInside;
  for (const auto &tap : taps) {
    isInside.push_back(!tap.empty());
  }
  return n.e.select(alongAxis(n, x, axis, ::onnx::TensorProto::BOOL, isInside),
                    sum, n.e.scalar(how.extrapolation, x));
}

static std::optional<std::vector<double>> knownFloats(Node &n, unsigned i) {
  Value value = n.operand(i);
  auto tensor = value ? n.e.known(value) : nullptr;
  if (!tensor || !tensor->isFloat()) {
    n.fail("operand " + llvm::Twine(i) +
           " must be known when the model is compiled");
    return std::nullopt;
  }
  return tensor->floats;
}

/// Whether graph.resize makes the same of a line.
static bool makesSame(const graph::ResizeLine &made, const Taps &taps,
                      bool isNearest) {
  for (int64_t i = 0; i < made.outputs; ++i) {
    std::map<int64_t, double> parts;
    if (isNearest) {
      parts[made.nearest(i)] = 1;
    } else {
      graph::ResizeLine::Between at = made.between(i);
      double rest = double(at.rest) / double(made.divisor);
      parts[at.first] += 1 - rest;
      parts[at.second] += rest;
    }
    for (const auto &[index, weight] : taps[i]) {
      parts[index] -= weight;
    }
    bool isSame = llvm::all_of(parts, [](const auto &part) {
      return std::abs(part.second) < 1e-9; // of doubles
    });
    if (!isSame || taps[i].empty()) {
      return false;
    }
  }
  return true;
}

/// Whether a line stays as it is.
static bool isSameLine(const ResizedLine &line) {
  return line.inputs == line.outputs && line.scale == 1 && line.begin == 0 &&
         line.end == 1;
}

/// graph.resize of [N, C, H, W], [N, H, W, C] or [N, C, W]; null where it has
/// no such op.
static Value resize2d(Node &n, const Value &x, const Interpolation &how,
                      llvm::ArrayRef<ResizedLine> lines) {
  bool isNearest = how.mode == "nearest";
  bool isPossible = (isNearest || (how.mode == "linear" && x.isFloat())) &&
                    !how.antialiases && !how.excludesOutside &&
                    x.dataType != ::onnx::TensorProto::BOOL &&
                    (x.rank() == 3 || x.rank() == 4) && isSameLine(lines[0]) &&
                    !llvm::all_of(lines, isSameLine);
  bool isNhwc = x.rank() == 4 && isPossible && !isSameLine(lines[1]);
  if (!isPossible || (isNhwc ? !isSameLine(lines[3]) : !isSameLine(lines[1]))) {
    return {};
  }
  llvm::SmallVector<ResizedLine> sides(lines.slice(isNhwc ? 1 : 2));
  sides.resize(isNhwc ? 2 : sides.size());
  if (x.rank() == 3) {
    sides.insert(sides.begin(), {1, 1});
  }
  using graph::ResizeRule;
  for (ResizeRule rule : {ResizeRule::HalfPixel, ResizeRule::AlignCorners,
                          ResizeRule::Asymmetric}) {
    bool isRule = llvm::all_of(sides, [&](const ResizedLine &line) {
      constexpr int64_t most = 1 << 20; // what graph.resize takes
      return line.inputs <= most && line.outputs <= most &&
             makesSame(graph::ResizeLine(line.inputs, line.outputs, rule),
                       tapsOf(how, line), isNearest);
    });
    if (!isRule) {
      continue;
    }
    bool isLine = x.rank() == 3;
    Value image =
        isLine ? n.e.reshape(x, {x.dims[0], x.dims[1], 1, x.dims[2]}) : x;
    mlir::Value input = n.e.graph(image);
    if (!input) {
      return {};
    }
    int64_t sizes[] = {sides[0].outputs, sides[1].outputs};
    Value result = n.e.emit<graph::ResizeOp>(
        isNearest ? graph::ResizeMode::Nearest : graph::ResizeMode::Bilinear,
        rule, input, llvm::ArrayRef<int64_t>(sizes),
        isNhwc ? graph::ImageLayout::NHWC : graph::ImageLayout::NCHW);
    return isLine && result
               ? n.e.reshape(result, {x.dims[0], x.dims[1], sides[1].outputs})
               : result;
  }
  return {};
}

static void resizeLines(Node &n, Value x, const Interpolation &how,
                        llvm::ArrayRef<ResizedLine> lines) {
  for (const ResizedLine &line : lines) {
    if (!(line.scale > 0) || line.outputs < 1 || line.inputs < 1 ||
        line.outputs > int64_t(1) << 20) {
      n.fail("a size of " + llvm::Twine(line.outputs));
      return;
    }
  }
  if (!isKnown(how) || (!x.isFloat() && how.mode != "nearest")) {
    n.fail("mode '" + how.mode + "', '" + how.coordinates + "'");
    return;
  }
  if (Value resized = resize2d(n, x, how, lines)) {
    n.set(0, resized);
    return;
  }
  for (auto [axis, line] : llvm::enumerate(lines)) {
    if (x && !isSameLine(line)) {
      x = resizeAxis(n, x, int64_t(axis), how, line);
    }
  }
  n.set(0, x);
}

static ResizedLine lineOf(int64_t inputs, double scale) {
  double outputs = std::floor(double(inputs) * scale);
  return {inputs, outputs < double(1 << 30) ? int64_t(outputs) : 0, scale};
}

/// Up to opset 10: elements are where x / scale is.
static void upsample(Node &n) {
  Value x = n.operand(0);
  std::optional<std::vector<double>> scales =
      n.hasAttribute("scales") ? n.floatsOf("scales") : knownFloats(n, 1);
  if (!x || !scales || int64_t(scales->size()) != x.rank()) {
    n.fail("expected a scale per dimension");
    return;
  }
  Interpolation how;
  how.mode = n.stringOf("mode", "nearest");
  how.coordinates = "asymmetric";
  how.rounding = "floor";
  std::vector<ResizedLine> lines;
  for (int64_t d = 0; d < x.rank(); ++d) {
    lines.push_back(lineOf(x.dims[d], (*scales)[d]));
  }
  resizeLines(n, x, how, lines);
}

/// Lines of all dimensions, from sizes; one scale for all where the aspect
/// ratio is kept.
static void fitSizes(llvm::ArrayRef<int64_t> axes,
                     llvm::ArrayRef<int64_t> sizes, const std::string &policy,
                     std::vector<ResizedLine> &lines) {
  double least = 0, most = 0;
  for (auto [i, axis] : llvm::enumerate(axes)) {
    ResizedLine &line = lines[axis];
    line.outputs = sizes[i];
    line.scale = double(line.outputs) / double(line.inputs);
    least = i == 0 ? line.scale : std::min(least, line.scale);
    most = std::max(most, line.scale);
  }
  if (policy == "stretch") {
    return;
  }
  for (int64_t axis : axes) {
    lines[axis].scale = policy == "not_larger" ? least : most;
    lines[axis].outputs =
        int64_t(lines[axis].scale * double(lines[axis].inputs) + 0.5);
  }
}

static void resize(Node &n) {
  if (n.opset() < 11) {
    return upsample(n);
  }
  Value x = n.operand(0);
  if (!x) {
    return;
  }
  Interpolation how;
  how.mode = n.stringOf("mode", how.mode);
  how.coordinates =
      n.stringOf("coordinate_transformation_mode", how.coordinates);
  how.rounding = n.stringOf("nearest_mode", how.rounding);
  how.cubicCoefficient = n.floatOf("cubic_coeff_a", how.cubicCoefficient);
  how.excludesOutside = n.intOf("exclude_outside", 0);
  how.antialiases = n.intOf("antialias", 0);
  how.extrapolation = n.floatOf("extrapolation_value", 0);
  Dims all = llvm::to_vector<4>(llvm::seq<int64_t>(0, x.rank()));
  Dims axes = n.intsOf("axes").value_or(all);
  for (int64_t &axis : axes) {
    axis = n.axisOf(axis, x.rank());
  }
  std::vector<ResizedLine> lines;
  for (int64_t extent : x.dims) {
    lines.push_back({extent, extent});
  }
  // No sizes are a tensor without elements, too.
  bool hasSizes = n.has(3) && n.operand(3).elements() > 0;
  std::optional<Dims> sizes = hasSizes ? n.knownInts(3) : std::nullopt;
  std::optional<std::vector<double>> scales =
      !hasSizes ? knownFloats(n, 2) : std::nullopt;
  std::string policy = n.stringOf("keep_aspect_ratio_policy", "stretch");
  if (n.failed() || (sizes ? sizes->size() : scales->size()) != axes.size() ||
      (policy != "stretch" && policy != "not_larger" &&
       policy != "not_smaller")) {
    n.fail("expected a scale or a size per axis");
    return;
  }
  if (sizes) {
    fitSizes(axes, *sizes, policy, lines);
  } else {
    for (auto [i, axis] : llvm::enumerate(axes)) {
      lines[axis] = lineOf(x.dims[axis], (*scales)[i]);
    }
  }
  if (how.coordinates == "tf_crop_and_resize") {
    auto roi = knownFloats(n, 1);
    if (!roi || roi->size() != 2 * axes.size()) {
      n.fail("expected a begin and an end per axis");
      return;
    }
    for (auto [i, axis] : llvm::enumerate(axes)) {
      lines[axis].begin = (*roi)[i];
      lines[axis].end = (*roi)[axes.size() + i];
    }
  }
  resizeLines(n, x, how, lines);
}

llvm::ArrayRef<OpEntry> resizeOps() {
  static const OpEntry table[] = {
      {"Resize", resize, 10, "known sizes or scales"},
      {"Upsample", upsample, 7, "known scales", 9},
  };
  return table;
}

} // namespace minic
