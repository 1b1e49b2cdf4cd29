// SPDX-License-Identifier: Apache-2.0
//
// Reads memory as fast as the chip can and does nothing with it.

#include <cstddef>
#include <cstdint>

namespace {

constexpr int kThreads = 512, kUnroll = 8;

/// Every block reads chunks of kThreads * kUnroll 16-byte words.
__global__ void __launch_bounds__(kThreads)
    readProbe(const uint4 *data, size_t words, float *sink) {
  uint32_t all = 0;
  constexpr size_t chunk = size_t(kThreads) * kUnroll;
  for (size_t base = blockIdx.x * chunk; base < words;
       base += gridDim.x * chunk) {
    uint4 values[kUnroll];
#pragma unroll
    for (int i = 0; i < kUnroll; ++i) {
      size_t index = base + size_t(i) * kThreads + threadIdx.x;
      values[i] = index < words ? __ldcs(data + index) : uint4{};
    }
#pragma unroll
    for (int i = 0; i < kUnroll; ++i) {
      all ^= values[i].x ^ values[i].y ^ values[i].z ^ values[i].w;
    }
  }
  if (all == 0x9e3779b9u) { // practically never; keeps the loads
    *sink = 1;
  }
}

} // namespace

void launchReadProbe(const void *data, size_t bytes, float *sink,
                     cudaStream_t stream) {
  size_t words = bytes / sizeof(uint4);
  constexpr size_t chunk = size_t(kThreads) * kUnroll;
  size_t blocks = (words + chunk - 1) / chunk;
  int limit = 132 * 4;
  readProbe<<<blocks < size_t(limit) ? int(blocks) : limit, kThreads, 0,
              stream>>>(static_cast<const uint4 *>(data), words, sink);
}
