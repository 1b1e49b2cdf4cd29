// SPDX-License-Identifier: Apache-2.0
//
// NVML of a machine without one: appends what is set to the file that
// MINIC_FAKE_NVML_LOG names, and gives MINIC_FAKE_NVML_ERROR to whoever locks
// clocks, MINIC_FAKE_NVML_RESET_ERROR to whoever frees them.

#include <cstdio>
#include <cstdlib>
#include <string>

static int errorOf(const char *variable) {
  const char *text = std::getenv(variable);
  return text ? std::atoi(text) : 0;
}

static std::string lastUuid;

static void log(const char *call, unsigned low, unsigned high) {
  const char *path = std::getenv("MINIC_FAKE_NVML_LOG");
  if (std::FILE *file = path ? std::fopen(path, "a") : nullptr) {
    std::fprintf(file, "%s %u %u %s\n", call, low, high, lastUuid.c_str());
    std::fclose(file);
  }
}

extern "C" {

int nvmlInit_v2() { return 0; }
int nvmlShutdown() { return 0; }

const char *nvmlErrorString(int error) {
  return error == 4 ? "Insufficient Permissions" : "Unknown Error";
}

int nvmlDeviceGetHandleByUUID(const char *uuid, void **device) {
  lastUuid = uuid;
  *device = &lastUuid;
  return 0;
}

int nvmlDeviceGetClockInfo(void *, int, unsigned *mhz) {
  *mhz = 1980;
  return 0;
}

int nvmlDeviceGetMaxClockInfo(void *, int type, unsigned *mhz) {
  *mhz = type == 1 ? 1980 : 3201; // of the SMs, of another
  return 0;
}

int nvmlDeviceSetGpuLockedClocks(void *, unsigned low, unsigned high) {
  int error = errorOf("MINIC_FAKE_NVML_ERROR");
  log(error == 0 ? "set" : "refused", low, high);
  return error;
}

int nvmlDeviceResetGpuLockedClocks(void *) {
  log("reset", 0, 0);
  return errorOf("MINIC_FAKE_NVML_RESET_ERROR");
}

} // extern "C"
