// SPDX-License-Identifier: Apache-2.0
// y = x w^T, a block of columns at a time. What the model does next is done
// here: the source calls `finish` on each element before it stores it, and has
// `finish_operands` among its parameters. minic says what both are.
#include <stdint.h>

void linear(const float *restrict x, const float *restrict w,
            float *restrict y finish_operands, int64_t rows, int64_t begin,
            int64_t end) {
  for (int64_t tile = begin; tile < end; ++tile) {
    for (int64_t m = 0; m < rows; ++m) {
      float sums[BLOCK] = {0};
      for (int64_t k = 0; k < K; ++k) {
        for (int64_t n = 0; n < BLOCK; ++n) {
          sums[n] += x[m * K + k] * w[(tile * BLOCK + n) * K + k];
        }
      }
      for (int64_t i = 0; i < BLOCK; ++i) {
        int64_t n = tile * BLOCK + i;
        y[m * N + n] = finish(sums[i], m, n);
      }
    }
  }
}
