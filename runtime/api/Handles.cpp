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

uint64_t minic_program_arena_bytes(const minic_program *program) {
  return program->program->arenaBytes();
}

int32_t minic_program_threads(const minic_program *program) {
  return program->program->threads();
}

minic_status minic_context_create(const minic_program *program,
                                  const minic_context_options *options,
                                  minic_context **context) {
  return guarded([&] {
    if (!program || !context) {
      return missing(program ? "context" : "program");
    }
    *context = nullptr;
    minic_context_options defaults = MINIC_CONTEXT_OPTIONS_INIT;
    minic_context_options c = known(options, defaults);
    absl::StatusOr<std::unique_ptr<Context>> created = Context::create(
        program->program, {c.arena, c.arena_bytes, c.parallel_for, c.pool});
    if (created.ok()) {
      *context = new minic_context{
          std::move(*created),
          std::vector<Tensor>(program->program->inputs().size()),
          std::vector<Tensor>(program->program->outputs().size())};
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
