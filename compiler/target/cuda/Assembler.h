// SPDX-License-Identifier: Apache-2.0
//
// From a CUDA device module to PTX to the bytes of a cubin.

#ifndef MINIC_COMPILER_TARGET_CUDA_ASSEMBLER_H
#define MINIC_COMPILER_TARGET_CUDA_ASSEMBLER_H

#include "compiler/target/BinaryCache.h"
#include "compiler/target/DeviceProfile.h"

#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <vector>

namespace minic::cuda {

/// Loads the dialects that device modules use into `context` and registers
/// their translations. Not to be called while passes run on `context` in
/// several threads, unless it was called before.
void prepareContext(mlir::MLIRContext &context);

/// Lowers `device` (consumed: llvm.funcs of scf, arith, math, vector, llvm and
/// nvvm ops; kernels carry nvvm.kernel) to PTX for `profile.cpu`. Emits a
/// diagnostic on failure; one that says "internal error" is a bug of minic's
/// generators. Thread-safe on different contexts.
/// `llvmIr` gets the LLVM IR that the PTX is made of.
mlir::FailureOr<std::string> emitPtx(mlir::ModuleOp device,
                                     const DeviceProfile &profile,
                                     std::string *llvmIr = nullptr);

/// What the assembler says of one kernel.
struct KernelResources {
  std::string entry;
  int registers = 0;
  int spillBytes = 0; // stored and loaded, per thread
  int stackBytes = 0;
  int sharedBytes = 0; // static
  /// The assembler put waits between wgmma instructions, or ahead of what uses
  /// their sums.
  bool serializesWgmma = false;
};

/// Assembles `ptx` for `arch` ("sm_90a"): by nvJitLink in process, else by the
/// ptxas of a toolkit. If the assembler rejects it, that is a diagnostic at
/// `forDiagnostics`; so is a machine with neither, with how to get one.
/// `resources` gets an entry per kernel. PTX that `cache` has is not assembled
/// again. Others' PTX names its `owner`, as "kernel @copy": what is wrong with
/// it is told of that, in one line. Thread-safe without a cache.
mlir::FailureOr<std::string>
assembleCubin(llvm::StringRef ptx, llvm::StringRef arch,
              mlir::ModuleOp forDiagnostics,
              std::vector<KernelResources> *resources = nullptr,
              BinaryCache *cache = nullptr, llvm::StringRef owner = "");

/// The first error of what an assembler said, as one line.
std::string firstAssemblerError(llvm::StringRef text);

/// True where assembleCubin has something to assemble with.
bool hasAssembler();

/// True where that honours setmaxnreg: ptxas does, which assembleCubin takes
/// for such kernels where it is.
bool assemblerMovesRegisters();

/// The messages of ptxas -v as facts.
std::vector<KernelResources> parseResources(llvm::StringRef log);

} // namespace minic::cuda

#endif // MINIC_COMPILER_TARGET_CUDA_ASSEMBLER_H
