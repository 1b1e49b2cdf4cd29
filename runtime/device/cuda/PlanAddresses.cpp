// SPDX-License-Identifier: Apache-2.0
//
// One overload per table of plan.fbs that has addresses.

#include "runtime/device/cuda/PlanAddresses.h"

namespace minic::runtime {

namespace {

class Visitor {
public:
  explicit Visitor(const std::function<void(const format::Address &)> &visit)
      : visit(visit) {}

  void operator()(const format::Launch &launch) {
    for (const format::ParamEntry *entry : *launch.params()) {
      if (const auto *param = entry->param_as_AddressParam()) {
        see(param->address());
      }
    }
  }
  void operator()(const format::Copy &copy) {
    see(copy.destination());
    see(copy.source());
  }
  void operator()(const format::Fill &fill) { see(fill.destination()); }

  void operator()(const format::CublasGemm &call) {
    seeViews({call.lhs(), call.rhs(), call.result()});
  }
  void operator()(const format::CublasltMatmul &call) {
    seeViews({call.lhs(), call.rhs(), call.bias(), call.addend(), call.result(),
              call.aux()});
    see(call.scratch());
  }
  void operator()(const format::CudnnConvolution &call) {
    seeViews({call.input(), call.filter(), call.bias(), call.addend(),
              call.result()});
    see(call.scratch());
  }
  void operator()(const format::CudnnMatmul &call) {
    seeViews({call.lhs(), call.rhs(), call.bias(), call.result()});
    see(call.scratch());
  }

private:
  void see(const format::Address *address) {
    if (address) {
      visit(*address);
    }
  }
  void seeViews(std::initializer_list<const format::TensorView *> views) {
    for (const format::TensorView *view : views) {
      if (view) {
        see(view->address());
      }
    }
  }

  const std::function<void(const format::Address &)> &visit;
};

} // namespace

void forEachAddress(const format::Command &command,
                    const std::function<void(const format::Address &)> &visit) {
  Visitor visitor(visit);
  if (const auto *launch = command.operation_as_Launch()) {
    visitor(*launch);
  } else if (const auto *copy = command.operation_as_Copy()) {
    visitor(*copy);
  } else if (const auto *fill = command.operation_as_Fill()) {
    visitor(*fill);
  } else if (const auto *call = command.operation_as_Call()) {
    if (const auto *gemm = call->call_as_CublasGemm()) {
      visitor(*gemm);
    } else if (const auto *matmul = call->call_as_CublasltMatmul()) {
      visitor(*matmul);
    } else if (const auto *convolution = call->call_as_CudnnConvolution()) {
      visitor(*convolution);
    } else if (const auto *matmul = call->call_as_CudnnMatmul()) {
      visitor(*matmul);
    }
  }
}

} // namespace minic::runtime
