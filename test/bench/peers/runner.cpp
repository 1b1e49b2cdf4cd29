// SPDX-License-Identifier: Apache-2.0
//
// Loops of the peers benchmark that a C++ service would run: minic through its
// C API, AOTInductor through its C++ runner, a captured CUDA graph by replay.
// Built by PyTorch's extension loader on the machine that measures.

#include <ATen/cuda/CUDAContext.h>
#include <ATen/cuda/CUDAGraph.h>
#include <torch/csrc/inductor/aoti_package/model_package_loader.h>
#include <torch/extension.h>

#include <minic/minic.h>

#include <chrono>
#include <deque>
#include <dlfcn.h>
#include <functional>

void launchReadProbe(const void *data, size_t bytes, float *sink,
                     cudaStream_t stream); // probe.cu

namespace {

using Clock = std::chrono::steady_clock;

double microseconds(Clock::duration elapsed) {
  return std::chrono::duration<double, std::micro>(elapsed).count();
}

/// Something that enqueues one call on the current stream.
using Call = std::function<void()>;

/// Mean of `n` calls back to back, waited for once at the end.
double backToBack(const Call &call, int n) {
  auto stream = at::cuda::getCurrentCUDAStream();
  stream.synchronize();
  Clock::time_point start = Clock::now();
  for (int i = 0; i < n; ++i) {
    call();
  }
  stream.synchronize();
  return microseconds(Clock::now() - start) / n;
}

/// Host time of `n` calls that are not waited for: what the caller pays.
double hostCost(const Call &call, int n) {
  auto stream = at::cuda::getCurrentCUDAStream();
  std::vector<double> samples;
  for (int i = 0; i < n; ++i) {
    stream.synchronize();
    Clock::time_point start = Clock::now();
    call();
    samples.push_back(microseconds(Clock::now() - start));
  }
  stream.synchronize();
  std::nth_element(samples.begin(), samples.begin() + n / 2, samples.end());
  return samples[n / 2];
}

/// Median of one call waited for.
double synchronized(const Call &call, int n) {
  auto stream = at::cuda::getCurrentCUDAStream();
  stream.synchronize();
  std::vector<double> samples;
  for (int i = 0; i < n; ++i) {
    Clock::time_point start = Clock::now();
    call();
    stream.synchronize();
    samples.push_back(microseconds(Clock::now() - start));
  }
  std::nth_element(samples.begin(), samples.begin() + n / 2, samples.end());
  return samples[n / 2];
}

class Runnable {
public:
  virtual ~Runnable() = default;
  virtual void call() = 0;
  /// Later calls go to PyTorch's current stream, which peers may change.
  virtual void onStream() {}

  double backToBack(int n) {
    onStream();
    return ::backToBack([this] { call(); }, n);
  }
  double synchronized(int n) {
    onStream();
    return ::synchronized([this] { call(); }, n);
  }
  double hostCost(int n) {
    onStream();
    return ::hostCost([this] { call(); }, n);
  }
};

/// libminic_runtime, opened as a service would link it.
struct Api {
  void *library;
  template <typename F> F *find(const char *name) {
    void *symbol = dlsym(library, name);
    TORCH_CHECK(symbol, "libminic_runtime has no ", name);
    return reinterpret_cast<F *>(symbol);
  }
  explicit Api(const std::string &path)
      : library(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    TORCH_CHECK(library, dlerror());
  }
};

class Minic : public Runnable {
public:
  Minic(const std::string &library, const std::string &artifact,
        const std::string &function, std::vector<torch::Tensor> inputs,
        std::vector<torch::Tensor> outputs)
      : api(library), inputs(std::move(inputs)), outputs(std::move(outputs)) {
    auto load = api.find<decltype(minic_program_load)>("minic_program_load");
    auto create =
        api.find<decltype(minic_context_create)>("minic_context_create");
    run = api.find<decltype(minic_context_run)>("minic_context_run");
    setStream = api.find<decltype(minic_context_set_stream)>(
        "minic_context_set_stream");
    graphCounters = api.find<decltype(minic_context_graph_counters)>(
        "minic_context_graph_counters");
    lastError = api.find<decltype(minic_last_error)>("minic_last_error");
    minic_program_options strict = MINIC_PROGRAM_OPTIONS_INIT;
    strict.function = function.c_str();
    strict.strict_libraries = 1; // what was tuned is what is measured
    check(load(artifact.c_str(), &strict, &program));
    minic_context_options options = MINIC_CONTEXT_OPTIONS_INIT;
    check(create(program, &options, &context));
    for (const torch::Tensor &input : this->inputs) {
      in.push_back(tensor(input));
    }
    for (const torch::Tensor &output : this->outputs) {
      out.push_back(tensor(output));
    }
    onStream();
  }

