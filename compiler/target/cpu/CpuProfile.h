// SPDX-License-Identifier: Apache-2.0
//
// Device profiles of x86-64 CPUs.

#ifndef MINIC_COMPILER_TARGET_CPU_CPUPROFILE_H
#define MINIC_COMPILER_TARGET_CPU_CPUPROFILE_H

#include "compiler/target/DeviceProfile.h"

#include "llvm/ADT/StringRef.h"

namespace minic::cpu {

/// The CPU of this machine, or a generic one of an ISA level.
///
/// `isa`: empty for the best level that this machine has (plus bf16 dot
/// products and AMX tiles where it has them), "v3" (AVX2, FMA) or "v4"
/// (AVX-512) for exactly that level. `cpu` is the LLVM name of the level;
/// `features` lists every feature that generated code may use, as "+name": what
/// a runtime must check. A machine below v3 gets "x86-64" and no features.
/// joinUs and onednnProblem, which only the running machine can tell, have the
/// values of an unknown machine.
DeviceProfile getCpuProfile(int threads, llvm::StringRef isa = "");

/// joinUs of a machine that nobody measured. Two cores of two machines took 0.7
/// to 2 us, between calls that follow each other.
constexpr double kUnknownJoinUs = 2;

} // namespace minic::cpu

#endif // MINIC_COMPILER_TARGET_CPU_CPUPROFILE_H
