// SPDX-License-Identifier: Apache-2.0
// y = sin x. The key is empty: the same code runs at every size, which it is
// told.
__global__ void sine_of(const float *__restrict__ x, float *__restrict__ y,
                        long long n) {
  long long first = (blockIdx.x * (long long)BLOCK + threadIdx.x) * 4;
  if (first + 4 <= n) {
    float4 v = *(const float4 *)(x + first);
    *(float4 *)(y + first) = {sinf(v.x), sinf(v.y), sinf(v.z), sinf(v.w)};
  } else {
    for (long long i = first; i < n; ++i) {
      y[i] = sinf(x[i]);
    }
  }
}
