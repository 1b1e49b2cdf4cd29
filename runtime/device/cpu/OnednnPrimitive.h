// SPDX-License-Identifier: Apache-2.0
//
// OnednnPrimitive: a call of the plan as a oneDNN primitive, whatever its kind.
// OnednnMatmul.cpp, OnednnConvolution.cpp and OnednnRows.cpp translate the ops.

#ifndef MINIC_RUNTIME_DEVICE_CPU_ONEDNNPRIMITIVE_H
#define MINIC_RUNTIME_DEVICE_CPU_ONEDNNPRIMITIVE_H

#include "runtime/base/AlignedBuffer.h"
#include "runtime/device/cpu/KernelModule.h"
#include "runtime/device/cpu/Libgomp.h"
#include "runtime/device/cpu/OnednnLibrary.h"
#include "runtime/format/plan_generated.h"

#include <memory>
#include <vector>

namespace minic::runtime {

struct OnednnOptions {
  int threads; // fixed at creation, as oneDNN does
  std::string plannedVersion;
  bool strictVersion;
  /// Bytes of constant `index`, needed for packed weights.
  const std::vector<const std::byte *> &constants;
};

/// The primitive, made once per Program, with its packed weights. Immutable and
/// thread-safe.
class OnednnPrimitive {
public:
  /// FailedPrecondition without oneDNN or with another version of it under
  /// strictVersion; Unimplemented for what oneDNN cannot do on this machine and
  /// for calls of other libraries.
  static absl::StatusOr<std::unique_ptr<OnednnPrimitive>>
  create(const format::Call &call, const OnednnOptions &options);

  /// What execution reads or writes: where in the plan's memory, or, with
  /// `data`, memory of this object.
  struct Operand {
    int argument; // DNNL_ARG_*
    dnnl_memory_desc_t descriptor;
    const format::Address *address;
    std::byte *data;
  };
  const std::vector<Operand> &operands() const { return operands_; }
  uint64_t scratchBytes() const { return scratchBytes_; }
  /// Where the plan has scratch for it, and how much; null for none.
  const format::Address *plannedScratch() const { return plannedScratch_; }
  uint64_t plannedScratchBytes() const { return plannedScratchBytes_; }

private:
  friend class OnednnBuilder;
  friend class OnednnCall;
  OnednnPrimitive(const OnednnLibrary &library, const Libgomp &gomp,
                  int threads)
      : library_(library), gomp_(gomp), threads_(threads) {}

  const OnednnLibrary &library_;
  const Libgomp &gomp_;
  const int threads_;
  OnednnHandle<dnnl_primitive_t> primitive_;
  AlignedBuffer packedWeights_;
  std::vector<Operand> operands_;
  dnnl_memory_desc_t scratch_;
  uint64_t scratchBytes_ = 0;
  const format::Address *plannedScratch_ = nullptr;
  uint64_t plannedScratchBytes_ = 0;
};

/// One Context's arguments of a primitive; one thread at a time.
class OnednnCall {
public:
  /// `scratch`: at least scratchBytes(), or null to allocate its own.
  static absl::StatusOr<std::unique_ptr<OnednnCall>>
  create(const OnednnPrimitive &primitive, std::byte *scratch);

  /// `pointers` are the operands' data, in their order.
  absl::Status run(const Arg *pointers);

private:
  explicit OnednnCall(const OnednnPrimitive &primitive)
      : primitive_(primitive) {}

  const OnednnPrimitive &primitive_;
  AlignedBuffer scratch_;
  OnednnHandle<dnnl_stream_t> stream_;
  std::vector<OnednnHandle<dnnl_memory_t>> memories_;
  std::vector<dnnl_exec_arg_t> arguments_;
};

} // namespace minic::runtime

#endif // MINIC_RUNTIME_DEVICE_CPU_ONEDNNPRIMITIVE_H
