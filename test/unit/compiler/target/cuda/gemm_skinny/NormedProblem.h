// SPDX-License-Identifier: Apache-2.0
//
// NormedProblem: a product of a norm's rows, as tests of gemm_skinny write it.

#ifndef MINIC_TEST_UNIT_COMPILER_TARGET_CUDA_GEMM_SKINNY_NORMEDPROBLEM_H
#define MINIC_TEST_UNIT_COMPILER_TARGET_CUDA_GEMM_SKINNY_NORMEDPROBLEM_H

#include "test/unit/dialects/kernel/TensorText.h"

namespace minic::cuda {

struct NormedProblem {
  int64_t m, n, k;
  std::string dtype = "bf16";
  std::string norm = "layer_norm"; // or rms_norm
  bool hasScale = true, hasBias = true;
  double mean = 0; // of x, whose deviation is 0.58
};

/// Operands: r, w, x, then scale and bias. relu(norm(x) W^T) + r.
inline std::string bodyOf(const NormedProblem &p) {
  std::string x = tensor({p.m, p.k}, p.dtype), s = tensor({p.k}, p.dtype),
              w = tensor({p.n, p.k}, p.dtype), y = tensor({p.m, p.n}, p.dtype);
  std::string scale = p.hasScale ? " scale %3" : "",
              bias = p.hasBias ? " bias %4" : "",
              types = "(" + x + (p.hasScale ? ", " + s : "") +
                      (p.hasBias ? ", " + s : "") + ") -> " + x;
  return "%n = graph." + p.norm + " %2" + scale + bias +
         " axis = 1 : " + types + "\n%l = graph.linear %n, %1 : (" + x + ", " +
         w + ") -> " + y + "\n%a = graph.relu %l : " + y +
         "\n%s = graph.add %a, %0 : (" + y + ", " + y + ") -> " + y +
         "\nkernel.yield %s : " + y;
}

inline std::vector<std::string> operandsOf(const NormedProblem &p) {
  std::vector<std::string> types = {tensor({p.m, p.n}, p.dtype),
                                    tensor({p.n, p.k}, p.dtype),
                                    tensor({p.m, p.k}, p.dtype)};
  types.resize(types.size() + size_t(p.hasScale) + size_t(p.hasBias),
               tensor({p.k}, p.dtype));
  return types;
}

} // namespace minic::cuda

#endif // MINIC_TEST_UNIT_COMPILER_TARGET_CUDA_GEMM_SKINNY_NORMEDPROBLEM_H
