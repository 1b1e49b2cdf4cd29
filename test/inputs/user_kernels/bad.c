// SPDX-License-Identifier: Apache-2.0
// bad.cu for a CPU, where tiles are what blocks are there. Enough of it to try
// the stage without a GPU; test/kernels/rejected.test has all of them.
#include <stdint.h>
#define KERNEL(name)                                                           \
  void name(const float *x, float *y, int64_t n, int64_t begin, int64_t end)
#define FOR(last)                                                              \
  for (int64_t i = begin * 128; i < end * 128 && i < (last); ++i)

KERNEL(wrong) {
  FOR(n) { y[i] = x[i] > 0 ? x[i] : BAD * 0.01f; }
}
KERNEL(beyond) {
  FOR(n + BAD) { y[i] = i < n && x[i] > 0 ? x[i] : 0; }
}
KERNEL(unwritten) {
  FOR(n - BAD) { y[i] = x[i] > 0 ? x[i] : 0; }
}
KERNEL(operand) {
  FOR(n) {
    y[i] = x[i] > 0 ? x[i] : 0;
    if (BAD && i == 7) {
      ((float *)x)[i] = 2;
    }
  }
}
KERNEL(crash) {
  FOR(n) {
    y[i] = x[i] > 0 ? x[i] : 0;
    if (BAD) {
      *(volatile float *)8 = x[i];
    }
  }
}
KERNEL(hang) {
  while (BAD && *(volatile const float *)x < 1e30f) {
  }
  FOR(n) { y[i] = x[i] > 0 ? x[i] : 0; }
}
