// SPDX-License-Identifier: Apache-2.0
// Each of these is relu where BAD is 0. Where it is 1, its name says what is wrong.
#define INDEX (blockIdx.x * 128LL + threadIdx.x)

__global__ void wrong(const float *x, float *y, long long n) {
  long long i = INDEX;
  if (i < n) {
    y[i] = x[i] > 0 ? x[i] : BAD * 0.01f;
  }
}

__global__ void beyond(const float *x, float *y, long long n) {
  long long i = INDEX;
  if (i < n + BAD) {
    y[i] = i < n && x[i] > 0 ? x[i] : 0;
  }
}

__global__ void unwritten(const float *x, float *y, long long n) {
  long long i = INDEX;
  if (i < n - BAD) {
    y[i] = x[i] > 0 ? x[i] : 0;
  }
}

// What lies behind an operand is no number.
__global__ void reads(const float *x, float *y, long long n) {
  long long i = INDEX;
  if (i < n) {
    y[i] = (x[i] > 0 ? x[i] : 0) + 0 * ((volatile const float *)x)[i + BAD];
  }
}

// Far from it there is nothing.
__global__ void far(const float *x, float *y, long long n) {
  long long i = INDEX;
  if (i < n) {
    long long at = i + (BAD ? 1LL << 38 : 0);
    y[i] = x[i] > 0 ? ((volatile const float *)x)[at] : 0;
  }
}

__global__ void operand(const float *x, float *y, long long n) {
  long long i = INDEX;
  if (i < n) {
    y[i] = x[i] > 0 ? x[i] : 0;
    if (BAD && i == 7) {
      ((float *)x)[i] = 2;
    }
  }
}

__global__ void crash(const float *x, float *y, long long n) {
  long long i = INDEX;
  if (i < n) {
    y[i] = x[i] > 0 ? x[i] : 0;
    if (BAD) {
      *(volatile float *)8 = x[i];
    }
  }
}

// A result that nothing was declared for does not begin with zeros.
__global__ void begins(const float *x, float *y, long long n) {
  long long i = INDEX;
  if (i < n) {
    if (BAD && y[i] != 0) {
      __trap();
    }
    y[i] = x[i] > 0 ? x[i] : 0;
  }
}

__global__ void hang(const float *x, float *y, long long n) {
  long long i = INDEX;
  while (BAD && *(volatile const float *)x < 1e30f) {
  }
  if (i < n) {
    y[i] = x[i] > 0 ? x[i] : 0;
  }
}

__global__ void shared(const float *x, float *y, long long n) {
  __shared__ float row[128];
  long long i = INDEX;
  row[threadIdx.x] = i < n ? x[i] : 0;
  __syncthreads();
  if (i < n) {
    y[i] = row[threadIdx.x] > 0 ? row[threadIdx.x] : 0;
  }
}

// Blocks that write one element without taking turns lose what others wrote.
__global__ void race(const float *x, float *y) {
  for (int i = 0; i < 1000; ++i) {
    if (BAD) {
      volatile float *sum = y;
      sum[0] = sum[0] + 1;
    } else {
      atomicAdd(y, 1.0f);
    }
  }
}
