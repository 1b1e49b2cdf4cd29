// SPDX-License-Identifier: Apache-2.0
//
// OnednnMatmul: format.OnednnMatmul as a oneDNN primitive.

#ifndef MINIC_RUNTIME_DEVICE_CPU_ONEDNNMATMUL_H
#define MINIC_RUNTIME_DEVICE_CPU_ONEDNNMATMUL_H

#include "runtime/base/AlignedBuffer.h"
#include "runtime/device/cpu/KernelModule.h"
#include "runtime/device/cpu/Libgomp.h"
#include "runtime/device/cpu/OnednnLibrary.h"
#include "runtime/format/plan_generated.h"

#include <memory>
#include <vector>

namespace minic::runtime {

/// The primitive, made once per Program, with its packed weights. Immutable and
/// thread-safe.
class OnednnMatmul {
public:
  struct Options {
    int threads; // fixed at creation, as oneDNN does
    std::string plannedVersion;
    bool strictVersion;
    /// Bytes of constant `index`, needed for a packed rhs.
    const std::vector<const std::byte *> &constants;
  };
  /// FailedPrecondition without oneDNN or with another version of it under
  /// strictVersion; Unimplemented for what oneDNN cannot do on this machine.
  static absl::StatusOr<std::unique_ptr<OnednnMatmul>>
  create(const format::OnednnMatmul &call, const Options &options);

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

private:
  friend class OnednnMatmulCall;
  OnednnMatmul(const OnednnLibrary &library, const Libgomp &gomp, int threads)
      : library_(library), gomp_(gomp), threads_(threads) {}
  absl::Status build(const format::OnednnMatmul &call, const Options &options);
  absl::Status packRhs(const dnnl_memory_desc_t &from,
                       const dnnl_memory_desc_t &to, const std::byte *data);

  const OnednnLibrary &library_;
  const Libgomp &gomp_;
  const int threads_;
  OnednnHandle<dnnl_primitive_t> primitive_;
  AlignedBuffer packedRhs_;
  std::vector<Operand> operands_;
  dnnl_memory_desc_t scratch_;
  uint64_t scratchBytes_ = 0;
};

/// One Context's arguments of an OnednnMatmul; one thread at a time.
class OnednnMatmulCall {
public:
  /// `scratch`: at least scratchBytes(), or null to allocate its own.
  static absl::StatusOr<std::unique_ptr<OnednnMatmulCall>>
  create(const OnednnMatmul &matmul, std::byte *scratch);

  /// `pointers` are the operands' data, in their order.
  absl::Status run(const Arg *pointers);

private:
  explicit OnednnMatmulCall(const OnednnMatmul &matmul) : matmul_(matmul) {}

  const OnednnMatmul &matmul_;
  AlignedBuffer scratch_;
  OnednnHandle<dnnl_stream_t> stream_;
  std::vector<OnednnHandle<dnnl_memory_t>> memories_;
  std::vector<dnnl_exec_arg_t> arguments_;
};

} // namespace minic::runtime

#endif // MINIC_RUNTIME_DEVICE_CPU_ONEDNNMATMUL_H
