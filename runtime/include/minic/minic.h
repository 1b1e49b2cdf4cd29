/* SPDX-License-Identifier: Apache-2.0
 *
 * minic's runtime: loads a compiled model and runs it. This C interface is the
 * ABI; minic/minic.hpp is C++ over it.
 *
 *   minic_program *program;
 *   minic_context *context;
 *   minic_program_load("model.minic", NULL, &program);
 *   minic_context_create(program, NULL, &context);
 *   minic_context_run(context, inputs, 1, outputs, 1);
 *
 * Every function that can fail returns a minic_status; minic_last_error() says
 * more. Nothing here throws, exits or prints errors.
 */
#ifndef MINIC_MINIC_H
#define MINIC_MINIC_H

#include <minic/dlpack.h>

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define MINIC_API __attribute__((visibility("default")))
#else
#define MINIC_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef enum minic_status {
  MINIC_OK = 0,
  /* An argument, a tensor or a file is not what it has to be. */
  MINIC_INVALID_ARGUMENT = 1,
  /* There is no such file, function or plan for that many threads. */
  MINIC_NOT_FOUND = 2,
  /* The artifact is damaged. */
  MINIC_DATA_LOSS = 3,
  /* This machine lacks a CPU feature, a library or a right that is needed. */
  MINIC_FAILED_PRECONDITION = 4,
  /* A library that the plan calls cannot do what it asks for. */
  MINIC_UNSUPPORTED = 5,
  /* There is not enough memory. */
  MINIC_OUT_OF_MEMORY = 6,
  /* A fault of minic's own. */
  MINIC_INTERNAL = 7
} minic_status;

/* What went wrong in this thread's last failed call, in one line: what, where,
 * expected, got. Valid until this thread's next failed call. Never null. */
MINIC_API const char *minic_last_error(void);

/* "0.1.0". Static. */
MINIC_API const char *minic_version(void);

/*--- Program: a loaded artifact. Immutable; any number of threads may use it.
 */
typedef struct minic_program minic_program;

typedef struct minic_program_options {
  size_t struct_size;       /* sizeof(minic_program_options) */
  const char *function;     /* null: "main" */
  int32_t threads;          /* the plan for so many; 0: the artifact's first */
  int32_t strict_libraries; /* not 0: another library version is an error */
} minic_program_options;
#define MINIC_PROGRAM_OPTIONS_INIT {sizeof(minic_program_options), NULL, 0, 0}

/* Maps and checks the file and loads its kernels. `options` may be null. */
MINIC_API minic_status minic_program_load(const char *path,
                                          const minic_program_options *options,
                                          minic_program **program);
/* The same from memory, which is copied. */
MINIC_API minic_status minic_program_load_bytes(
    const void *data, size_t bytes, const minic_program_options *options,
    minic_program **program);
/* Contexts keep what they need of it alive. Null is allowed. */
MINIC_API void minic_program_destroy(minic_program *program);

/* An input or output: dense, row-major. Strings and shapes live as long as the
 * program. */
typedef struct minic_tensor_info {
  const char *name;
  DLDataType dtype; /* i1 is kDLBool of 8 bits */
  int32_t ndim;
  const int64_t *shape;
  uint64_t bytes;
  uint64_t alignment; /* of the data pointer, in bytes; a power of two */
} minic_tensor_info;

MINIC_API size_t minic_program_input_count(const minic_program *program);
MINIC_API size_t minic_program_output_count(const minic_program *program);
/* INVALID_ARGUMENT where there is no such index. */
MINIC_API minic_status minic_program_input(const minic_program *program,
                                           size_t index,
                                           minic_tensor_info *info);
MINIC_API minic_status minic_program_output(const minic_program *program,
                                            size_t index,
                                            minic_tensor_info *info);
/* Memory that each context needs beside inputs and outputs. */
MINIC_API uint64_t minic_program_arena_bytes(const minic_program *program);
MINIC_API int32_t minic_program_threads(const minic_program *program);

/*--- Context: one stream of runs. One thread at a time; as many contexts of a
 * program as you like run at once. */
typedef struct minic_context minic_context;

/* Runs body(worker, data) once for each worker in [0, workers), at once or
 * not, and returns when all have returned. */
typedef void (*minic_parallel_for)(void *pool, int workers,
                                   void (*body)(int worker, void *data),
                                   void *data);

typedef struct minic_context_options {
  size_t struct_size; /* sizeof(minic_context_options) */
  void *arena; /* null: own; else 64-byte aligned, outlives the context */
  uint64_t arena_bytes;
  minic_parallel_for parallel_for; /* null: libgomp's threads */
  void *pool;                      /* passed to parallel_for */
} minic_context_options;
#define MINIC_CONTEXT_OPTIONS_INIT                                             \
  {sizeof(minic_context_options), NULL, 0, NULL, NULL}

/* Allocates all that runs need. `options` may be null. */
MINIC_API minic_status minic_context_create(
    const minic_program *program, const minic_context_options *options,
    minic_context **context);
/* Null is allowed. */
MINIC_API void minic_context_destroy(minic_context *context);

/* Runs the model on the caller's tensors, in the program's order. Device
 * (CPU), type, shape, strides (null or dense) and alignment of each are
 * checked first; where one is wrong nothing is written. That no tensor overlaps
 * an output is not checked. Allocates nothing unless the plan calls a library.
 */
MINIC_API minic_status minic_context_run(minic_context *context,
                                         const DLTensor *inputs,
                                         size_t input_count,
                                         const DLTensor *outputs,
                                         size_t output_count);

#ifdef __cplusplus
}
#endif

#endif /* MINIC_MINIC_H */
