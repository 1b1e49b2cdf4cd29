// SPDX-License-Identifier: Apache-2.0
//
// Two structures of GEMM that CUTLASS has, each with what follows the product,
// as types: their Params are made on the host, their code runs in the kernel.
//
//   D = epilogue(A x B^T + C)
//
// A is M x K and B is N x K, both row-major, as graph.linear has them. C is a
// bias of N elements or M x N.

#ifndef MINIC_EXAMPLES_PLUGIN_CUTLASS_CONFIGURATION_H
#define MINIC_EXAMPLES_PLUGIN_CUTLASS_CONFIGURATION_H

#include "launch.h"

#include <cute/tensor.hpp>
#include <cutlass/epilogue/collective/collective_builder.hpp>
#include <cutlass/epilogue/thread/activation.h>
#include <cutlass/epilogue/thread/linear_combination_gelu.h>
#include <cutlass/epilogue/thread/linear_combination_relu.h>
#include <cutlass/gemm/collective/collective_builder.hpp>
#include <cutlass/gemm/kernel/default_gemm_universal.h>
#include <cutlass/gemm/kernel/gemm_universal.hpp>

namespace thread = cutlass::epilogue::thread;

/// Of vectors, as mma.sync's epilogue has them.
template <class T, Epilogue> struct VectorOp;
template <class T> struct VectorOp<T, plain> {
  using Op = thread::LinearCombination<T, 8, float, float,
                                       thread::ScaleType::OnlyAlphaScaling>;
};
template <class T> struct VectorOp<T, add> {
  using Op = thread::LinearCombination<T, 8, float, float,
                                       thread::ScaleType::NoBetaScaling>;
};
template <class T> struct VectorOp<T, addRelu> {
  using Op = thread::LinearCombinationRelu<T, 8, float, float,
                                           thread::ScaleType::NoBetaScaling>;
};
template <class T> struct VectorOp<T, addGelu> {
  using Op = thread::LinearCombinationGELU<T, 8, float, float,
                                           thread::ScaleType::NoBetaScaling>;
};

/// Of single elements, as wgmma's epilogue without TMA has them.
template <class T, Epilogue epilogue>
struct ElementOp
    : thread::LinearCombination<T, 1, float, float,
                                epilogue == plain
                                    ? thread::ScaleType::OnlyAlphaScaling
                                    : thread::ScaleType::NoBetaScaling> {
  using Base =
      thread::LinearCombination<T, 1, float, float,
                                epilogue == plain
                                    ? thread::ScaleType::OnlyAlphaScaling
                                    : thread::ScaleType::NoBetaScaling>;
  using Base::Base;
  CUTLASS_DEVICE T operator()(float sum) const { return T(sum); }
  CUTLASS_DEVICE T operator()(float sum, T addend) const {
    float value = sum + float(addend);
    if constexpr (epilogue == addRelu) {
      value = cutlass::epilogue::thread::ReLu<float>()(value);
    } else if constexpr (epilogue == addGelu) {
      value = cutlass::epilogue::thread::GELU<float>()(value);
    }
    return T(value);
  }
};

/// mma.sync, stages of cp.async; four warps, each a quarter of a tile.
template <class T, int m, int n, int k, int stages, Epilogue epilogue>
struct mma {
  using Kernel = typename cutlass::gemm::kernel::DefaultGemmUniversal<
      T, cutlass::layout::RowMajor, cutlass::ComplexTransform::kNone, 8, T,
      cutlass::layout::ColumnMajor, cutlass::ComplexTransform::kNone, 8, T,
      cutlass::layout::RowMajor, float, cutlass::arch::OpClassTensorOp,
      cutlass::arch::Sm80, cutlass::gemm::GemmShape<m, n, k>,
      cutlass::gemm::GemmShape<m / 2, n / 2, k>,
      cutlass::gemm::GemmShape<16, 8, 16>, typename VectorOp<T, epilogue>::Op,
      cutlass::gemm::threadblock::GemmIdentityThreadblockSwizzle<8>, stages,
      cutlass::arch::OpMultiplyAdd>::GemmKernel;
  using Params = typename Kernel::Params;
  static constexpr int threads = Kernel::kThreadCount;
  static constexpr size_t sharedBytes = sizeof(typename Kernel::SharedStorage);

