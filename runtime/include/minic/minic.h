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
  /* This machine lacks a CPU feature, a GPU, a library or a right. */
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
  const char *function;     /* an entry or a function; null: "main" */
  int32_t threads;          /* the plan for so many; 0: the artifact's first */
  int32_t strict_libraries; /* not 0: another library version is an error */
  int32_t device;           /* index of the GPU; a CPU has none */
  /* Null: any file; else "sha256:" and 64 hexadecimal digits, as `minic inspect
   * --digest` prints, or the digits alone. Nothing else is read of a file that
   * is another one: INVALID_ARGUMENT. */
  const char *expected_digest;
} minic_program_options;
#define MINIC_PROGRAM_OPTIONS_INIT                                             \
  {sizeof(minic_program_options), NULL, 0, 0, 0, NULL}

/* Maps and checks the file and loads the first of its plans that this machine
 * can run: its kernels and, for a GPU, its constants. `options` may be null. */
MINIC_API minic_status minic_program_load(const char *path,
                                          const minic_program_options *options,
                                          minic_program **program);
/* The same from memory, which is copied. */
MINIC_API minic_status minic_program_load_bytes(
    const void *data, size_t bytes, const minic_program_options *options,
    minic_program **program);
/* Another function of the same file, or the plan for another number of threads.
 * Both share the file and, on the same GPU, the constants that both use. Either
 * may be destroyed first. */
MINIC_API minic_status minic_program_load_function(
    const minic_program *program, const minic_program_options *options,
    minic_program **other);
/* Contexts keep what they need of it alive. Null is allowed. */
MINIC_API void minic_program_destroy(minic_program *program);

/* An input or output: dense, row-major. Strings and shapes live as long as the
 * program. Where the program has several buckets, a dimension that differs
 * among them is -1, and `bytes` are those of the largest. */
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
/* The input that output `index` updates in place: runs take one tensor for
 * both, with the same pointer, and it is never a host tensor that is staged. -1
 * where the output has memory of its own, or there is no such output. */
MINIC_API int64_t minic_program_in_place_input(const minic_program *program,
                                               size_t index);
/* A dimension whose size may differ from run to run. Lives as long as the
 * program. */
typedef struct minic_dim_info {
  const char *name;
  size_t size_count;
  const int64_t *sizes; /* the sizes that it may have, ascending */
  int32_t is_padded;    /* not 0: sizes below the largest, too, see run */
} minic_dim_info;

/* 0 for a program whose shapes are fixed. */
MINIC_API size_t minic_program_dim_count(const minic_program *program);
/* INVALID_ARGUMENT where there is no such index. */
MINIC_API minic_status minic_program_dim(const minic_program *program,
                                         size_t index, minic_dim_info *info);

/* The plan for one set of sizes. Lives as long as the program. */
typedef struct minic_bucket_info {
  const char *function; /* a function of the artifact; may be loaded alone */
  const int64_t *sizes; /* one for each dimension */
} minic_bucket_info;

/* 1 for a program whose shapes are fixed. */
MINIC_API size_t minic_program_bucket_count(const minic_program *program);
/* By ascending sizes. INVALID_ARGUMENT where there is no such index. */
MINIC_API minic_status minic_program_bucket(const minic_program *program,
                                            size_t index,
                                            minic_bucket_info *info);
/* An input or output as bucket `bucket` takes it, with all sizes. */
MINIC_API minic_status minic_program_bucket_input(const minic_program *program,
                                                  size_t bucket, size_t index,
                                                  minic_tensor_info *info);
MINIC_API minic_status minic_program_bucket_output(const minic_program *program,
                                                   size_t bucket, size_t index,
                                                   minic_tensor_info *info);
/* The bucket that a run with these inputs takes, by their shapes alone.
 * INVALID_ARGUMENT for sizes that no bucket has, naming those that there are.
 */
