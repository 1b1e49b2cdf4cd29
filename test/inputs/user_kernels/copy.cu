// SPDX-License-Identifier: Apache-2.0
__global__ void copy(const float *x, float *y finish_operands, long long n) {
  int i = blockIdx.x;
  for (int j = threadIdx.x; j < n; j += blockDim.x) {
    float value = finish(x[i * n + j], i, j);
    y[i * n + j] = value;
  }
}
