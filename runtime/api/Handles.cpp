// SPDX-License-Identifier: Apache-2.0
//
// The C interface: opaque handles around Program and Context.

#include "runtime/api/DlpackTensor.h"
#include "runtime/api/LastError.h"
#include "runtime/program/Context.h"

#include "absl/strings/str_cat.h"

#include <cstring>

using namespace minic::runtime;

struct minic_program {
  std::shared_ptr<const Program> program;
};

struct minic_context {
  std::unique_ptr<Context> context;
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

static ProgramOptions toOptions(const minic_program_options *given) {
  minic_program_options defaults = MINIC_PROGRAM_OPTIONS_INIT;
  minic_program_options c = known(given, defaults);
  ProgramOptions options;
  if (c.function) {
    options.function = c.function;
  }
  options.threads = c.threads;
  options.strictLibraries = c.strict_libraries != 0;
  options.device = c.device;
  return options;
}

static absl::Status missing(const char *argument) {
  return absl::InvalidArgumentError(
      absl::StrCat(argument, ": expected a value, got a null pointer"));
}

static absl::Status adopt(absl::StatusOr<std::shared_ptr<const Program>> loaded,
                          minic_program **program) {
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
    *program = nullptr;
    return adopt(Program::load(path, toOptions(options)), program);
  });
}

minic_status minic_program_load_bytes(const void *data, size_t bytes,
                                      const minic_program_options *options,
                                      minic_program **program) {
  return guarded([&] {
    if (!data || !program) {
      return missing(data ? "program" : "data");
    }
    *program = nullptr;
    return adopt(
        Program::loadBytes({static_cast<const std::byte *>(data), bytes},
                           toOptions(options)),
        program);
  });
}

minic_status minic_program_load_function(const minic_program *program,
                                         const minic_program_options *options,
                                         minic_program **other) {
  return guarded([&] {
    if (!program || !other) {
      return missing(program ? "other" : "program");
    }
    *other = nullptr;
    return adopt(program->program->loadFunction(toOptions(options)), other);
  });
}

void minic_program_destroy(minic_program *program) { delete program; }

static minic_status describe(const std::vector<TensorSpec> &specs,
                             const char *role, size_t index,
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
    *info = {spec.name.c_str(),         toDlpack(spec.dtype),
             int32_t(spec.dims.size()), spec.dims.data(),
             uint64_t(spec.bytes()),    spec.alignment};
    return absl::OkStatus();
  });
}

size_t minic_program_input_count(const minic_program *program) {
  return program->program->inputs().size();
}

size_t minic_program_output_count(const minic_program *program) {
  return program->program->outputs().size();
}

minic_status minic_program_input(const minic_program *program, size_t index,
                                 minic_tensor_info *info) {
  return describe(program->program->inputs(), "input", index, info);
}

minic_status minic_program_output(const minic_program *program, size_t index,
                                  minic_tensor_info *info) {
  return describe(program->program->outputs(), "output", index, info);
}

int64_t minic_program_in_place_input(const minic_program *program,
                                     size_t index) {
  const std::vector<TensorSpec> &outputs = program->program->outputs();
  return index < outputs.size() && outputs[index].inPlaceOf
             ? int64_t(*outputs[index].inPlaceOf)
             : -1;
}

uint64_t minic_program_arena_bytes(const minic_program *program) {
  return program->program->arenaBytes();
}

int32_t minic_program_threads(const minic_program *program) {
  return program->program->threads();
}

DLDevice minic_program_device(const minic_program *program) {
  DevicePlace place = program->program->place();
  return {DLDeviceType(place.type), place.index};
}

const char *minic_program_evidence(const minic_program *program) {
  return program->program->evidence();
}

/// Runs `body` with the memory of the program's place.
template <typename Body>
static minic_status withMemory(const minic_program *program, const Body &body) {
  return guarded([&]() -> absl::Status {
    if (!program) {
      return missing("program");
    }
    return body(program->program->executable().memory());
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
    program->program->executable().memory().release(memory);
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
    absl::StatusOr<std::unique_ptr<Context>> created =
        Context::create(program->program, *known);
    if (created.ok()) {
      *context = new minic_context{
          std::move(*created),
          std::vector<Tensor>(program->program->inputs().size()),
          std::vector<Tensor>(program->program->outputs().size()),
          {}};
    }
    return created.status();
  });
}

void minic_context_destroy(minic_context *context) { delete context; }

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

minic_status minic_context_run(minic_context *context, const DLTensor *inputs,
                               size_t input_count, const DLTensor *outputs,
                               size_t output_count) {
  return guarded([&] {
    if (!context) {
      return missing("context");
    }
    const Program &program = context->context->program();
    absl::Status status =
        view(inputs, input_count, "input", program.inputs(), context->inputs);
    if (status.ok()) {
      status = view(outputs, output_count, "output", program.outputs(),
                    context->outputs);
    }
    if (!status.ok()) {
      return status;
    }
    return context->context->run(context->inputs, context->outputs);
  });
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

const char *minic_context_graph_refusal(minic_context *context) {
  minic_status status = guarded([&] {
    context->graphRefusal = context->context->graphRefusal();
    return absl::OkStatus();
  });
  return status == MINIC_OK ? context->graphRefusal.c_str() : "";
}
