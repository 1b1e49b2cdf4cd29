// SPDX-License-Identifier: Apache-2.0
//
// The C interface: opaque handles around Program and Context.

#include "runtime/api/DlpackTensor.h"
#include "runtime/api/LastError.h"
#include "runtime/program/EntryContext.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <cstring>

using namespace minic::runtime;

struct minic_program {
  std::shared_ptr<const Entry> entry;

  /// What is the same for all buckets is asked of the first.
  const Program &first() const { return *entry->buckets().front(); }
};

struct minic_context {
  std::unique_ptr<EntryContext> context;
  std::vector<Tensor> inputs, outputs; // room for a run's views
  std::string graphRefusal;            // as last asked for
};

/// Options as long as the caller knows them; the rest has its default.
template <typename Options>
static Options known(const Options *given, const Options &defaults) {
  Options options = defaults;
  if (given) {
    std::memcpy(&options, given, std::min(given->struct_size, sizeof(Options)));
  }
  return options;
}

static absl::StatusOr<ProgramOptions>
toOptions(const minic_program_options *given) {
  minic_program_options defaults = MINIC_PROGRAM_OPTIONS_INIT;
  minic_program_options c = known(given, defaults);
  ProgramOptions options;
  if (c.function) {
    options.function = c.function;
  }
  options.threads = c.threads;
  options.strictLibraries = c.strict_libraries != 0;
  options.device = c.device;
  if (c.expected_digest) {
    absl::StatusOr<minic::format::Digest> digest =
        minic::format::parseDigest(c.expected_digest);
    if (!digest.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat("expected_digest: ", digest.status().message()));
    }
    options.expectedDigest = *digest;
  }
  return options;
}

static absl::Status missing(const char *argument) {
  return absl::InvalidArgumentError(
      absl::StrCat(argument, ": expected a value, got a null pointer"));
}

/// Calls `load` with the options, and makes its program the caller's.
template <typename Load>
static absl::Status adopt(const minic_program_options *given,
                          minic_program **program, const Load &load) {
  *program = nullptr;
  absl::StatusOr<ProgramOptions> options = toOptions(given);
  if (!options.ok()) {
    return options.status();
  }
  absl::StatusOr<std::shared_ptr<const Entry>> loaded = load(*options);
  if (loaded.ok()) {
    *program = new minic_program{std::move(*loaded)};
  }
  return loaded.status();
}

minic_status minic_program_load(const char *path,
                                const minic_program_options *options,
                                minic_program **program) {
  return guarded([&] {
    if (!path || !program) {
      return missing(path ? "program" : "path");
    }
    return adopt(options, program, [&](const ProgramOptions &known) {
      return Entry::load(path, known);
    });
  });
}

minic_status minic_program_load_bytes(const void *data, size_t bytes,
                                      const minic_program_options *options,
                                      minic_program **program) {
  return guarded([&] {
    if (!data || !program) {
      return missing(data ? "program" : "data");
    }
    return adopt(options, program, [&](const ProgramOptions &known) {
      return Entry::loadBytes({static_cast<const std::byte *>(data), bytes},
                              known);
    });
  });
}

minic_status minic_program_load_function(const minic_program *program,
                                         const minic_program_options *options,
                                         minic_program **other) {
  return guarded([&] {
    if (!program || !other) {
      return missing(program ? "other" : "program");
    }
    return adopt(options, other, [&](const ProgramOptions &known) {
      return program->entry->loadFunction(known);
    });
  });
}

void minic_program_destroy(minic_program *program) { delete program; }

/// `bytes` are those of tensor `index`, where there is one.
template <typename Bytes>
static minic_status describe(const std::vector<TensorSpec> &specs,
                             const Bytes &bytes, const char *role, size_t index,
                             minic_tensor_info *info) {
  return guarded([&] {
    if (!info) {
      return missing("info");
    }
    if (index >= specs.size()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "no ", role, " ", index, ": the program has ", specs.size()));
    }
    const TensorSpec &spec = specs[index];
    *info = {spec.name.c_str(), toDlpack(spec.dtype), int32_t(spec.dims.size()),
             spec.dims.data(),  bytes(index),         spec.alignment};
    return absl::OkStatus();
  });
}

size_t minic_program_input_count(const minic_program *program) {
  return program->entry->inputs().size();
}

