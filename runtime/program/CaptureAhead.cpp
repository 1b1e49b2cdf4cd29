// SPDX-License-Identifier: Apache-2.0
//
// Zeros, since they are an index, a length and a mask that any model takes.

#include "runtime/program/CaptureAhead.h"

#include "runtime/base/AlignedBuffer.h"
#include "runtime/base/Log.h"
#include "runtime/device/DeviceBuffer.h"

#include "absl/strings/str_cat.h"

#include <algorithm>

namespace minic::runtime {

namespace {

/// The tensors of one bucket, one behind the other.
class ZeroTensors {
public:
  explicit ZeroTensors(const Program &bucket) {
    for (const TensorSpec &spec : bucket.inputs()) {
      add(inputs, spec);
    }
    for (const TensorSpec &spec : bucket.outputs()) {
      add(outputs, spec);
    }
  }

  std::vector<Tensor> inputs, outputs;
  uint64_t bytes = 0;

  void placeAt(std::byte *memory, DevicePlace place) {
    size_t next = 0;
    for (std::vector<Tensor> *tensors : {&inputs, &outputs}) {
      for (Tensor &tensor : *tensors) {
        tensor.data = memory + offsets_[next++];
        tensor.place = place;
      }
    }
  }
  void updateInPlace(const Program &bucket) {
    for (size_t i = 0; i < outputs.size(); ++i) {
      if (std::optional<uint32_t> input = bucket.outputs()[i].inPlaceOf) {
        outputs[i].data = inputs[*input].data;
      }
    }
  }

private:
  void add(std::vector<Tensor> &tensors, const TensorSpec &spec) {
    tensors.push_back({nullptr, spec.dtype, spec.dims, {}});
    offsets_.push_back(bytes);
    uint64_t step = std::max<uint64_t>(256, spec.alignment);
    bytes += (uint64_t(spec.bytes()) + step) / step * step; // not zero
  }

  std::vector<uint64_t> offsets_;
};

/// Zeros on the host or on the device.
struct Zeros {
  AlignedBuffer host;
  DeviceBuffer device;
  std::byte *data = nullptr;

  absl::Status allocate(const DeviceMemory &memory, bool onHost,
                        uint64_t bytes) {
    if (onHost) {
      absl::StatusOr<AlignedBuffer> buffer = AlignedBuffer::create(bytes);
      if (!buffer.ok()) {
        return buffer.status();
      }
      host = *std::move(buffer);
      data = host.data();
      std::fill_n(data, bytes, std::byte(0));
      return absl::OkStatus();
    }
    absl::StatusOr<DeviceBuffer> buffer = DeviceBuffer::create(memory, bytes);
    if (!buffer.ok()) {
      return buffer.status();
    }
    device = *std::move(buffer);
    data = device.data();
    return memory.fill(data, 0, bytes);
  }
};

} // namespace

static void warnOfLater(absl::string_view why) {
  logWarning(absl::StrCat(
      "the first run of each size captures its CUDA graph, not the load: ",
      why));
}

static absl::Status captureOne(const Entry &entry, Context &context,
                               const ZeroTensors &tensors,
                               SizeWords &sizeWords) {
  Entry::Found found;
  absl::Status status = entry.find(tensors.inputs, found);
  if (status.ok()) {
    status = sizeWords.write(found, context.execution());
  }
  if (status.ok()) {
    status = context.run(tensors.inputs, tensors.outputs);
  }
  // Also after a failure: what was enqueued uses the zeros.
  status.Update(context.synchronize());
  return absl::IsOutOfRange(status) ? absl::OkStatus() : status;
}

absl::Status captureAhead(const Entry &entry,
                          absl::Span<const std::unique_ptr<Context>> contexts,
                          const Padding *padding, SizeWords &sizeWords,
                          bool stagesHost) {
  const DeviceMemory &memory = entry.buckets().front()->executable().memory();
  std::vector<std::pair<Context *, ZeroTensors>> all;
  uint64_t bytes = 0;
  for (size_t i = 0; i < contexts.size(); ++i) {
    if (contexts[i]->execution().capturesNext()) {
      all.push_back({contexts[i].get(), ZeroTensors(*entry.buckets()[i])});
      bytes = std::max(bytes, all.back().second.bytes);
    }
  }
  if (all.empty()) {
    return absl::OkStatus();
  }
  if (all.front().first->execution().isCapturing()) {
    warnOfLater("the stream is being captured");
    return absl::OkStatus();
  }
  Zeros zeros;
  absl::Status status = zeros.allocate(memory, stagesHost, bytes);
  if (absl::IsResourceExhausted(status)) {
    warnOfLater(status.message());
    return absl::OkStatus();
  }
  for (auto &[context, tensors] : all) {
    if (!status.ok()) {
      break;
    }
    const Program &bucket = context->program();
    tensors.placeAt(zeros.data, stagesHost ? DevicePlace{} : bucket.place());
    if (padding && !stagesHost) {
      padding->placeInRoom(absl::MakeSpan(tensors.inputs),
                           absl::MakeSpan(tensors.outputs));
    }
    tensors.updateInPlace(bucket);
    status = captureOne(entry, *context, tensors, sizeWords);
  }
  return status;
}

} // namespace minic::runtime
