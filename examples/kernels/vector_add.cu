// SPDX-License-Identifier: Apache-2.0
// c = a + b. N is in the key, so it is a constant here.
__global__ void vector_add(const float *__restrict__ a,
                           const float *__restrict__ b, float *__restrict__ c) {
  long long first = (blockIdx.x * (long long)BLOCK + threadIdx.x) * 4;
  if (N % 4 == 0 && first < N) {
    float4 x = *(const float4 *)(a + first), y = *(const float4 *)(b + first);
    *(float4 *)(c + first) = {x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w};
  } else {
    for (long long i = first; i < first + 4 && i < N; ++i) {
      c[i] = a[i] + b[i];
    }
  }
}
