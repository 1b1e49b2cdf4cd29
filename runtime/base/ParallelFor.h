// SPDX-License-Identifier: Apache-2.0
//
// ParallelFor: the one thing the runtime asks of a thread pool.

#ifndef MINIC_RUNTIME_BASE_PARALLELFOR_H
#define MINIC_RUNTIME_BASE_PARALLELFOR_H

namespace minic::runtime {

/// Runs body(worker, data) once for each worker in [0, workers), all of them
/// concurrently or not, and returns when all have returned.
using ParallelFor = void (*)(void *pool, int workers,
                             void (*body)(int worker, void *data), void *data);

} // namespace minic::runtime

#endif // MINIC_RUNTIME_BASE_PARALLELFOR_H
