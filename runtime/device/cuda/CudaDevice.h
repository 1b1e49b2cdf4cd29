// SPDX-License-Identifier: Apache-2.0
//
// NVIDIA GPUs as a Device.

#ifndef MINIC_RUNTIME_DEVICE_CUDA_CUDADEVICE_H
#define MINIC_RUNTIME_DEVICE_CUDA_CUDADEVICE_H

#include "runtime/device/Device.h"

namespace minic::runtime {

/// Thread-safe; the driver is opened when the first question is asked.
const Device &cudaDevice();

} // namespace minic::runtime

#endif // MINIC_RUNTIME_DEVICE_CUDA_CUDADEVICE_H
