// SPDX-License-Identifier: Apache-2.0
//
// conv_transpose2d: each pixel of the result as a matrix product, one per
// group, of the input elements that reach it by their filters.

#include "compiler/reference/Elements.h"
#include "compiler/reference/OpRecord.h"
#include "compiler/reference/SumOfProducts.h"
#include "dialects/graph/ImageShapes.h"

#include <map>

using namespace mlir;

namespace minic::reference {

namespace {

using graph::Conv2dGeometry;
using graph::ImageLayout;

/// An input pixel, and the tap of the filter by which it reaches a pixel of
/// the result.
struct Reach {
  int64_t h, w, r, s;
};

/// `at` in steps of `stride`; none where it is between two or outside.
std::optional<int64_t> stepOf(int64_t at, int64_t stride, int64_t extent) {
  bool isInside = at >= 0 && at % stride == 0 && at / stride < extent;
  return isInside ? std::optional(at / stride) : std::nullopt;
}

/// `g` is of the convolution from the result to the input.
SmallVector<Reach> reachesOf(const Conv2dGeometry &g, int64_t y, int64_t x) {
  SmallVector<Reach> reaches;
  for (int64_t r = 0; r < g.filterHeight; ++r) {
    auto h = stepOf(y + g.padTop - r * g.dilationHeight, g.strideHeight,
                    g.outputHeight);
    for (int64_t s = 0; h && s < g.filterWidth; ++s) {
      if (auto w = stepOf(x + g.padLeft - s * g.dilationWidth, g.strideWidth,
                          g.outputWidth)) {
        reaches.push_back({*h, *w, r, s});
      }
    }
  }
  return reaches;
}

/// Row `row` of an image tensor, and the column in it.
std::pair<int64_t, int64_t> placeOf(ImageLayout layout, int64_t channels,
                                    int64_t height, int64_t width, int64_t n,
                                    int64_t c, int64_t h, int64_t w) {
  return layout == ImageLayout::NCHW
             ? std::pair((n * channels + c) * height + h, w)
             : std::pair((n * height + h) * width + w, c);
}

/// The input elements of one group that reach a pixel: one row of
/// channel-major [channels, reaches].
class InputFactor : public Factor {
public:
  InputFactor(const RowTensor &input, const Conv2dGeometry &g, int64_t n,
              int64_t group, ArrayRef<Reach> reaches)
      : Factor(input, /*transposed=*/false), g_(g), n_(n), group_(group),
        reaches_(reaches) {}

protected:
  void readRun(Channel channel, int64_t, int64_t column, int64_t count,
               double *out) const override {
    for (int64_t i = column; i < column + count; ++i) {
      const Reach &reach = reaches_[i % reaches_.size()];
      int64_t c = group_ * g_.outputChannelsPerGroup() + i / reaches_.size();
      auto [row, at] = placeOf(g_.layout, g_.outputChannels, g_.outputHeight,
                               g_.outputWidth, n_, c, reach.h, reach.w);
      readTensor(channel, row, at, 1, out++);
    }
  }

private:
  const Conv2dGeometry &g_;
  int64_t n_, group_;
  ArrayRef<Reach> reaches_;
};

/// The filter's elements beside them: [channels and reaches, wanted channels],
/// read by columns.
class TapFactor : public Factor {
public:
  TapFactor(const RowTensor &filter, const Conv2dGeometry &g, int64_t group,
            ArrayRef<Reach> reaches, ArrayRef<int64_t> wanted)
      : Factor(filter, /*transposed=*/true), g_(g), group_(group),
        reaches_(reaches), wanted_(wanted) {}

protected:
  void readRun(Channel channel, int64_t row, int64_t column, int64_t count,
               double *out) const override {
    int64_t perGroup = g_.inputChannelsPerGroup(), k = wanted_[row] % perGroup;
    for (int64_t i = column; i < column + count; ++i) {
      const Reach &reach = reaches_[i % reaches_.size()];
      int64_t c = group_ * g_.outputChannelsPerGroup() + i / reaches_.size();
      readTensor(channel, (c * perGroup + k) * g_.filterHeight + reach.r,
                 reach.s, 1, out++);
    }
  }

private:
  const Conv2dGeometry &g_;
  int64_t group_;
  ArrayRef<Reach> reaches_;
  ArrayRef<int64_t> wanted_;
};

void evaluateConvTranspose(Operation *op, unsigned, Lookup operand,
                           RowTensor &result) {
  auto conv = cast<graph::ConvTranspose2dOp>(op);
  const Conv2dGeometry g = conv.getGeometry();
  const RowTensor &input = operand(conv.getInput());
  const RowTensor &filter = operand(conv.getFilter());
  const RowTensor *bias = conv.getBias() ? &operand(conv.getBias()) : nullptr;
  auto readBias = [&](Channel channel, int64_t k) {
    double value = 0;
    bias->read(channel, 0, k, 1, &value);
    return value;
  };
  ElementWriter out(result);
  auto finishPixel = [&](int64_t n, int64_t y, int64_t x,
                         ArrayRef<int64_t> wanted) {
    int64_t group = wanted[0] / g.inputChannelsPerGroup();
    SmallVector<Reach> reaches = reachesOf(g, y, x);
    int64_t terms = int64_t(reaches.size()) * g.outputChannelsPerGroup();
    InputFactor lhs(input, g, n, group, reaches);
    TapFactor rhs(filter, g, group, reaches, wanted);
    SumOfProducts product(1, int64_t(wanted.size()), terms, lhs, rhs,
                          /*isTf32=*/false);
    for (auto [j, k] : llvm::enumerate(wanted)) {
      Bounded summand;
      double spread = 0;
      if (bias) {
        summand = asOperand(bias->dtype(), readBias(Channel::Value, k),
                            readBias(Channel::Error, k));
        spread = readBias(Channel::Spread, k);
      }
      auto [meaning, own] =
          product.element(0, int64_t(j), double(terms),
                          bias ? &summand : nullptr, spread, result.dtype());
      auto [row, column] = placeOf(g.layout, g.inputChannels, g.inputHeight,
                                   g.inputWidth, n, k, y, x);
      out.put(row * result.length() + column,
              {meaning.value, meaning.carried + meaning.rounding, own});
    }
  };
  // Channels that are wanted of a line (NCHW) or a pixel (NHWC), by group.
  std::map<std::tuple<int64_t, int64_t, int64_t, int64_t>, SmallVector<int64_t>>
      pixels;
  for (int64_t row : result.rows()) {
    if (g.layout == ImageLayout::NHWC) {
      int64_t line = row / g.inputWidth;
      for (int64_t k = 0; k < g.inputChannels; ++k) {
        pixels[{k / g.inputChannelsPerGroup(), line / g.inputHeight,
                line % g.inputHeight, row % g.inputWidth}]
            .push_back(k);
      }
      continue;
    }
    int64_t image = row / g.inputHeight, k = image % g.inputChannels;
    for (int64_t x = 0; x < g.inputWidth; ++x) {
      pixels[{k / g.inputChannelsPerGroup(), image / g.inputChannels,
              row % g.inputHeight, x}]
          .push_back(k);
    }
  }
  for (const auto &[at, wanted] : pixels) {
    finishPixel(std::get<1>(at), std::get<2>(at), std::get<3>(at), wanted);
  }
}

double costOfConvTranspose(Operation *op) {
  return double(cast<graph::ConvTranspose2dOp>(op).getReadsPerElement());
}

} // namespace

void addConvTranspose(OpRecords &records) {
  addRecord<graph::ConvTranspose2dOp>(
      records, {evaluateConvTranspose, nullptr, costOfConvTranspose});
}

} // namespace minic::reference
