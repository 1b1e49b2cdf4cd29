// SPDX-License-Identifier: Apache-2.0
// y begins as x.
__global__ void add_in_place(const float *x, const float *same, float *y,
                             long long n) {
  long long i = blockIdx.x * (long long)BLOCK + threadIdx.x;
  if (i < n) {
    if (__float_as_int(y[i]) != __float_as_int(x[i])) {
      __trap();
    }
    y[i] += same[i];
  }
}

// y begins as zeros.
__global__ void positive(const float *x, float *y, long long n) {
  long long i = blockIdx.x * (long long)BLOCK + threadIdx.x;
  if (i < n) {
    if (__float_as_int(y[i]) != 0) {
      __trap();
    }
    if (x[i] > 0) {
      atomicAdd(y + i, x[i]);
    }
  }
}

__global__ void three(const float *x, float *a, float *b, float *c) {
  int i = threadIdx.x;
  a[i] = x[i] + x[i];
  b[i] = -x[i];
  c[i] = x[i] < 0 ? -x[i] : x[i];
}

// y begins as -1.
__global__ void integers(const int *x, int *y, unsigned char *positive) {
  int i = threadIdx.x;
  if (y[i] != -1) {
    __trap();
  }
  y[i] += x[i];
  positive[i] = x[i] > 0;
}
