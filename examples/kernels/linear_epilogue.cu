// SPDX-License-Identifier: Apache-2.0
// y = x w^T, one element of a thread. What the model does next is done here:
// the source calls `finish` on each element before it stores it, and has
// `finish_operands` among its parameters. minic says what both are.
__global__ void linear(const float *__restrict__ x, const float *__restrict__ w,
                       float *__restrict__ y finish_operands, long long rows) {
  int n = blockIdx.x * BLOCK + threadIdx.x, m = blockIdx.y;
  if (n >= N) {
    return;
  }
  float sum = 0;
  for (int k = 0; k < K; ++k) {
    sum += x[m * K + k] * w[n * K + k];
  }
  y[m * N + n] = finish(sum, m, n);
}
