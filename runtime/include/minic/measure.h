/* SPDX-License-Identifier: Apache-2.0
 *
 * Times functions of any kind against each other, as minic-bench times
 * artifacts: in rounds, each function once in a round and in random order, so
 * that whatever the machine does hits all alike.
 */
#ifndef MINIC_MEASURE_H
#define MINIC_MEASURE_H

#include <minic/minic.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct minic_callable {
  /* Returns when its work is done: one that uses a GPU waits for it. */
  void (*function)(void *data);
  void *data;
  const char *name; /* for errors; may be null */
} minic_callable;

typedef struct minic_timing_options {
  size_t struct_size; /* sizeof(minic_timing_options) */
  double warmup_ms;   /* of each function before the rounds */
  double seconds;     /* of all rounds together, at least 10 of them */
  double sample_ms;   /* calls are repeated until a sample takes this long */
  const double *quantiles; /* wanted of the samples, 0 to 1; may be null */
  size_t quantile_count;
} minic_timing_options;
#define MINIC_TIMING_OPTIONS_INIT                                              \
  {sizeof(minic_timing_options), 50, 3, 1, NULL, 0}

/* Of one function. Microseconds are of one call; a sample is the mean of
 * `calls_per_sample`. Intervals are of 95 % and infinite below six rounds. */
typedef struct minic_timing {
  size_t struct_size; /* sizeof(minic_timing) */
  double median_us, low_us, high_us;
  /* To the first function's time in the same rounds. */
  double ratio, ratio_low, ratio_high;
  double *quantiles_us; /* the caller's: quantile_count of them, or null */
  int64_t calls_per_sample;
  int64_t rounds;
} minic_timing;
#define MINIC_TIMING_INIT {sizeof(minic_timing), 0, 0, 0, 0, 0, 0, NULL, 0, 0}

/* Calls the `count` functions in this thread and fills as many `timings`, each
 * initialized by MINIC_TIMING_INIT. `options` may be null. On a failure nothing
 * is filled. */
MINIC_API minic_status minic_time_callables(const minic_callable *callables,
                                            size_t count,
                                            const minic_timing_options *options,
                                            minic_timing *timings);

#ifdef __cplusplus
}
#endif

#endif /* MINIC_MEASURE_H */
