// SPDX-License-Identifier: Apache-2.0
// c = a + b. A tile is BLOCK elements; the last one may be shorter. N is in the
// key, so it is a constant here.
#include <stdint.h>

void vector_add(const float *restrict a, const float *restrict b,
                float *restrict c, int64_t begin, int64_t end) {
  int64_t last = end * BLOCK < N ? end * BLOCK : N;
  for (int64_t i = begin * BLOCK; i < last; ++i) {
    c[i] = a[i] + b[i];
  }
}
