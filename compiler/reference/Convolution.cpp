// SPDX-License-Identifier: Apache-2.0
//
// A convolution as matrix products, one per group: pixels of the result by taps
// times taps by output channels. Rows of an NHWC result are pixels, so the
// pixels are the left factor; a row of an NCHW result is one channel of a line
// of pixels, so the filter is.

#include "compiler/reference/Convolution.h"

#include "compiler/reference/SumOfProducts.h"
#include "compiler/reference/Tolerance.h"

#include <algorithm>

using namespace mlir;

namespace minic::reference {

using graph::Conv2dGeometry;
using graph::ImageLayout;

namespace {

/// Pixels computed at once; bounds the memory of the sums.
constexpr int64_t kPixelsAtOnce = 512;

/// A position of the result, whatever its channel.
struct Pixel {
  int64_t n, p, q;
};

/// The input pixel that a tap of an output pixel reads; outside for a pad.
struct Place {
  int64_t h, w;

  Place(const Conv2dGeometry &g, const Pixel &pixel, int64_t r, int64_t s)
      : h(pixel.p * g.strideHeight - g.padTop + r * g.dilationHeight),
        w(pixel.q * g.strideWidth - g.padLeft + s * g.dilationWidth) {}
  bool isInside(const Conv2dGeometry &g) const {
    return h >= 0 && h < g.inputHeight && w >= 0 && w < g.inputWidth;
  }
};

/// How many of a pixel's products are not of pads.
double countTerms(const Conv2dGeometry &g, const Pixel &pixel) {
  int64_t taps = 0;
  for (int64_t r = 0; r < g.filterHeight; ++r) {
    for (int64_t s = 0; s < g.filterWidth; ++s) {
      taps += Place(g, pixel, r, s).isInside(g);
    }
  }
  return double(taps * g.inputChannelsPerGroup());
}

/// The channel and position of a filter's tap, numbered so that reading a
/// pixel's taps is reading runs of the input: channels last in NHWC.
struct Tap {
  int64_t c, r, s;

  Tap(const Conv2dGeometry &g, int64_t index) {
    int64_t channels = g.inputChannelsPerGroup();
    if (g.layout == ImageLayout::NHWC) {
      c = index % channels;
      s = index / channels % g.filterWidth;
      r = index / channels / g.filterWidth;
    } else {
      s = index % g.filterWidth;
      r = index / g.filterWidth % g.filterHeight;
      c = index / g.filterWidth / g.filterHeight;
    }
  }
};

/// The taps of some output channels: [channels, taps], or transposed.
class FilterFactor : public Factor {
public:
  /// `offsets` says where a channel's taps are in the dense filter.
  FilterFactor(const RowTensor &filter, ArrayRef<int64_t> offsets,
               ArrayRef<int64_t> channels, bool transposed)
      : Factor(filter, transposed), taps_(offsets.size()) {
    std::vector<double> dense(taps_);
    for (Channel channel : {Channel::Value, Channel::Error, Channel::Spread}) {
      std::vector<double> &values = values_[size_t(channel)];
      if (channel != Channel::Value && isExact()) {
        continue;
      }
      values.resize(channels.size() * taps_);
      for (auto [row, k] : llvm::enumerate(channels)) {
        // All rows are there, one after another.
        readTensor(channel, 0, k * taps_, taps_, dense.data());
        for (int64_t i = 0; i < taps_; ++i) {
          values[row * taps_ + i] = dense[offsets[i]];
        }
      }
    }
  }

protected:
  void readRun(Channel channel, int64_t row, int64_t column, int64_t count,
               double *out) const override {
    const std::vector<double> &values = values_[size_t(channel)];
    if (values.empty()) {
      std::fill_n(out, count, 0.0);
    } else {
      std::copy_n(values.data() + row * taps_ + column, count, out);
    }
  }

private:
  int64_t taps_;
  std::vector<double> values_[3]; // by Channel
};

/// The values of one group's channels that the taps of some pixels read:
/// [pixels, taps] of an NHWC input, [taps, pixels] of an NCHW one.
class PixelFactor : public Factor {
public:
  PixelFactor(const RowTensor &input, const Conv2dGeometry &g, int64_t group,
              ArrayRef<Pixel> pixels)
      : Factor(input, /*transposed=*/false), g_(g),
        firstChannel_(group * g.inputChannelsPerGroup()), pixels_(pixels) {}

