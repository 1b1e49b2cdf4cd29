// SPDX-License-Identifier: Apache-2.0
//
// DeviceProfile: the facts about a device that code generation, estimates and
// the tuning key use.

#ifndef MINIC_COMPILER_TARGET_DEVICEPROFILE_H
#define MINIC_COMPILER_TARGET_DEVICEPROFILE_H

#include <cstdint>
#include <string>
#include <vector>

namespace minic {

/// How many schedules a family offers: those that may be among the fastest by
/// its estimates, or every legal one of its space.
enum class Breadth { Promising, All };

struct DeviceProfile {
  /// "cpu" or "cuda".
  std::string target;
  /// For people: "AMD EPYC 9xx4 (Zen 4)".
  std::string name;
  /// LLVM CPU name to generate for, for example "x86-64-v4" or "znver4"; of a
  /// GPU its architecture, "sm_90a".
  std::string cpu;
  /// LLVM feature names beyond `cpu`, for example "+avx512bf16". Of a GPU what
  /// a variant says its binaries run on, "sm_90a".
  std::vector<std::string> features;
  int64_t l1Bytes = 0, l2Bytes = 0, l3Bytes = 0;
  /// Threads one run uses; part of the tuning key.
  int threads = 1;
  /// Rough peaks for estimates only: f32 GFLOP/s of one core (of a whole GPU,
  /// without tensor cores), GB/s of memory.
  double peakGflops = 0, memoryGBs = 0;

  //===--- CPUs ----------------------------------------------------------===//

  /// LLVM CPU name that instructions are scheduled for; empty for `cpu`.
  std::string tuneCpu;
  /// Rough peaks of one core, GFLOP/s, for estimates of bf16 products: by the
  /// instruction of generated kernels that multiplies pairs, and by the best
  /// instructions that oneDNN has on this CPU. 0 if there is none: oneDNN takes
  /// no bf16 then.
  double pairGflops = 0, onednnGflops16 = 0;
  /// GB/s that one core gets from L3.
  double l3GBs = 0;
  /// How much longer a launch on all `threads` takes than one on the calling
  /// thread alone, apart from the work: to wake a team and to join it.
  double joinUs = 0;
  /// Why calls of oneDNN cannot run on the target machine; empty if they can,
  /// or if that machine is not known.
  std::string onednnProblem;

  //===--- GPUs ----------------------------------------------------------===//

  /// Compute capability: 90 for 9.0.
  int smVersion = 0;
  /// Multiprocessors.
  int smCount = 0;
  /// Shared memory that one block may ask for, and that an SM has for all.
  int64_t sharedBytesPerBlock = 0, sharedBytesPerSm = 0;
  int64_t registersPerSm = 0;
  int threadsPerSm = 0;
  double clockMHz = 0;
  /// Dense tensor core peaks, GFLOP/s, for 16-bit and for tf32 operands.
  double tensorGflops16 = 0, tensorGflopsTf32 = 0;
  /// False if the facts above are of a named device. Nothing will be measured
  /// then, and choices are called untuned.
  bool isPresent = true;
  /// If it is not present: who has records of such a device, "the tuning
  /// database" or "minic"; empty for nobody.
  std::string records;
  /// If it is present: its index on this machine, its UUID, and the versions of
  /// driver and libraries. If those change, tuning records are stale: "cuBLAS
  /// 13.1.0, cuDNN 9.14.0, driver 13.0".
  int deviceIndex = 0;
  std::string deviceId, libraries;

  /// Whether what assembles here lets warps of a block take over registers of
  /// others (setmaxnreg): ptxas does, nvJitLink does not.
  bool assemblerMovesRegisters = false;

  //===--- What the user allows ------------------------------------------===//

  /// Products of f32 operands may round them to tf32.
  bool allowTf32 = false;
  /// Most bytes of workspace that one library call or kernel may ask for.
  int64_t workspaceLimit = int64_t(256) << 20;
  /// Canonical text of what must match for a tuning record to be used
  /// (CPUID family/model/stepping, ISA, caches, threads); nothing measured.
  std::string tuningKey;

  /// What the tuner asks for with --search=exhaustive; nobody else does.
  Breadth breadth = Breadth::Promising;

  bool has(const std::string &feature) const;
  bool asksForAll() const { return breadth == Breadth::All; }
  bool isGpu() const { return target == "cuda"; }
  /// Of a GPU: the peak, GFLOP/s, of products of f32 or 16-bit operands as a
  /// library computes them: IEEE f32 without tensor cores.
  double productGflops(bool isF32) const;
};

} // namespace minic

#endif // MINIC_COMPILER_TARGET_DEVICEPROFILE_H
