// SPDX-License-Identifier: Apache-2.0
// y = gelu(a + b), four elements of a thread at a time.
__global__ void add_gelu(const float *__restrict__ a,
                         const float *__restrict__ b, float *__restrict__ y,
                         long long n) {
  long long first = (blockIdx.x * (long long)BLOCK + threadIdx.x) * 4;
  if (first + 4 <= n) {
    float4 x = *(const float4 *)(a + first), z = *(const float4 *)(b + first);
    float4 sum = {x.x + z.x, x.y + z.y, x.z + z.z, x.w + z.w};
    *(float4 *)(y + first) = {sum.x * normcdff(sum.x), sum.y * normcdff(sum.y),
                              sum.z * normcdff(sum.z), sum.w * normcdff(sum.w)};
  } else {
    for (long long i = first; i < n; ++i) {
      float sum = a[i] + b[i];
      y[i] = sum * normcdff(sum);
    }
  }
}
