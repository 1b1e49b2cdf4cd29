// SPDX-License-Identifier: Apache-2.0
//
// minic's runtime in C++: Program and Context over the C interface, header
// only, C++17, no exceptions. Results are [[nodiscard]] and say what went
// wrong.

#ifndef MINIC_MINIC_HPP
#define MINIC_MINIC_HPP

#include <minic/minic.h>

#include <cstdlib>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace minic {

/// Success, or a code with one line of text.
class [[nodiscard]] Status {
public:
  Status() = default;
  explicit Status(minic_status code)
      : code_(code), message_(code == MINIC_OK ? "" : minic_last_error()) {}

  bool ok() const { return code_ == MINIC_OK; }
  minic_status code() const { return code_; }
  const std::string &message() const { return message_; }

private:
  minic_status code_ = MINIC_OK;
  std::string message_;
};

/// A T, or why there is none.
template <typename T> class [[nodiscard]] Result {
public:
  Result(T value) : value_(std::move(value)) {}
  Result(Status status) : status_(std::move(status)) {}

  bool ok() const { return status_.ok(); }
  const Status &status() const { return status_; }
  const std::string &message() const { return status_.message(); }
  T &operator*() { return *value_; }
  T *operator->() { return &*value_; }

private:
  Status status_;
  std::optional<T> value_;
};

/// An input or output of a Program, which owns the name and the shape.
struct TensorInfo : minic_tensor_info {
  /// A tensor of this shape at `data`; owns nothing.
  DLTensor at(void *data, DLDevice device = {kDLCPU, 0}) const {
    return DLTensor{data,    device, ndim, dtype, const_cast<int64_t *>(shape),
                    nullptr, 0};
  }
};

/// Host memory for one input or output, aligned as it asks; not zeroed.
class Buffer {
public:
  explicit Buffer(const TensorInfo &info)
      : info_(info), data_(std::aligned_alloc(
                         alignment(info), (info.bytes / alignment(info) + 1) *
                                              alignment(info))) {}

  /// The first of bytes() / sizeof(T) elements; null without memory.
  template <typename T> T *data() const {
    return static_cast<T *>(data_.get());
  }
  uint64_t bytes() const { return info_.bytes; }
  DLTensor tensor() const { return info_.at(data_.get()); }

private:
  static size_t alignment(const TensorInfo &info) {
    return info.alignment < 64 ? 64 : info.alignment;
  }
  struct Free {
    void operator()(void *memory) const { std::free(memory); }
  };
  TensorInfo info_;
  std::unique_ptr<void, Free> data_;
};

struct ProgramOptions {
  const char *function = nullptr; // null: "main"
  int threads = 0;                // 0: the artifact's first plan
  bool strictLibraries = false;
  int device = 0; // index of the GPU; a CPU has none
  // Null: any file; else its "sha256:..." of `minic inspect --digest`.
  const char *expectedDigest = nullptr;
};

/// A loaded artifact. Immutable: any number of threads may use one. Loading
/// maps the file and copies its kernels, usually in less than a millisecond.
class Program {
public:
  static Result<Program> load(const std::string &path,
                              const ProgramOptions &options = {}) {
    minic_program_options c = toC(options);
    minic_program *program = nullptr;
    Status status(minic_program_load(path.c_str(), &c, &program));
    return finish(std::move(status), program);
  }
  static Result<Program> loadBytes(const void *data, size_t bytes,
                                   const ProgramOptions &options = {}) {
    minic_program_options c = toC(options);
    minic_program *program = nullptr;
    Status status(minic_program_load_bytes(data, bytes, &c, &program));
    return finish(std::move(status), program);
  }

  /// Another function of the same file, or another plan. Both share the file
  /// and, on the same GPU, the constants that both use. Either may go first.
  Result<Program> loadFunction(const ProgramOptions &options) const {
    minic_program_options c = toC(options);
    minic_program *program = nullptr;
    Status status(minic_program_load_function(get(), &c, &program));
    return finish(std::move(status), program);
  }