  bool isPad(int64_t row, int64_t column) const override {
    bool isNhwc = g_.layout == ImageLayout::NHWC;
    Tap tap(g_, isNhwc ? column : row);
    return !Place(g_, pixels_[isNhwc ? row : column], tap.r, tap.s)
                .isInside(g_);
  }

protected:
  void readRun(Channel channel, int64_t row, int64_t column, int64_t count,
               double *out) const override {
    if (g_.layout == ImageLayout::NHWC) {
      readTaps(channel, pixels_[row], column, count, out);
    } else {
      readPixels(channel, Tap(g_, row), column, count, out);
    }
  }

private:
  void readTaps(Channel channel, const Pixel &pixel, int64_t first,
                int64_t count, double *out) const {
    int64_t channels = g_.inputChannelsPerGroup();
    for (int64_t done = 0; done < count;) {
      Tap tap(g_, first + done);
      int64_t run = std::min(count - done, channels - tap.c);
      Place place(g_, pixel, tap.r, tap.s);
      if (place.isInside(g_)) {
        int64_t row = (pixel.n * g_.inputHeight + place.h) * g_.inputWidth;
        readTensor(channel, row + place.w, firstChannel_ + tap.c, run,
                   out + done);
      } else {
        std::fill_n(out + done, run, 0.0);
      }
      done += run;
    }
  }

  void readPixels(Channel channel, const Tap &tap, int64_t first, int64_t count,
                  double *out) const {
    std::vector<double> line(g_.inputWidth);
    int64_t inLine = -1; // the row that `line` holds
    for (int64_t i = 0; i < count; ++i) {
      const Pixel &pixel = pixels_[first + i];
      Place place(g_, pixel, tap.r, tap.s);
      if (!place.isInside(g_)) {
        out[i] = 0;
        continue;
      }
      int64_t image = pixel.n * g_.inputChannels + firstChannel_ + tap.c;
      int64_t row = image * g_.inputHeight + place.h;
      if (row != inLine) {
        readTensor(channel, row, 0, g_.inputWidth, line.data());
        inLine = row;
      }
      out[i] = line[place.w];
    }
  }

  const Conv2dGeometry &g_;
  int64_t firstChannel_;
  ArrayRef<Pixel> pixels_;
};

class Convolution {
public:
  Convolution(graph::Conv2dOp op, Lookup operand, RowTensor &result)
      : g_(op.getGeometry()), isTf32_(isTf32(op)),
        input_(operand(op.getInput())), filter_(operand(op.getFilter())),
        bias_(op.getBias() ? &operand(op.getBias()) : nullptr),
        result_(result) {
    for (int64_t i = 0; i < g_.reductionLength(); ++i) {
      Tap tap(g_, i);
      tapOffsets_.push_back((tap.c * g_.filterHeight + tap.r) * g_.filterWidth +
                            tap.s);
    }
  }

  void run() {
    if (g_.layout == ImageLayout::NHWC) {
      runNhwc();
    } else {
      runNchw();
    }
  }

private:
  void runNhwc() {
    ArrayRef<int64_t> rows = result_.rows();
    while (!rows.empty()) {
      ArrayRef<int64_t> some = rows.take_front(kPixelsAtOnce);
      rows = rows.drop_front(some.size());
      std::vector<Pixel> pixels;
      for (int64_t row : some) {
        pixels.push_back({row / g_.outputWidth / g_.outputHeight,
                          row / g_.outputWidth % g_.outputHeight,
                          row % g_.outputWidth});
      }
      auto channels = llvm::to_vector(llvm::seq<int64_t>(0, g_.outputChannels));
      int64_t perGroup = g_.outputChannelsPerGroup();
      for (int64_t group = 0; group < g_.groups; ++group) {
        product(group, pixels,
                ArrayRef(channels).slice(group * perGroup, perGroup),
                [&](int64_t pixel, int64_t k) {
                  return std::pair(some[pixel], k);
                });
      }
    }
  }

  /// The channels of one group that are wanted of a line of pixels.
  struct Line {
    int64_t n, p, group;
    SmallVector<int64_t> channels;
  };

