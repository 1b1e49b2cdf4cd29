// SPDX-License-Identifier: Apache-2.0
//
// One kernel, compiled to a cubin for each configuration: KIND, ELEMENT,
// TILE_M, TILE_N, TILE_K, STAGES and EPILOGUE are given by CMakeLists.txt.
//
// minic's launches bring pointers alone. All else that CUTLASS wants lies in
// constant memory, where host.cu writes it into the cubin for one problem.

#include "configuration.h"

using Gemm = KIND<ELEMENT, TILE_M, TILE_N, TILE_K, STAGES, EPILOGUE>;

struct alignas(64) Written {
  char bytes[sizeof(Gemm::Params)];
};
__constant__ Written written = {PARAMS_MARK};

extern __shared__ __align__(1024) char shared[];

#if HAS_ADDEND
extern "C" __global__ void __launch_bounds__(Gemm::threads)
    cutlass_gemm(void *a, void *b, void *c, void *d) {
  Gemm::run(reinterpret_cast<const Gemm::Params &>(written), a, b, c, d,
            shared);
}
#else
extern "C" __global__ void __launch_bounds__(Gemm::threads)
    cutlass_gemm(void *a, void *b, void *d) {
  Gemm::run(reinterpret_cast<const Gemm::Params &>(written), a, b, d, d,
            shared);
}
#endif