size_t minic_program_output_count(const minic_program *program) {
  return program->entry->outputs().size();
}

minic_status minic_program_input(const minic_program *program, size_t index,
                                 minic_tensor_info *info) {
  const Entry &entry = *program->entry;
  return describe(
      entry.inputs(), [&](size_t i) { return entry.inputBytes(i); }, "input",
      index, info);
}

minic_status minic_program_output(const minic_program *program, size_t index,
                                  minic_tensor_info *info) {
  const Entry &entry = *program->entry;
  return describe(
      entry.outputs(), [&](size_t i) { return entry.outputBytes(i); }, "output",
      index, info);
}

int64_t minic_program_in_place_input(const minic_program *program,
                                     size_t index) {
  const std::vector<TensorSpec> &outputs = program->entry->outputs();
  return index < outputs.size() && outputs[index].inPlaceOf
             ? int64_t(*outputs[index].inPlaceOf)
             : -1;
}

size_t minic_program_dim_count(const minic_program *program) {
  return program->entry->dims().size();
}

minic_status minic_program_dim(const minic_program *program, size_t index,
                               minic_dim_info *info) {
  return guarded([&] {
    if (!program || !info) {
      return missing(program ? "info" : "program");
    }
    const std::vector<VaryingDim> &dims = program->entry->dims();
    if (index >= dims.size()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "no dimension ", index, ": the program has ", dims.size()));
    }
    *info = {dims[index].name.c_str(), dims[index].sizes.size(),
             dims[index].sizes.data(), dims[index].isPadded};
    return absl::OkStatus();
  });
}

size_t minic_program_bucket_count(const minic_program *program) {
  return program->entry->buckets().size();
}

static absl::Status checkBucket(const Entry &entry, size_t index) {
  size_t count = entry.buckets().size();
  return index < count ? absl::OkStatus()
                       : absl::InvalidArgumentError(absl::StrCat(
                             "no bucket ", index, ": the program has ", count));
}

minic_status minic_program_bucket(const minic_program *program, size_t index,
                                  minic_bucket_info *info) {
  return guarded([&] {
    if (!program || !info) {
      return missing(program ? "info" : "program");
    }
    const Entry &entry = *program->entry;
    if (absl::Status status = checkBucket(entry, index); !status.ok()) {
      return status;
    }
    *info = {entry.buckets()[index]->function(), entry.sizes(index).data()};
    return absl::OkStatus();
  });
}

static absl::Status view(const DLTensor *given, size_t count, const char *role,
                         const std::vector<TensorSpec> &specs,
                         std::vector<Tensor> &views) {
  if (count != specs.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected ", specs.size(), " ", role, "s, got ", count));
  }
  if (count != 0 && !given) {
    return missing(role);
  }
  for (size_t i = 0; i < count; ++i) {
    if (absl::Status status = fromDlpack(given[i], role, specs[i], views[i]);
        !status.ok()) {
      return status;
    }
  }
  return absl::OkStatus();
}

/// As `specs` of the bucket say.
static minic_status
describeInBucket(const minic_program *program, size_t bucket, const char *role,
                 const std::vector<TensorSpec> &(Program::*specs)() const,
                 size_t index, minic_tensor_info *info) {
  minic_status status =
      guarded([&] { return checkBucket(*program->entry, bucket); });
  if (status != MINIC_OK) {
    return status;
  }
  const std::vector<TensorSpec> &all =
      (*program->entry->buckets()[bucket].*specs)();
  return describe(
      all, [&](size_t i) { return uint64_t(all[i].bytes()); }, role, index,
      info);
}

minic_status minic_program_bucket_input(const minic_program *program,
                                        size_t bucket, size_t index,
                                        minic_tensor_info *info) {
  return describeInBucket(program, bucket, "input", &Program::inputs, index,
                          info);
}

minic_status minic_program_bucket_output(const minic_program *program,
                                         size_t bucket, size_t index,
                                         minic_tensor_info *info) {
  return describeInBucket(program, bucket, "output", &Program::outputs, index,
                          info);
}

/// What a run with these inputs finds.
static absl::StatusOr<Entry::Found>
find(const Entry &entry, const DLTensor *inputs, size_t input_count) {
  std::vector<Tensor> views(entry.inputs().size());
  absl::Status status =
      view(inputs, input_count, "input", entry.inputs(), views);
  return status.ok() ? entry.find(views) : status;
}