  void runNchw() {
    std::vector<Line> lines;
    llvm::MapVector<std::tuple<int64_t, int64_t, int64_t>, size_t> known;
    for (int64_t row : result_.rows()) {
      int64_t p = row % g_.outputHeight, image = row / g_.outputHeight;
      int64_t k = image % g_.outputChannels, n = image / g_.outputChannels;
      int64_t group = k / g_.outputChannelsPerGroup();
      auto [found, isNew] =
          known.try_emplace(std::tuple(group, n, p), lines.size());
      if (isNew) {
        lines.push_back({n, p, group, {}});
      }
      lines[found->second].channels.push_back(k);
    }
    llvm::sort(lines, [](const Line &a, const Line &b) {
      return std::tie(a.group, a.n, a.p) < std::tie(b.group, b.n, b.p);
    });
    // Lines of which the same channels are wanted are one product.
    for (size_t first = 0, next; first < lines.size(); first = next) {
      const Line &line = lines[first];
      std::vector<Pixel> pixels;
      for (next = first;
           next < lines.size() && lines[next].channels == line.channels &&
           (next == first || int64_t(pixels.size()) < kPixelsAtOnce);
           ++next) {
        for (int64_t q = 0; q < g_.outputWidth; ++q) {
          pixels.push_back({lines[next].n, lines[next].p, q});
        }
      }
      product(line.group, pixels, line.channels, [&](int64_t i, int64_t k) {
        int64_t image = pixels[i].n * g_.outputChannels + k;
        return std::pair(image * g_.outputHeight + pixels[i].p, pixels[i].q);
      });
    }
  }

  /// Writes the elements of `pixels` and `channels`, all of one group, where
  /// `placeOf` says: row and column for the number of a pixel and a channel.
  void product(int64_t group, ArrayRef<Pixel> pixels,
               ArrayRef<int64_t> channels,
               llvm::function_ref<std::pair<int64_t, int64_t>(int64_t, int64_t)>
                   placeOf) {
    bool isNhwc = g_.layout == ImageLayout::NHWC;
    PixelFactor pixelFactor(input_, g_, group, pixels);
    FilterFactor filterFactor(filter_, tapOffsets_, channels,
                              /*transposed=*/isNhwc);
    int64_t m = pixels.size(), n = channels.size();
    SumOfProducts product =
        isNhwc ? SumOfProducts(m, n, g_.reductionLength(), pixelFactor,
                               filterFactor, isTf32_)
               : SumOfProducts(n, m, g_.reductionLength(), filterFactor,
                               pixelFactor, isTf32_);
    for (int64_t i = 0; i < m; ++i) {
      double terms = countTerms(g_, pixels[i]);
      for (int64_t j = 0; j < n; ++j) {
        Bounded bias;
        double biasSpread = 0;
        if (bias_) {
          double value, error;
          bias_->read(Channel::Value, 0, channels[j], 1, &value);
          bias_->read(Channel::Error, 0, channels[j], 1, &error);
          bias_->read(Channel::Spread, 0, channels[j], 1, &biasSpread);
          bias = asOperand(bias_->dtype(), value, error);
        }
        auto [meaning, spread] = product.element(isNhwc ? i : j, isNhwc ? j : i,
                                                 terms, bias_ ? &bias : nullptr,
                                                 biasSpread, result_.dtype());
        auto [row, column] = placeOf(i, channels[j]);
        result_.data(Channel::Value, row)[column] = meaning.value;
        result_.data(Channel::Error, row)[column] =
            meaning.carried + meaning.rounding;
        result_.data(Channel::Spread, row)[column] = spread;
      }
    }
  }

  const Conv2dGeometry g_;
  const bool isTf32_;
  const RowTensor &input_, &filter_;
  const RowTensor *bias_;
  RowTensor &result_;
  std::vector<int64_t> tapOffsets_;
};

} // namespace

void evaluateConvolution(graph::Conv2dOp op, Lookup operand,
                         RowTensor &result) {
  Convolution(op, operand, result).run();
}

void demandOfInput(graph::Conv2dOp op, const llvm::BitVector &rows,
                   llvm::BitVector &inputRows) {
  Conv2dGeometry g = op.getGeometry();
  bool isNhwc = g.layout == ImageLayout::NHWC;
  for (unsigned row : rows.set_bits()) {
    int64_t line = isNhwc ? row / g.outputWidth : row;
    int64_t p = line % g.outputHeight, image = line / g.outputHeight;
    for (int64_t r = 0; r < g.filterHeight; ++r) {
      int64_t h = Place(g, {0, p, 0}, r, 0).h;
      if (h < 0 || h >= g.inputHeight) {
        continue;
      }
      if (isNhwc) {
        for (int64_t s = 0; s < g.filterWidth; ++s) {
          Place place(g, {image, p, row % g.outputWidth}, r, s);
          if (place.isInside(g)) {
            inputRows.set((image * g.inputHeight + h) * g.inputWidth + place.w);
          }
        }
        continue;
      }
      int64_t n = image / g.outputChannels, k = image % g.outputChannels;
      int64_t channels = g.inputChannelsPerGroup();
      int64_t first = k / g.outputChannelsPerGroup() * channels;
      for (int64_t c = first; c < first + channels; ++c) {
        inputRows.set((n * g.inputChannels + c) * g.inputHeight + h);
      }
    }
  }
}

} // namespace minic::reference
