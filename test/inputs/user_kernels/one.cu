// SPDX-License-Identifier: Apache-2.0
__global__ void one(const float *x, float *y finish_operands) {
  y[0] = finish(x[0]);
}
