// SPDX-License-Identifier: Apache-2.0
//
// Shapes of a convolution, whichever library computes it.

#include "runtime/format/ViewChecker.h"

namespace minic::format {

// Libraries take windows as int32; products of two stay in int64.
static constexpr int64_t kMaxWindow = int64_t(1) << 31;

/// Checks one spatial dimension.
static void checkWindow(const ConvolutionShape &shape, uint32_t spatial,
                        ViewChecker &checker) {
  int64_t stride = shape.strides[spatial], dilation = shape.dilations[spatial];
  int64_t begin = shape.padsBegin[spatial], end = shape.padsEnd[spatial];
  if (stride < 1 || stride >= kMaxWindow || dilation < 1 ||
      dilation >= kMaxWindow || begin < 0 || begin >= kMaxWindow || end < 0 ||
      end >= kMaxWindow) {
    return checker.fail("stride ", stride, ", pads ", begin, " and ", end,
                        ", dilation ", dilation, " are out of range");
  }
  int64_t input = shape.input.dims()->Get(spatial + 2);
  int64_t filter = shape.filter.dims()->Get(spatial + 2);
  int64_t result = shape.result.dims()->Get(spatial + 2);
  if (filter < 1 || filter >= kMaxWindow) {
    return checker.fail("filter: extent ", filter, " is out of range");
  }
  int64_t room = input + begin + end - (dilation * (filter - 1) + 1);
  int64_t expected = room < 0 ? 0 : room / stride + 1;
  if (result != expected) {
    checker.fail("result: expected extent ", expected, " of spatial dimension ",
                 spatial, ", got ", result);
  }
}

void checkConvolution(const ConvolutionShape &shape, ViewChecker &checker) {
  checker.read(&shape.input, "input", 3);
  checker.read(&shape.filter, "filter", 3);
  checker.write(&shape.result, "result", 3);
  if (!checker.ok()) {
    return;
  }
  const auto &input = *shape.input.dims(), &filter = *shape.filter.dims(),
             &result = *shape.result.dims();
  uint32_t rank = input.size();
  if (filter.size() != rank || result.size() != rank || rank > 5) {
    return checker.fail("ranks of input, filter and result: expected the same "
                        "from 3 to 5, got ",
                        rank, ", ", filter.size(), ", ", result.size());
  }
  for (const auto *extents :
       {&shape.strides, &shape.padsBegin, &shape.padsEnd, &shape.dilations}) {
    if (extents->size() != rank - 2 || !isAligned(*extents)) {
      return checker.fail("strides, pads and dilations: expected ", rank - 2,
                          " each, got ", extents->size());
    }
  }
  int64_t groups = shape.groups;
  if (groups < 1 || input[1] % groups != 0 || filter[0] % groups != 0 ||
      filter[1] != input[1] / groups) {
    return checker.fail(groups, " groups do not divide ", input[1],
                        " channels and ", filter[0], " filters of ", filter[1],
                        " channels");
  }
  if (result[0] != input[0] || result[1] != filter[0]) {
    return checker.fail("result: expected ", input[0], " images of ", filter[0],
                        " channels, got ", result[0], " of ", result[1]);
  }
  for (uint32_t spatial = 0; spatial + 2 < rank && checker.ok(); ++spatial) {
    checkWindow(shape, spatial, checker);
  }
}

} // namespace minic::format