  std::vector<TensorInfo> inputs() const {
    return queried<TensorInfo>(minic_program_input_count(get()),
                               minic_program_input);
  }
  std::vector<TensorInfo> outputs() const {
    return queried<TensorInfo>(minic_program_output_count(get()),
                               minic_program_output);
  }
  /// The input whose tensor runs must take for output `index`, too, because the
  /// output is an update of it in place; none for most.
  std::optional<size_t> inPlaceInput(size_t index) const {
    int64_t input = minic_program_in_place_input(get(), index);
    return input < 0 ? std::nullopt : std::optional(size_t(input));
  }
  /// Dimensions whose size may differ from run to run; none where shapes are
  /// fixed.
  std::vector<minic_dim_info> dims() const {
    return queried<minic_dim_info>(minic_program_dim_count(get()),
                                   minic_program_dim);
  }
  /// The plans for their sizes, ascending; one where shapes are fixed.
  std::vector<minic_bucket_info> buckets() const {
    return queried<minic_bucket_info>(minic_program_bucket_count(get()),
                                      minic_program_bucket);
  }
  /// Inputs and outputs of bucket `index`, with all sizes.
  std::vector<TensorInfo> inputs(size_t bucket) const {
    return queried<TensorInfo>(minic_program_input_count(get()),
                               InBucket{minic_program_bucket_input, bucket});
  }
  std::vector<TensorInfo> outputs(size_t bucket) const {
    return queried<TensorInfo>(minic_program_output_count(get()),
                               InBucket{minic_program_bucket_output, bucket});
  }
  uint64_t arenaBytes() const { return minic_program_arena_bytes(get()); }
  int threads() const { return minic_program_threads(get()); }
  /// Where it runs, and where tensors have to be.
  DLDevice device() const { return minic_program_device(get()); }
  /// Why it was compiled as it is, as JSON; "" for none.
  const char *evidence() const { return minic_program_evidence(get()); }

  const minic_program *get() const { return program_.get(); }

private:
  explicit Program(minic_program *program) : program_(program) {}
  static minic_program_options toC(const ProgramOptions &options) {
    return {sizeof(minic_program_options),
            options.function,
            options.threads,
            options.strictLibraries,
            options.device,
            options.expectedDigest};
  }
  static Result<Program> finish(Status status, minic_program *program) {
    if (!status.ok()) {
      return status;
    }
    return Program(program);
  }
  struct InBucket {
    minic_status (*query)(const minic_program *, size_t, size_t,
                          minic_tensor_info *);
    size_t bucket;
    void operator()(const minic_program *program, size_t index,
                    TensorInfo *info) const {
      query(program, bucket, index, info);
    }
  };
  template <typename Info, typename Query>
  std::vector<Info> queried(size_t count, Query query) const {
    std::vector<Info> all(count);
    for (size_t i = 0; i < count; ++i) {
      query(get(), i, &all[i]); // cannot fail: i is below the count
    }
    return all;
  }
  struct Destroy {
    void operator()(minic_program *program) const {
      minic_program_destroy(program);
    }
  };
  std::unique_ptr<minic_program, Destroy> program_;
};

/// Memory of a Program's device for one of its inputs or outputs; not zeroed.
/// The Program outlives it. Copies are complete when they return and in no
/// order with runs that are not: synchronize first.
class DeviceBuffer {
public:
  static Result<DeviceBuffer> create(const Program &program,
                                     const TensorInfo &info) {
    void *memory = nullptr;
    Status status(minic_program_allocate(program.get(), info.bytes, &memory));
    if (!status.ok()) {
      return status;
    }
    return DeviceBuffer(program.get(), info, memory);
  }

  uint64_t bytes() const { return info_.bytes; }
  DLTensor tensor() const {
    return info_.at(memory_.get(), minic_program_device(program()));
  }
  /// bytes() bytes from or to the host's memory.
  Status copyFrom(const void *host) {
    return Status(
        minic_program_copy_in(program(), memory_.get(), host, bytes()));
  }
  Status copyTo(void *host) const {
    return Status(
        minic_program_copy_out(program(), host, memory_.get(), bytes()));
  }

private:
  struct Release {
    const minic_program *program;
    void operator()(void *memory) const {
      minic_program_release(program, memory);
    }
  };
  DeviceBuffer(const minic_program *program, const TensorInfo &info,
               void *memory)
      : info_(info), memory_(memory, Release{program}) {}
  const minic_program *program() const { return memory_.get_deleter().program; }

