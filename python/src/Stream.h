// SPDX-License-Identifier: Apache-2.0
//
// Which CUDA stream a call goes to.

#ifndef MINIC_PYTHON_STREAM_H
#define MINIC_PYTHON_STREAM_H

#include <minic/dlpack.h>
#include <nanobind/nanobind.h>

namespace minic::python {

namespace nb = nanobind;

/// The stream that the caller gave: an integer, or a stream of PyTorch, CuPy or
/// anyone with __cuda_stream__. None: the current one of the framework that
/// `first`, an input, is from (PyTorch), else the legacy default stream. Throws
/// a Failure for what is no stream, and for one of another device.
void *streamOf(nb::handle given, nb::handle first, DLDevice device);

} // namespace minic::python

#endif // MINIC_PYTHON_STREAM_H
