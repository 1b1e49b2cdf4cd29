// SPDX-License-Identifier: Apache-2.0
//
// Weak no-op initializers for the LLVM targets minic does not generate code
// for. lld's LTO code initializes every target LLVM was configured with; these
// definitions keep the linker from pulling all of them into the compiler.

#define MINIC_NO_TARGET(Target)                                                \
  extern "C" {                                                                 \
  __attribute__((weak)) void LLVMInitialize##Target##TargetInfo() {}           \
  __attribute__((weak)) void LLVMInitialize##Target##Target() {}               \
  __attribute__((weak)) void LLVMInitialize##Target##TargetMC() {}             \
  __attribute__((weak)) void LLVMInitialize##Target##AsmPrinter() {}           \
  __attribute__((weak)) void LLVMInitialize##Target##AsmParser() {}            \
  __attribute__((weak)) void LLVMInitialize##Target##Disassembler() {}         \
  }

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