minic_status minic_program_find_bucket(const minic_program *program,
                                       const DLTensor *inputs,
                                       size_t input_count, size_t *bucket) {
  return guarded([&]() -> absl::Status {
    if (!program || !bucket) {
      return missing(program ? "bucket" : "program");
    }
    absl::StatusOr<Entry::Found> found =
        find(*program->entry, inputs, input_count);
    if (found.ok()) {
      *bucket = found->bucket;
    }
    return found.status();
  });
}

minic_status minic_program_output_shape(const minic_program *program,
                                        const DLTensor *inputs,
                                        size_t input_count, size_t index,
                                        int64_t *shape) {
  return guarded([&]() -> absl::Status {
    if (!program || !shape) {
      return missing(program ? "shape" : "program");
    }
    const Entry &entry = *program->entry;
    if (index >= entry.outputs().size()) {
      return absl::InvalidArgumentError(
          absl::StrCat("output ", index, ": the program has ",
                       entry.outputs().size(), " outputs"));
    }
    absl::StatusOr<Entry::Found> found = find(entry, inputs, input_count);
    if (found.ok()) {
      std::vector<int64_t> dims;
      entry.outputDims(*found, index, dims);
      std::copy(dims.begin(), dims.end(), shape);
    }
    return found.status();
  });
}

uint64_t minic_program_arena_bytes(const minic_program *program) {
  return program->entry->arenaBytes();
}

int32_t minic_program_threads(const minic_program *program) {
  return program->first().threads();
}

DLDevice minic_program_device(const minic_program *program) {
  DevicePlace place = program->first().place();
  return {DLDeviceType(place.type), place.index};
}

const char *minic_program_evidence(const minic_program *program) {
  return program->first().evidence();
}

/// Runs `body` with the memory of the program's place.
template <typename Body>
static minic_status withMemory(const minic_program *program, const Body &body) {
  return guarded([&]() -> absl::Status {
    if (!program) {
      return missing("program");
    }
    return body(program->first().executable().memory());
  });
}

minic_status minic_program_allocate(const minic_program *program,
                                    uint64_t bytes, void **memory) {
  return withMemory(program, [&](const DeviceMemory &device) {
    if (!memory) {
      return missing("memory");
    }
    absl::StatusOr<void *> allocated = device.allocate(bytes);
    *memory = allocated.ok() ? *allocated : nullptr;
    return allocated.status();
  });
}

void minic_program_release(const minic_program *program, void *memory) {
  if (program && memory) {
    program->first().executable().memory().release(memory);
  }
}

minic_status minic_program_copy_in(const minic_program *program, void *memory,
                                   const void *host, uint64_t bytes) {
  return withMemory(program, [&](const DeviceMemory &device) {
    return bytes == 0         ? absl::OkStatus()
           : !memory || !host ? missing(memory ? "host" : "memory")
                              : device.copyIn(memory, host, bytes);
  });
}

minic_status minic_program_copy_out(const minic_program *program, void *host,
                                    const void *memory, uint64_t bytes) {
  return withMemory(program, [&](const DeviceMemory &device) {
    return bytes == 0         ? absl::OkStatus()
           : !memory || !host ? missing(memory ? "host" : "memory")
                              : device.copyOut(host, memory, bytes);
  });
}

static absl::StatusOr<ContextOptions>
toOptions(const minic_context_options *given) {
  minic_context_options defaults = MINIC_CONTEXT_OPTIONS_INIT;
  minic_context_options c = known(given, defaults);
  ContextOptions options;
  options.arena = c.arena;
  options.arenaBytes = c.arena_bytes;
  options.parallelFor = c.parallel_for;
  options.pool = c.pool;
  options.stream = c.stream;
  options.pooledArena = c.pooled_arena != 0;
  options.staging = c.staging != 0;
  if (c.graph_updates < 0 || c.graph_updates > 2) {
    return absl::InvalidArgumentError(absl::StrCat(
        "graph_updates: expected 0, 1 or 2, got ", c.graph_updates));
  }
  if (c.graph_updates != 0) {
    options.updatesGraphs = c.graph_updates == 1;
  }
  switch (c.graph) {
  case MINIC_GRAPH_AS_MEASURED:
    options.graph = GraphMode::Artifact;
    return options;
  case MINIC_GRAPH_OFF:
    options.graph = GraphMode::Off;
    return options;
  case MINIC_GRAPH_ON:
    options.graph = GraphMode::On;
    return options;
  }
  return absl::InvalidArgumentError(
      absl::StrCat("graph: expected a minic_graph_mode, got ", c.graph));
}

