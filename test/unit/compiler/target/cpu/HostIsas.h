// SPDX-License-Identifier: Apache-2.0
//
// hostIsas: the ISA levels whose code a test may run here.

#ifndef MINIC_TEST_UNIT_COMPILER_TARGET_CPU_HOSTISAS_H
#define MINIC_TEST_UNIT_COMPILER_TARGET_CPU_HOSTISAS_H

#include <string>
#include <vector>

namespace minic::cpu {

/// This machine's own level (""), v3, and v4 where the machine has AVX-512.
inline std::vector<std::string> hostIsas() {
  std::vector<std::string> isas = {"", "v3"};
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw")) {
    isas.push_back("v4");
  }
  return isas;
}

} // namespace minic::cpu

#endif // MINIC_TEST_UNIT_COMPILER_TARGET_CPU_HOSTISAS_H
