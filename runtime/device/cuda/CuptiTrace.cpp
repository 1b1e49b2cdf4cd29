// SPDX-License-Identifier: Apache-2.0
//
// The number of a step is the external id of the calls that enqueue it; CUPTI
// tells the correlation id of each such call, which its kernels have as well.

#include "runtime/device/cuda/CuptiTrace.h"

#include "runtime/device/cuda/CuptiLibrary.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <mutex>
#include <unordered_map>

namespace minic::runtime {

namespace {

constexpr size_t bufferBytes = 1 << 20, bufferAlignment = 8;
constexpr CUpti_ExternalCorrelationKind idKind =
    CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0;
/// Ids of a step come with the records of calls, so those are on as well.
constexpr CUpti_ActivityKind recordedKinds[] = {
    CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION,
    CUPTI_ACTIVITY_KIND_DRIVER,
    CUPTI_ACTIVITY_KIND_RUNTIME,
    CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
    CUPTI_ACTIVITY_KIND_MEMCPY,
    CUPTI_ACTIVITY_KIND_MEMSET};

struct Work {
  uint32_t correlation;
  uint64_t begin, end; // ns
};

/// Of one trace; CUPTI's callbacks have no other place to write to.
struct Records {
  std::mutex mutex;
  std::unordered_map<uint32_t, uint64_t> steps; // by correlation id
  std::vector<Work> works;
} records;

const CuptiLibrary *library; // set before callbacks are registered

void CUPTIAPI giveBuffer(uint8_t **buffer, size_t *size, size_t *most) {
  *buffer =
      static_cast<uint8_t *>(std::aligned_alloc(bufferAlignment, bufferBytes));
  *size = *buffer ? bufferBytes : 0;
  *most = 0; // as many as fit
}

template <typename Record> Work workOf(const CUpti_Activity *record) {
  const auto *work = reinterpret_cast<const Record *>(record);
  return {work->correlationId, work->start, work->end};
}

void read(const CUpti_Activity *record) {
  switch (record->kind) {
  case CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION: {
    const auto *ids =
        reinterpret_cast<const CUpti_ActivityExternalCorrelation *>(record);
    if (ids->externalKind == idKind) {
      records.steps[ids->correlationId] = ids->externalId;
    }
    break;
  }
  case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
    records.works.push_back(workOf<CUpti_ActivityKernel10>(record));
    break;
  case CUPTI_ACTIVITY_KIND_MEMCPY:
    records.works.push_back(workOf<CUpti_ActivityMemcpy6>(record));
    break;
  case CUPTI_ACTIVITY_KIND_MEMSET:
    records.works.push_back(workOf<CUpti_ActivityMemset4>(record));
    break;
  default:
    break;
  }
}

void CUPTIAPI takeBuffer(CUcontext, uint32_t, uint8_t *buffer, size_t,
                         size_t valid) {
  std::lock_guard lock(records.mutex);
  CUpti_Activity *record = nullptr;
  while (library->cuptiActivityGetNextRecord(buffer, valid, &record) ==
         CUPTI_SUCCESS) {
    read(record);
  }
  std::free(buffer);
}

/// Records while it lives.
class Recording {
public:
  absl::Status begin() {
    {
      std::lock_guard lock(records.mutex);
      records.steps.clear();
      records.works.clear();
    }
    static const CUptiResult registered =
        library->cuptiActivityRegisterCallbacks(giveBuffer, takeBuffer);
    absl::Status status = library->status(registered, "CUPTI's buffers");
    for (CUpti_ActivityKind kind : recordedKinds) {
      if (status.ok()) {
        status = library->status(library->cuptiActivityEnable(kind),
                                 "CUPTI's records");
        on_ += status.ok();
      }
    }
    return status;
  }
  ~Recording() {
    for (size_t i = 0; i < on_; ++i) {
      library->cuptiActivityDisable(recordedKinds[i]);
    }
  }

private:
  size_t on_ = 0; // of recordedKinds
};

absl::Status enqueueNumbered(const CommandList &list, CUstream stream) {
  for (size_t i = 0; i < list.steps().size(); ++i) {
    absl::Status status = library->status(
        library->cuptiActivityPushExternalCorrelationId(idKind, i),
        "CUPTI's ids");
    if (!status.ok()) {
      return status;
    }
    status = list.enqueue(list.steps()[i], stream);
    uint64_t popped = 0;
    library->cuptiActivityPopExternalCorrelationId(idKind, &popped);
    if (!status.ok()) {
      return status;
    }
  }
  return absl::OkStatus();
}

/// From the first kernel of each step to the end of its last.
absl::StatusOr<RunTrace> assemble(size_t steps) {
  struct Span {
    uint64_t begin = std::numeric_limits<uint64_t>::max(), end = 0;
  };
  std::vector<Span> spans(steps);
  Span whole;
  std::lock_guard lock(records.mutex);
  for (const Work &work : records.works) {
    auto step = records.steps.find(work.correlation);
    if (step == records.steps.end() || step->second >= steps) {
      continue; // another thread's
    }
    for (Span *span : {&spans[step->second], &whole}) {
      span->begin = std::min(span->begin, work.begin);
      span->end = std::max(span->end, work.end);
    }
  }
  RunTrace trace;
  trace.clock = "CUPTI";
  for (size_t i = 0; i < steps; ++i) {
    if (spans[i].end == 0) {
      return absl::UnavailableError(
          absl::StrCat("CUPTI told nothing of command ", i, " of ", steps));
    }
    CommandTime &time = trace.commands.emplace_back();
    time.command = uint32_t(i);
    time.beginUs = double(spans[i].begin - whole.begin) * 1e-3;
    time.endUs = double(spans[i].end - whole.begin) * 1e-3;
  }
  trace.spanUs = steps ? double(whole.end - whole.begin) * 1e-3 : 0;
  return trace;
}

} // namespace

absl::StatusOr<RunTrace>
traceByCupti(std::shared_ptr<const CudaContext> context,
             const CommandList &list, CUstream stream) {
  static std::mutex one; // trace at a time
  std::lock_guard lock(one);
  absl::StatusOr<const CuptiLibrary *> opened = CuptiLibrary::open();
  if (!opened.ok()) {
    return opened.status();
  }
  library = *opened;
  const CudaDriver &driver = context->driver();
  Recording recording;
  absl::Status status = recording.begin();
  if (status.ok()) {
    status = enqueueNumbered(list, stream);
    status.Update(driver.status(driver.cuStreamSynchronize(stream),
                                "waiting for a traced run"));
  }
  if (status.ok()) {
    status = library->status(
        library->cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED),
        "CUPTI's records");
  }
  return status.ok() ? assemble(list.steps().size()) : status;
}

} // namespace minic::runtime