  void onStream() override {
    check(setStream(context, at::cuda::getCurrentCUDAStream().stream()));
  }
  void call() override {
    check(run(context, in.data(), in.size(), out.data(), out.size()));
  }
  /// How the calls so far reached the GPU; a first call launches and captures.
  std::string how() {
    minic_graph_counters counters = MINIC_GRAPH_COUNTERS_INIT;
    check(graphCounters(context, &counters));
    return counters.replays == 0     ? "launches on the stream"
           : counters.plain_runs > 1 ? "replays a graph when its stream is idle"
                                     : "replays a graph";
  }

private:
  void check(minic_status status) {
    TORCH_CHECK(status == MINIC_OK, "minic: ", lastError());
  }
  DLTensor tensor(const torch::Tensor &t) {
    uint8_t code = t.scalar_type() == torch::kBFloat16 ? kDLBfloat
                   : t.is_floating_point()             ? kDLFloat
                                                       : kDLInt;
    std::vector<int64_t> &shape = shapes.emplace_back(t.sizes().vec());
    return DLTensor{t.data_ptr(),
                    {kDLCUDA, int32_t(t.get_device())},
                    int32_t(shape.size()),
                    {code, uint8_t(8 * t.element_size()), 1},
                    shape.data(),
                    nullptr,
                    0};
  }

  Api api;
  std::vector<torch::Tensor> inputs, outputs;
  std::deque<std::vector<int64_t>> shapes; // of tensors, which point to them
  std::vector<DLTensor> in, out;
  decltype(minic_context_run) *run;
  decltype(minic_context_set_stream) *setStream;
  decltype(minic_context_graph_counters) *graphCounters;
  decltype(minic_last_error) *lastError;
  minic_program *program = nullptr;
  minic_context *context = nullptr;
};

/// torch.cuda.CUDAGraph around eager library kernels, replayed from C++.
class CapturedGraph : public Runnable {
public:
  explicit CapturedGraph(std::shared_ptr<at::cuda::CUDAGraph> graph)
      : graph(std::move(graph)) {}
  void call() override { graph->replay(); }

private:
  std::shared_ptr<at::cuda::CUDAGraph> graph;
};

/// Without its guards for several threads, which make each call wait for the
/// one before and which no CUDA graph can capture.
class AotInductor : public Runnable {
public:
  AotInductor(const std::string &package, std::vector<torch::Tensor> inputs)
      : loader(package, "model", /*run_single_threaded=*/true),
        inputs(std::move(inputs)) {}
  void call() override { result = loader.run(inputs); }
  torch::Tensor output() { return result[0]; }

private:
  torch::inductor::AOTIModelPackageLoader loader;
  std::vector<torch::Tensor> inputs, result;
};

/// Reads the weights and does nothing else: what a memory-bound call needs.
class ReadProbe : public Runnable {
public:
  explicit ReadProbe(std::vector<torch::Tensor> tensors)
      : tensors(std::move(tensors)),
        sink(torch::zeros({1}, torch::device(torch::kCUDA))) {}
  void call() override {
    for (const torch::Tensor &t : tensors) {
      launchReadProbe(t.data_ptr(), t.nbytes(), sink.data_ptr<float>(),
                      at::cuda::getCurrentCUDAStream());
    }
  }

private:
  std::vector<torch::Tensor> tensors;
  torch::Tensor sink;
};

} // namespace

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  py::class_<Runnable>(m, "Runnable")
      .def("call", &Runnable::call)
      .def("on_stream", &Runnable::onStream)
      .def("back_to_back", &Runnable::backToBack)
      .def("synchronized", &Runnable::synchronized)
      .def("host_cost", &Runnable::hostCost);
  py::class_<Minic, Runnable>(m, "Minic")
      .def(py::init<const std::string &, const std::string &,
                    const std::string &, std::vector<torch::Tensor>,
                    std::vector<torch::Tensor>>())
      .def("how", &Minic::how);
  py::class_<CapturedGraph, Runnable>(m, "CapturedGraph")
      .def(py::init<std::shared_ptr<at::cuda::CUDAGraph>>());
  py::class_<AotInductor, Runnable>(m, "AotInductor")
      .def(py::init<const std::string &, std::vector<torch::Tensor>>())
      .def("output", &AotInductor::output);
  py::class_<ReadProbe, Runnable>(m, "ReadProbe")
      .def(py::init<std::vector<torch::Tensor>>());
}