  TensorInfo info_;
  std::unique_ptr<void, Release> memory_;
};

struct ContextOptions {
  /// Null: own; else the device's, 64-byte aligned (GPU: 256), outlives it.
  void *arena = nullptr;
  uint64_t arenaBytes = 0;
  minic_parallel_for parallelFor = nullptr; // null: minic's threads
  void *pool = nullptr;
  // On a GPU:
  void *stream = nullptr;   // CUstream, cudaStream_t; null: the legacy default
  bool pooledArena = false; // own arena from the stream-ordered pool
  minic_graph_mode graph = MINIC_GRAPH_AS_MEASURED;
  bool staging = false; // host tensors are copied; such a run waits for its end
  int32_t graphUpdates = 0; // as minic_context_options.graph_updates
};

/// One stream of runs: one thread at a time, as many Contexts of a Program as
/// you like. It keeps what it needs of the Program alive.
class Context {
public:
  static Result<Context> create(const Program &program,
                                const ContextOptions &options = {}) {
    minic_context_options c = {
        sizeof(minic_context_options), options.arena, options.arenaBytes,
        options.parallelFor,           options.pool,  options.stream,
        options.pooledArena,           options.graph, options.staging,
        options.graphUpdates};
    minic_context *context = nullptr;
    Status status(minic_context_create(program.get(), &c, &context));
    if (!status.ok()) {
      return status;
    }
    return Context(context);
  }

  /// Runs on any contiguous containers of DLTensor, in the Program's order.
  /// Checks every tensor first; allocates nothing unless the plan calls a
  /// library. On a GPU the run is enqueued on the stream and not waited for.
  template <typename Inputs, typename Outputs>
  Status run(const Inputs &inputs, const Outputs &outputs) {
    return Status(minic_context_run(context_.get(), std::data(inputs),
                                    std::size(inputs), std::data(outputs),
                                    std::size(outputs)));
  }
  Status run(std::initializer_list<DLTensor> inputs,
             std::initializer_list<DLTensor> outputs) {
    return Status(minic_context_run(context_.get(), inputs.begin(),
                                    inputs.size(), outputs.begin(),
                                    outputs.size()));
  }

  /// Runs, waits, and has the graph, if runs replay one, for these tensors.
  template <typename Inputs, typename Outputs>
  Status prepare(const Inputs &inputs, const Outputs &outputs) {
    return Status(minic_context_prepare(context_.get(), std::data(inputs),
                                        std::size(inputs), std::data(outputs),
                                        std::size(outputs)));
  }

  /// GPU: later runs go to `stream`, which the caller orders behind the other.
  Status setStream(void *stream) {
    return Status(minic_context_set_stream(context_.get(), stream));
  }
  /// Waits for all runs; where one failed, says so.
  Status synchronize() {
    return Status(minic_context_synchronize(context_.get()));
  }
  minic_graph_counters graphCounters() const {
    minic_graph_counters counters = MINIC_GRAPH_COUNTERS_INIT;
    minic_context_graph_counters(context_.get(), &counters); // cannot fail
    return counters;
  }
  /// Of bucket `index` of the program's.
  minic_bucket_counters bucketCounters(size_t index) const {
    minic_bucket_counters counters = MINIC_BUCKET_COUNTERS_INIT;
    // Fails where there is no such bucket: zeros then.
    minic_context_bucket_counters(context_.get(), index, &counters);
    return counters;
  }
  /// Why runs replay no graph although one is asked for; else "".
  std::string graphRefusal() const {
    return minic_context_graph_refusal(context_.get());
  }

private:
  explicit Context(minic_context *context) : context_(context) {}
  struct Destroy {
    void operator()(minic_context *context) const {
      minic_context_destroy(context);
    }
  };
  std::unique_ptr<minic_context, Destroy> context_;
};

} // namespace minic

#endif // MINIC_MINIC_HPP
