// SPDX-License-Identifier: Apache-2.0
//
// CudaStreams: the few driver functions that stand for a service's own CUDA
// code, so that the examples build without a CUDA toolkit. A service brings
// streams of its own: a cudaStream_t is what ContextOptions::stream asks for.

#ifndef MINIC_EXAMPLES_CUDA_STREAMS_HPP
#define MINIC_EXAMPLES_CUDA_STREAMS_HPP

#include <dlfcn.h>

class CudaStreams {
public:
  /// Null where there is no driver or it refuses.
  void *create() {
    void *stream = nullptr;
    bool ok = cuStreamCreate && cuStreamCreate(&stream, nonBlocking) == 0;
    return ok ? stream : nullptr;
  }
  void destroy(void *stream) {
    if (stream) {
      cuStreamDestroy(stream);
    }
  }

  /// Makes the device's primary context current, as the CUDA runtime does.
  bool open(int device) {
    void *driver = dlopen("libcuda.so.1", RTLD_NOW);
    int (*cuInit)(unsigned) = nullptr;
    int (*cuDeviceGet)(int *, int) = nullptr;
    int (*cuDevicePrimaryCtxRetain)(void **, int) = nullptr;
    int (*cuCtxSetCurrent)(void *) = nullptr;
    int handle = 0;
    void *context = nullptr;
    return driver && find(driver, "cuInit", cuInit) &&
           find(driver, "cuDeviceGet", cuDeviceGet) &&
           find(driver, "cuDevicePrimaryCtxRetain", cuDevicePrimaryCtxRetain) &&
           find(driver, "cuCtxSetCurrent", cuCtxSetCurrent) &&
           find(driver, "cuStreamCreate", cuStreamCreate) &&
           find(driver, "cuStreamDestroy_v2", cuStreamDestroy) &&
           cuInit(0) == 0 && cuDeviceGet(&handle, device) == 0 &&
           cuDevicePrimaryCtxRetain(&context, handle) == 0 &&
           cuCtxSetCurrent(context) == 0;
  }

private:
  static constexpr unsigned nonBlocking = 1; // CU_STREAM_NON_BLOCKING

  template <typename Function>
  static bool find(void *library, const char *name, Function &function) {
    function = reinterpret_cast<Function>(dlsym(library, name));
    return function != nullptr;
  }
  int (*cuStreamCreate)(void **, unsigned) = nullptr;
  int (*cuStreamDestroy)(void *) = nullptr;
};

#endif // MINIC_EXAMPLES_CUDA_STREAMS_HPP
