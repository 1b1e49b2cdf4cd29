// SPDX-License-Identifier: Apache-2.0
// y = max(x, 0) + bias, row by row, in AVX-512. Each tile is ROWS rows of
// COLUMNS elements, a multiple of 16 as `where` says.
#include <immintrin.h>
#include <stdint.h>

void relu_bias(const float *restrict x, const float *restrict bias,
               float *restrict y, int64_t rows, int64_t begin, int64_t end) {
  int64_t last = end * ROWS < rows ? end * ROWS : rows;
  for (int64_t row = begin * ROWS; row < last; ++row) {
    for (int64_t i = 0; i < COLUMNS; i += 16) {
      __m512 value = _mm512_loadu_ps(x + row * COLUMNS + i);
      // The second operand is what a NaN in either gives.
      value = _mm512_max_ps(_mm512_setzero_ps(), value);
      value = _mm512_add_ps(value, _mm512_loadu_ps(bias + i));
      _mm512_storeu_ps(y + row * COLUMNS + i, value);
    }
  }
}
