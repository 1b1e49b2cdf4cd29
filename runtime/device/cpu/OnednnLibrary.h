// SPDX-License-Identifier: Apache-2.0
//
// OnednnLibrary: oneDNN's C functions, opened on demand.

#ifndef MINIC_RUNTIME_DEVICE_CPU_ONEDNNLIBRARY_H
#define MINIC_RUNTIME_DEVICE_CPU_ONEDNNLIBRARY_H

#include "absl/status/statusor.h"

#include <dnnl.h>

#include <string>

// Every function that minic calls.
#define MINIC_ONEDNN_FUNCTIONS(X)                                              \
  X(dnnl_version)                                                              \
  X(dnnl_engine_create)                                                        \
  X(dnnl_stream_create)                                                        \
  X(dnnl_stream_destroy)                                                       \
  X(dnnl_memory_desc_init_by_strides)                                          \
  X(dnnl_memory_desc_init_by_tag)                                              \
  X(dnnl_memory_desc_equal)                                                    \
  X(dnnl_memory_desc_get_size)                                                 \
  X(dnnl_memory_create)                                                        \
  X(dnnl_memory_set_data_handle)                                               \
  X(dnnl_memory_destroy)                                                       \
  X(dnnl_post_ops_create)                                                      \
  X(dnnl_post_ops_destroy)                                                     \
  X(dnnl_post_ops_append_eltwise)                                              \
  X(dnnl_post_ops_append_binary)                                               \
  X(dnnl_primitive_attr_create)                                                \
  X(dnnl_primitive_attr_destroy)                                               \
  X(dnnl_primitive_attr_set_scratchpad_mode)                                   \
  X(dnnl_primitive_attr_set_post_ops)                                          \
  X(dnnl_matmul_desc_init)                                                     \
  X(dnnl_dilated_convolution_forward_desc_init)                                \
  X(dnnl_softmax_v2_forward_desc_init)                                         \
  X(dnnl_layer_normalization_forward_desc_init)                                \
  X(dnnl_reduction_desc_init)                                                  \
  X(dnnl_reorder_primitive_desc_create)                                        \
  X(dnnl_primitive_desc_create)                                                \
  X(dnnl_primitive_desc_query)                                                 \
  X(dnnl_primitive_desc_query_md)                                              \
  X(dnnl_primitive_desc_destroy)                                               \
  X(dnnl_primitive_create)                                                     \
  X(dnnl_primitive_execute)                                                    \
  X(dnnl_primitive_destroy)

namespace minic::runtime {

/// The functions by their own names, and the one CPU engine. Thread-safe.
struct OnednnLibrary {
#define MINIC_ONEDNN_MEMBER(name) decltype(&::name) name;
  MINIC_ONEDNN_FUNCTIONS(MINIC_ONEDNN_MEMBER)
#undef MINIC_ONEDNN_MEMBER

  dnnl_engine_t engine;
  std::string version; // "2.6.3"

  /// Opens libdnnl.so of the version minic was built with, once per process,
  /// and keeps it. FailedPrecondition with the reason where it cannot.
  static absl::StatusOr<const OnednnLibrary *> open();
};

/// Owns a oneDNN handle; move-only.
template <typename Handle> class OnednnHandle {
public:
  using Destroy = dnnl_status_t (*)(Handle);
  OnednnHandle() = default;
  OnednnHandle(Handle handle, Destroy destroy)
      : handle(handle), destroy(destroy) {}
  OnednnHandle(OnednnHandle &&other) noexcept { *this = std::move(other); }
  OnednnHandle &operator=(OnednnHandle &&other) noexcept {
    std::swap(handle, other.handle);
    std::swap(destroy, other.destroy);
    return *this;
  }
  ~OnednnHandle() {
    if (handle) {
      destroy(handle);
    }
  }
  Handle get() const { return handle; }

private:
  Handle handle = nullptr;
  Destroy destroy = nullptr;
};

} // namespace minic::runtime

#endif // MINIC_RUNTIME_DEVICE_CPU_ONEDNNLIBRARY_H
