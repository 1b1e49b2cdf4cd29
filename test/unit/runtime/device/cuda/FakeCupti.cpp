// SPDX-License-Identifier: Apache-2.0
//
// A CUPTI for machines without one; opened, never linked. Each id that was
// pushed is a call that ran one kernel of 600 ns; kernels begin 1000 ns apart,
// and ids of MINIC_FAKE_CUPTI ("two=1") ran two. "fail" fails to enable,
// "blind" tells of nothing.

#include <cupti.h>

#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

std::vector<uint64_t> pushed;
CUpti_BuffersCallbackRequestFunc request;
CUpti_BuffersCallbackCompleteFunc complete;
int enabled;

std::string setting() {
  const char *text = std::getenv("MINIC_FAKE_CUPTI");
  return text ? text : "";
}

struct Record {
  CUpti_ActivityExternalCorrelation ids;
  CUpti_ActivityKernel10 kernel;
};

} // namespace

CUptiResult
cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc giveBuffer,
                               CUpti_BuffersCallbackCompleteFunc takeBuffer) {
  request = giveBuffer;
  complete = takeBuffer;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityEnable(CUpti_ActivityKind kind) {
  if (setting() == "fail" && kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) {
    return CUPTI_ERROR_INSUFFICIENT_PRIVILEGES;
  }
  ++enabled;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityDisable(CUpti_ActivityKind) {
  --enabled;
  return CUPTI_SUCCESS;
}

CUptiResult
cuptiActivityPushExternalCorrelationId(CUpti_ExternalCorrelationKind,
                                       uint64_t id) {
  pushed.push_back(id);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityPopExternalCorrelationId(CUpti_ExternalCorrelationKind,
                                                  uint64_t *last) {
  *last = pushed.back();
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityFlushAll(uint32_t) {
  uint8_t *buffer = nullptr;
  size_t size = 0, most = 0, used = 0;
  request(&buffer, &size, &most);
  uint32_t kernels = 0;
  for (uint64_t id : pushed) {
    int count = setting() == "two=" + std::to_string(id) ? 2 : 1;
    for (int i = 0; i < count && setting() != "blind"; ++i) {
      Record record = {};
      record.ids.kind = CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION;
      record.ids.externalKind = CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0;
      record.ids.externalId = id;
      record.ids.correlationId = 70 + kernels;
      record.kernel.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
      record.kernel.correlationId = 70 + kernels;
      record.kernel.start = 5000 + 1000 * kernels;
      record.kernel.end = record.kernel.start + 600;
      std::memcpy(buffer + used, &record, sizeof(record));
      used += sizeof(record);
      ++kernels;
    }
  }
  pushed.clear();
  complete(nullptr, 0, buffer, size, used);
  return enabled == 6 ? CUPTI_SUCCESS : CUPTI_ERROR_UNKNOWN;
}

CUptiResult cuptiActivityGetNextRecord(uint8_t *buffer, size_t valid,
                                       CUpti_Activity **record) {
  auto *at = reinterpret_cast<uint8_t *>(*record);
  uint8_t *next = !at ? buffer
                  : (*record)->kind == CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION
                      ? at - offsetof(Record, ids) + offsetof(Record, kernel)
                      : at - offsetof(Record, kernel) + sizeof(Record);
  if (next >= buffer + valid) {
    return CUPTI_ERROR_MAX_LIMIT_REACHED;
  }
  *record = reinterpret_cast<CUpti_Activity *>(next);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiGetResultString(CUptiResult, const char **text) {
  *text = "no";
  return CUPTI_SUCCESS;
}
