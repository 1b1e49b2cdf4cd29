// SPDX-License-Identifier: Apache-2.0
//
// Attributes to facts.

#include "runtime/device/cuda/CudaFacts.h"

#include "runtime/device/cuda/CublasLibrary.h"
#include "runtime/device/cuda/CudaDriver.h"
#include "runtime/device/cuda/cudnn/CudnnLibrary.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace minic::runtime {
namespace {

std::string uuidText(const CUuuid &uuid, bool isMig) {
  std::string text = isMig ? "MIG-" : "GPU-";
  for (int i = 0; i < 16; ++i) {
    absl::StrAppendFormat(&text, "%s%02x",
                          i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "",
                          static_cast<unsigned char>(uuid.bytes[i]));
  }
  return text;
}

CudaFacts describe(const CudaDriver &driver, int index, CUdevice device) {
  auto attribute = [&](CUdevice_attribute which) {
    int value = 0;
    bool known =
        driver.cuDeviceGetAttribute(&value, which, device) == CUDA_SUCCESS;
    return known ? value : 0;
  };
  CudaFacts facts;
  facts.index = index;
  char name[256] = "";
  if (driver.cuDeviceGetName(name, sizeof(name), device) == CUDA_SUCCESS) {
    facts.name = name;
  }
  facts.isMig = absl::StrContains(facts.name, " MIG ");
  CUuuid uuid = {};
  if (driver.cuDeviceGetUuid(&uuid, device) == CUDA_SUCCESS) {
    facts.uuid = uuidText(uuid, facts.isMig);
  }
  facts.pciBusId = absl::StrFormat(
      "%04x:%02x:%02x.0", attribute(CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID),
      attribute(CU_DEVICE_ATTRIBUTE_PCI_BUS_ID),
      attribute(CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID));
  facts.computeMajor = attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  facts.computeMinor = attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  facts.smCount = attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  facts.threadsPerSm =
      attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
  facts.smClockKHz = attribute(CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
  facts.memoryClockKHz = attribute(CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE);
  facts.memoryBusBits = attribute(CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH);
  facts.l2Bytes = attribute(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
  facts.sharedBytesPerBlock =
      attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  facts.sharedBytesPerSm =
      attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
  facts.registersPerSm =
      attribute(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR);
  size_t bytes = 0;
  if (driver.cuDeviceTotalMem(&bytes, device) == CUDA_SUCCESS) {
    facts.memoryBytes = int64_t(bytes);
  }
  return facts;
}

} // namespace

absl::StatusOr<std::vector<CudaFacts>> describeCudaDevices() {
  absl::StatusOr<const CudaDriver *> opened = CudaDriver::open();
  if (!opened.ok()) {
    return opened.status();
  }
  const CudaDriver &driver = **opened;
  int count = 0;
  MINIC_RETURN_IF_CUDA_ERROR(driver, cuDeviceGetCount(&count),
                             "counting devices");
  std::vector<CudaFacts> result;
  for (int index = 0; index < count; ++index) {
    CUdevice device = 0;
    MINIC_RETURN_IF_CUDA_ERROR(driver, cuDeviceGet(&device, index),
                               absl::StrCat("device ", index));
    result.push_back(describe(driver, index, device));
  }
  return result;
}

std::map<std::string, std::string> cudaVersions() {
  std::map<std::string, std::string> versions;
  absl::StatusOr<const CudaDriver *> driver = CudaDriver::open();
  if (driver.ok()) {
    versions["driver"] = cudaVersionText((*driver)->version);
  }
  // Its version is cuBLAS's: they are one package.
  absl::StatusOr<const CublasltLibrary *> cublas = CublasltLibrary::open();
  if (cublas.ok()) {
    versions["cuBLAS"] = (*cublas)->version;
  }
  absl::StatusOr<const CudnnLibrary *> cudnn = CudnnLibrary::open();
  if (cudnn.ok()) {
    versions["cuDNN"] = (*cudnn)->version;
  }
  return versions;
}

} // namespace minic::runtime
