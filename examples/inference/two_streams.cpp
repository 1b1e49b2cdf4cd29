// SPDX-License-Identifier: Apache-2.0
//
// Overlaps two streams of requests on one GPU: one Program, whose weights both
// share, and a Context with its own memory and graph for each stream.
// Usage: two_streams model.minic

#include "cuda_streams.hpp"

#include <minic/minic.hpp>

#include <chrono>
#include <cstdio>
#include <vector>

namespace {

/// What one stream of requests owns.
struct Lane {
  minic::Context context;
  std::vector<minic::DeviceBuffer> inputs, outputs;
  std::vector<DLTensor> inputTensors, outputTensors;
};

int fail(const minic::Status &status) {
  std::fprintf(stderr, "two_streams: %s\n", status.message().c_str());
  return 1;
}

minic::Status addBuffers(const minic::Program &program,
                         const std::vector<minic::TensorInfo> &infos,
                         std::vector<minic::DeviceBuffer> &buffers,
                         std::vector<DLTensor> &tensors) {
  for (const minic::TensorInfo &info : infos) {
    auto buffer = minic::DeviceBuffer::create(program, info);
    if (!buffer.ok()) {
      return buffer.status();
    }
    std::vector<char> zeros(info.bytes);
    if (auto status = buffer->copyFrom(zeros.data()); !status.ok()) {
      return status;
    }
    tensors.push_back(buffer->tensor());
    buffers.push_back(std::move(*buffer));
  }
  return {};
}

/// `runs` requests, taking turns over the lanes; microseconds until all are
/// done.
minic::Result<double> serve(std::vector<Lane> &lanes, int runs) {
  auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < runs; ++i) {
    Lane &lane = lanes[i % lanes.size()];
    auto status = lane.context.run(lane.inputTensors, lane.outputTensors);
    if (!status.ok()) {
      return status;
    }
  }
  for (Lane &lane : lanes) {
    if (auto status = lane.context.synchronize(); !status.ok()) {
      return status;
    }
  }
  return std::chrono::duration<double, std::micro>(
             std::chrono::steady_clock::now() - start)
      .count();
}

minic::Result<std::vector<Lane>>
createLanes(const minic::Program &program, const std::vector<void *> &streams) {
  std::vector<Lane> lanes;
  for (void *stream : streams) {
    minic::ContextOptions options;
    options.stream = stream;
    auto context = minic::Context::create(program, options);
    if (!context.ok()) {
      return context.status();
    }
    Lane lane{std::move(*context), {}, {}, {}, {}};
    auto status =
        addBuffers(program, program.inputs(), lane.inputs, lane.inputTensors);
    if (status.ok()) {
      status = addBuffers(program, program.outputs(), lane.outputs,
                          lane.outputTensors);
    }
    if (!status.ok()) {
      return status;
    }
    lanes.push_back(std::move(lane));
  }
  return lanes;
}

/// Microseconds of a request with as many lanes as there are streams.
minic::Result<double> measure(const minic::Program &program,
                              const std::vector<void *> &streams) {
  auto lanes = createLanes(program, streams);
  if (!lanes.ok()) {
    return lanes.status();
  }
  constexpr int runs = 1000;
  auto warmUp = serve(*lanes, 10);
  auto time = warmUp.ok() ? serve(*lanes, runs) : warmUp;
  if (!time.ok()) {
    return time.status();
  }
  return *time / runs;
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s model.minic\n", argv[0]);
    return 2;
  }
  auto program = minic::Program::load(argv[1]);
  if (!program.ok()) {
    return fail(program.status());
  }
  if (program->device().device_type != kDLCUDA) {
    std::printf(
        "not run: the model runs on a CPU here, which has no streams\n");
    return 0;
  }
  CudaStreams driver;
  bool opened = driver.open(program->device().device_id);
  std::vector<void *> streams;
  if (opened) {
    streams = {driver.create(), driver.create()};
  }
  if (!opened || !streams[0] || !streams[1]) {
    std::fprintf(stderr, "two_streams: the CUDA driver gives no streams\n");
    return 1;
  }
  auto one = measure(*program, {streams[0]});
  auto two = one.ok() ? measure(*program, streams) : one;
  for (void *stream : streams) {
    driver.destroy(stream);
  }
  if (!two.ok()) {
    return fail(two.status());
  }
  std::printf("one stream: %.2f us a request; two streams: %.2f us\n", *one,
              *two);
}
