// SPDX-License-Identifier: Apache-2.0
//
// Weak no-op initializers for the LLVM targets minic does not generate code
// for. lld's LTO code initializes every target LLVM was configured with; these
// definitions keep the linker from pulling all of them into the compiler.

#include "llvm/Plugins/PassPlugin.h"

#define MINIC_NO_TARGET(Name)                                                  \
  extern "C" {                                                                 \
  __attribute__((weak)) void LLVMInitialize##Name##TargetInfo() {}             \
  __attribute__((weak)) void LLVMInitialize##Name##Target() {}                 \
  __attribute__((weak)) void LLVMInitialize##Name##TargetMC() {}               \
  __attribute__((weak)) void LLVMInitialize##Name##AsmPrinter() {}             \
  __attribute__((weak)) void LLVMInitialize##Name##AsmParser() {}              \
  __attribute__((weak)) void LLVMInitialize##Name##Disassembler() {}           \
  }

// Debian's LLVM was configured with Polly but does not ship its archive.
llvm::PassPluginLibraryInfo getPollyPluginInfo() { return {}; }

MINIC_NO_TARGET(AArch64)
MINIC_NO_TARGET(AMDGPU)
MINIC_NO_TARGET(ARM)
MINIC_NO_TARGET(AVR)
MINIC_NO_TARGET(BPF)
MINIC_NO_TARGET(Hexagon)
MINIC_NO_TARGET(Lanai)
MINIC_NO_TARGET(LoongArch)
MINIC_NO_TARGET(Mips)
MINIC_NO_TARGET(MSP430)
MINIC_NO_TARGET(PowerPC)
MINIC_NO_TARGET(RISCV)
MINIC_NO_TARGET(Sparc)
MINIC_NO_TARGET(SPIRV)
MINIC_NO_TARGET(SystemZ)
MINIC_NO_TARGET(VE)
MINIC_NO_TARGET(WebAssembly)
MINIC_NO_TARGET(XCore)
MINIC_NO_TARGET(M68k)
MINIC_NO_TARGET(Xtensa)