  static Params makeParams(const Problem &problem, uint32_t grid[3]) {
    typename Kernel::Arguments arguments(
        cutlass::gemm::GemmUniversalMode::kGemm,
        {problem.m, problem.n, problem.k}, 1, {1.0f, 1.0f}, nullptr, nullptr,
        nullptr, nullptr, 0, 0, 0, 0, problem.k, problem.k,
        problem.addendStride, problem.n);
    Params params(arguments, problem.multiprocessors, 1);
    dim3 blocks = params.get_grid_dims();
    grid[0] = blocks.x, grid[1] = blocks.y, grid[2] = blocks.z;
    return params;
  }
  static CUTLASS_DEVICE void run(Params params, void *a, void *b, void *c,
                                 void *d, char *shared) {
    params.ptr_A = a, params.ptr_B = b, params.ptr_C = c, params.ptr_D = d;
    Kernel()(params,
             *reinterpret_cast<typename Kernel::SharedStorage *>(shared));
  }
};

/// wgmma of operands that a warp group copies to shared memory by cp.async.
/// What TMA fills needs descriptors with addresses, which no plug-in knows.
template <class Schedule, class T, int m, int n, int k, int stages,
          Epilogue epilogue>
struct wgmma {
  using Stride = cute::Stride<int64_t, cute::_1, int64_t>;
  using Main = typename cutlass::gemm::collective::CollectiveBuilder<
      cutlass::arch::Sm90, cutlass::arch::OpClassTensorOp, T,
      cutlass::layout::RowMajor, 8, T, cutlass::layout::ColumnMajor, 8, float,
      cute::Shape<cute::Int<m>, cute::Int<n>, cute::Int<k>>,
      cute::Shape<cute::_1, cute::_1, cute::_1>,
      cutlass::gemm::collective::StageCount<stages>, Schedule>::CollectiveOp;
  using End =
      cutlass::epilogue::collective::detail::Sm90TmaWarpSpecializedAdapter<
          cutlass::epilogue::collective::DefaultEpilogue<
              T, Stride, Stride, ElementOp<T, epilogue>,
              cutlass::gemm::EpilogueDefault>>;
  using Kernel =
      cutlass::gemm::kernel::GemmUniversal<cute::Shape<int, int, int, int>,
                                           Main, End>;
  using Params = typename Kernel::Params;
  static constexpr int threads = Kernel::MaxThreadsPerBlock;
  static constexpr size_t sharedBytes = Kernel::SharedStorageSize;

  static Params makeParams(const Problem &problem, uint32_t grid[3]) {
    typename Kernel::Arguments arguments;
    arguments.mode = cutlass::gemm::GemmUniversalMode::kGemm;
    arguments.problem_shape = {problem.m, problem.n, problem.k, 1};
    cute::get<0>(arguments.mainloop.dA) = problem.k;
    cute::get<0>(arguments.mainloop.dB) = problem.k;
    arguments.epilogue.thread = {1.0f, 1.0f};
    cute::get<0>(arguments.epilogue.dC) = problem.addendStride;
    cute::get<0>(arguments.epilogue.dD) = problem.n;
    arguments.hw_info.sm_count = problem.multiprocessors;
    Params params = Kernel::to_underlying_arguments(arguments, nullptr);
    dim3 blocks = Kernel::get_grid_shape(params);
    grid[0] = blocks.x, grid[1] = blocks.y, grid[2] = blocks.z;
    return params;
  }
  static CUTLASS_DEVICE void run(Params params, void *a, void *b, void *c,
                                 void *d, char *shared) {
    params.mainloop.ptr_A = static_cast<T *>(a);
    params.mainloop.ptr_B = static_cast<T *>(b);
    params.epilogue.ptr_C = static_cast<T *>(c);
    params.epilogue.ptr_D = static_cast<T *>(d);
    Kernel()(params, shared);
  }
};

template <class T, int m, int n, int k, int stages, Epilogue epilogue>
using cooperative =
    wgmma<cutlass::gemm::KernelCpAsyncWarpSpecializedCooperative, T, m, n, k,
          stages, epilogue>;
template <class T, int m, int n, int k, int stages, Epilogue epilogue>
using pingpong = wgmma<cutlass::gemm::KernelCpAsyncWarpSpecializedPingpong, T,
                       m, n, k, stages, epilogue>;

#endif
