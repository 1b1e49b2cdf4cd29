// SPDX-License-Identifier: Apache-2.0
// y = sin x. The key is empty: the same code runs at every size, which it is
// told. A kernel calls nothing, so it brings its own sine: x - k pi in three
// steps, then a polynomial.
#include <stdint.h>

static inline float sine(float x) {
  float k = __builtin_rintf(x * 0.318309886f);
  float r = x - k * 3.140625f;
  r -= k * 9.67502593994140625e-4f;
  r -= k * 1.509957990978376432e-7f;
  float s = r * r;
  float p = 2.6083159809786593541503e-6f;
  p = p * s - 1.981069071916863322258e-4f;
  p = p * s + 8.33307858556509017944336e-3f;
  p = p * s - 0.166666597127914428710938f;
  float y = p * s * r + r;
  return (int32_t)k & 1 ? -y : y;
}

void sine_of(const float *restrict x, float *restrict y, int64_t n,
             int64_t begin, int64_t end) {
  int64_t last = end * BLOCK < n ? end * BLOCK : n;
  for (int64_t i = begin * BLOCK; i < last; ++i) {
    y[i] = sine(x[i]);
  }
}