MINIC_API minic_status minic_program_find_bucket(const minic_program *program,
                                                 const DLTensor *inputs,
                                                 size_t input_count,
                                                 size_t *bucket);
/* The sizes of output `index` in a run with these inputs, by their shapes
 * alone: the bucket's, but those of the run where it is padded. `shape` has
 * room for the output's ndim. */
MINIC_API minic_status minic_program_output_shape(const minic_program *program,
                                                  const DLTensor *inputs,
                                                  size_t input_count,
                                                  size_t index, int64_t *shape);

/* Memory that each context needs beside inputs and outputs: one arena, for
 * whichever bucket runs. */
MINIC_API uint64_t minic_program_arena_bytes(const minic_program *program);
MINIC_API int32_t minic_program_threads(const minic_program *program);
/* Where it runs, and where tensors have to be: kDLCPU or kDLCUDA. */
MINIC_API DLDevice minic_program_device(const minic_program *program);
/* Why it was compiled as it is: JSON for programs that show it, whose fields
 * may change between releases. "" where the artifact has none. Lives as long as
 * the program. Never null. */
MINIC_API const char *minic_program_evidence(const minic_program *program);

/* Memory of the program's device, 256-byte aligned, for callers without an
 * allocator of their own. Release it before the program is destroyed. A copy is
 * complete when it returns; it does not wait for runs, so synchronize first. */
MINIC_API minic_status minic_program_allocate(const minic_program *program,
                                              uint64_t bytes, void **memory);
/* Null is allowed. */
MINIC_API void minic_program_release(const minic_program *program,
                                     void *memory);
MINIC_API minic_status minic_program_copy_in(const minic_program *program,
                                             void *memory, const void *host,
                                             uint64_t bytes);
MINIC_API minic_status minic_program_copy_out(const minic_program *program,
                                              void *host, const void *memory,
                                              uint64_t bytes);

/*--- Context: one stream of runs. One thread at a time; as many contexts of a
 * program as you like run at once. */
typedef struct minic_context minic_context;

/* Runs body(worker, data) once for each worker in [0, workers), at once or
 * not, and returns when all have returned. */
typedef void (*minic_parallel_for)(void *pool, int workers,
                                   void (*body)(int worker, void *data),
                                   void *data);

/* Which runs on a GPU replay a captured CUDA graph. */
typedef enum minic_graph_mode {
  /* The best when the model was tuned: never, always, or when the stream is
   * idle, as the context estimates from its runs. */
  MINIC_GRAPH_AS_MEASURED = 0,
  MINIC_GRAPH_OFF = 1,
  MINIC_GRAPH_ON = 2
} minic_graph_mode;

typedef struct minic_context_options {
  size_t struct_size; /* sizeof(minic_context_options) */
  /* Null: own; else memory of the program's device, 64-byte aligned (GPU: 256),
   * which outlives the context. */
  void *arena;
  uint64_t arena_bytes;
  minic_parallel_for parallel_for; /* CPU. Null: minic's threads */
  void *pool;                      /* passed to parallel_for */
  /* GPU: CUstream or cudaStream_t; null: the legacy default stream. */
  void *stream;
  int32_t pooled_arena; /* GPU, not 0: own arena from the stream-ordered pool */
  int32_t graph;        /* GPU: a minic_graph_mode */
  /* GPU, not 0: tensors may be the host's (kDLCPU, kDLCUDAHost). Room for all
   * is allocated on the device and, pinned, on the host; a run that has one
   * waits for its end. */
  int32_t staging;
  /* GPU: whether a run captures its graph again once a library call has got the
   * same new pointers often enough: 1 yes, 2 no, 0 where sizes do not vary. */
  int32_t graph_updates;
} minic_context_options;
#define MINIC_CONTEXT_OPTIONS_INIT                                             \
  {sizeof(minic_context_options), NULL, 0, NULL, NULL, NULL, 0, 0, 0, 0}

