// SPDX-License-Identifier: Apache-2.0
//
// oneDNN with a wrong relu: of negative numbers a thousandth is left. Only as a
// post-op; all else is right.

#include <dlfcn.h>
#include <dnnl.h>

extern "C" dnnl_status_t dnnl_post_ops_append_eltwise(dnnl_post_ops_t postOps,
                                                      float scale,
                                                      dnnl_alg_kind_t kind,
                                                      float alpha, float beta) {
  void *right = dlopen(MINIC_ONEDNN_LIBRARY, RTLD_NOW | RTLD_NOLOAD);
  auto append = reinterpret_cast<decltype(&dnnl_post_ops_append_eltwise)>(
      right ? dlsym(right, "dnnl_post_ops_append_eltwise") : nullptr);
  if (!append) {
    return dnnl_runtime_error;
  }
  return append(postOps, scale, kind,
                kind == dnnl_eltwise_relu ? 0x1p-10F : alpha, beta);
}