minic_status minic_context_create(const minic_program *program,
                                  const minic_context_options *options,
                                  minic_context **context) {
  return guarded([&] {
    if (!program || !context) {
      return missing(program ? "context" : "program");
    }
    *context = nullptr;
    absl::StatusOr<ContextOptions> known = toOptions(options);
    if (!known.ok()) {
      return known.status();
    }
    absl::StatusOr<std::unique_ptr<EntryContext>> created =
        EntryContext::create(program->entry, *known);
    if (created.ok()) {
      *context = new minic_context{
          std::move(*created),
          std::vector<Tensor>(program->entry->inputs().size()),
          std::vector<Tensor>(program->entry->outputs().size()),
          {}};
    }
    return created.status();
  });
}

void minic_context_destroy(minic_context *context) { delete context; }

/// Calls `member` of `context` with the tensors as the runtime sees them.
static minic_status
withTensors(minic_context *context, const DLTensor *inputs, size_t input_count,
            const DLTensor *outputs, size_t output_count,
            absl::Status (EntryContext::*member)(absl::Span<const Tensor>,
                                                 absl::Span<const Tensor>)) {
  return guarded([&] {
    if (!context) {
      return missing("context");
    }
    const Entry &entry = context->context->entry();
    absl::Status status =
        view(inputs, input_count, "input", entry.inputs(), context->inputs);
    if (status.ok()) {
      status = view(outputs, output_count, "output", entry.outputs(),
                    context->outputs);
    }
    if (!status.ok()) {
      return status;
    }
    return (*context->context.*member)(context->inputs, context->outputs);
  });
}

minic_status minic_context_run(minic_context *context, const DLTensor *inputs,
                               size_t input_count, const DLTensor *outputs,
                               size_t output_count) {
  return withTensors(context, inputs, input_count, outputs, output_count,
                     &EntryContext::run);
}

minic_status minic_context_prepare(minic_context *context,
                                   const DLTensor *inputs, size_t input_count,
                                   const DLTensor *outputs,
                                   size_t output_count) {
  return withTensors(context, inputs, input_count, outputs, output_count,
                     &EntryContext::prepare);
}

minic_status minic_context_set_stream(minic_context *context, void *stream) {
  return guarded([&] {
    return context ? context->context->setStream(stream) : missing("context");
  });
}

minic_status minic_context_synchronize(minic_context *context) {
  return guarded([&] {
    return context ? context->context->synchronize() : missing("context");
  });
}

minic_status minic_context_graph_counters(const minic_context *context,
                                          minic_graph_counters *counters) {
  return guarded([&] {
    if (!context || !counters) {
      return missing(context ? "counters" : "context");
    }
    GraphCounters counted = context->context->graphCounters();
    minic_graph_counters all = {counters->struct_size, counted.instantiations,
                                counted.updates, counted.replays,
                                counted.plainRuns};
    std::memcpy(counters, &all, std::min(counters->struct_size, sizeof(all)));
    return absl::OkStatus();
  });
}

minic_status minic_context_bucket_counters(const minic_context *context,
                                           size_t index,
                                           minic_bucket_counters *counters) {
  return guarded([&] {
    if (!context || !counters) {
      return missing(context ? "counters" : "context");
    }
    if (absl::Status status = checkBucket(context->context->entry(), index);
        !status.ok()) {
      return status;
    }
    const BucketCounters &counted = context->context->counters(index);
    minic_bucket_counters all = {counters->struct_size, counted.runs,
                                 counted.paddedRuns, counted.paddedElements};
    std::memcpy(counters, &all, std::min(counters->struct_size, sizeof(all)));
    return absl::OkStatus();
  });
}

const char *minic_context_graph_refusal(minic_context *context) {
  minic_status status = guarded([&] {
    context->graphRefusal = context->context->graphRefusal();
    return absl::OkStatus();
  });
  return status == MINIC_OK ? context->graphRefusal.c_str() : "";
}