/* Allocates all that runs need. `options` may be null. */
MINIC_API minic_status minic_context_create(
    const minic_program *program, const minic_context_options *options,
    minic_context **context);
/* Null is allowed. On a GPU, once its runs are done. */
MINIC_API void minic_context_destroy(minic_context *context);

/* Runs the model on the caller's tensors, in the program's order. Where sizes
 * vary, those of the inputs decide which bucket runs; sizes that no bucket has
 * are INVALID_ARGUMENT, but a dimension that is padded may have any size up to
 * its largest: inputs are copied into tensors of the next larger bucket, and
 * outputs, of the sizes of the run, from them. An output that has all sizes of
 * that bucket is written where it is instead, without a copy: its first
 * elements along the padded axis are the run's, what is behind them says
 * nothing. Nothing is compiled, tuned or captured then. Device, type, shape,
 * strides (null or dense) and alignment of each are checked first; if one is
 * wrong, nothing is written. Tensors must not overlap an output; this is not
 * checked. But an output that updates an input in place must have that input's
 * pointer. Allocates nothing unless the plan calls a library.
 *
 * On a GPU the run is enqueued on the context's stream and not waited for. Keep
 * tensors and stream valid until it is done. If the stream is being captured,
 * the run becomes part of that graph.
 */
MINIC_API minic_status minic_context_run(minic_context *context,
                                         const DLTensor *inputs,
                                         size_t input_count,
                                         const DLTensor *outputs,
                                         size_t output_count);

/* Runs and waits, and has the graph, if runs replay one, for these tensors, of
 * sizes that a bucket has: later runs with them capture nothing and copy
 * nothing. For tensors that stay, before serving begins; a load makes graphs
 * that later runs patch, but a library call keeps the tensors it was captured
 * with. Outputs are written. */
MINIC_API minic_status minic_context_prepare(minic_context *context,
                                             const DLTensor *inputs,
                                             size_t input_count,
                                             const DLTensor *outputs,
                                             size_t output_count);

/* GPU: later runs go to `stream`. Runs of a context share its memory: the
 * caller orders them behind those on the stream before. */
MINIC_API minic_status minic_context_set_stream(minic_context *context,
                                                void *stream);
/* Waits for all runs of the context. Fails if one of them failed. */
MINIC_API minic_status minic_context_synchronize(minic_context *context);

/* What the context's graph has done so far. */
typedef struct minic_graph_counters {
  size_t struct_size;     /* sizeof(minic_graph_counters) */
  int64_t instantiations; /* at creation and first run, never later */
  int64_t updates;        /* of a whole graph for new pointers */
  int64_t replays;        /* runs that were one graph launch */
  int64_t plain_runs;     /* runs that launched kernel by kernel */
} minic_graph_counters;
#define MINIC_GRAPH_COUNTERS_INIT {sizeof(minic_graph_counters), 0, 0, 0, 0}

MINIC_API
minic_status minic_context_graph_counters(const minic_context *context,
                                          minic_graph_counters *counters);
/* What the context did with one bucket so far. */
typedef struct minic_bucket_counters {
  size_t struct_size;      /* sizeof(minic_bucket_counters) */
  int64_t runs;            /* that succeeded, or were enqueued */
  int64_t padded_runs;     /* of them: of smaller sizes than the bucket's */
  int64_t padded_elements; /* that inputs of these lacked, all together */
} minic_bucket_counters;
#define MINIC_BUCKET_COUNTERS_INIT {sizeof(minic_bucket_counters), 0, 0, 0}

/* INVALID_ARGUMENT where the program has no such bucket. */
MINIC_API minic_status
minic_context_bucket_counters(const minic_context *context, size_t index,
                              minic_bucket_counters *counters);
/* Why runs replay no graph although one was asked for; else "". Valid until the
 * next such call. Never null. */
MINIC_API const char *minic_context_graph_refusal(minic_context *context);

#ifdef __cplusplus
}
#endif

#endif /* MINIC_MINIC_H */
