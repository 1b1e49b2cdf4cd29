// SPDX-License-Identifier: Apache-2.0
//
// Streams under the names that frameworks have for them.

#include "Stream.h"

#include "Failure.h"
#include "TensorArgument.h"

#include <nanobind/stl/string.h>

#include <string>

namespace minic::python {

/// The index of the device that `stream` is of; -1 where it does not say.
static int deviceOf(nb::handle stream) {
  for (const char *name : {"device_index", "device_id"}) {
    nb::object index = nb::getattr(stream, name, nb::none());
    if (nb::isinstance<nb::int_>(index)) {
      return nb::cast<int>(index);
    }
  }
  return -1;
}

static void *handleOf(nb::handle stream) {
  auto pointer = [](nb::handle number) {
    return reinterpret_cast<void *>(nb::cast<uintptr_t>(number));
  };
  if (nb::isinstance<nb::int_>(stream)) {
    return pointer(stream);
  }
  for (const char *name : {"cuda_stream", "ptr"}) {
    nb::object handle = nb::getattr(stream, name, nb::none());
    if (nb::isinstance<nb::int_>(handle)) {
      return pointer(handle);
    }
  }
  nb::object protocol = nb::getattr(stream, "__cuda_stream__", nb::none());
  if (!protocol.is_none()) {
    return pointer(protocol()[1]);
  }
  refuse(std::string("stream: expected a CUDA stream or its handle, got ") +
         nb::cast<std::string>(stream.type().attr("__name__")));
}

static void *currentStream(nb::handle first, DLDevice device) {
  if (!first.is_valid()) {
    return nullptr;
  }
  if (const DLPackExchangeAPI *api = exchangeApiOf(first)) {
    void *stream = nullptr;
    if (api->current_work_stream(device.device_type, device.device_id,
                                 &stream) != 0) {
      throw nb::python_error();
    }
    return stream;
  }
  if (isTorch(first)) {
    nb::object cuda = nb::module_::import_("torch.cuda");
    return handleOf(cuda.attr("current_stream")(device.device_id));
  }
  return nullptr;
}

void *streamOf(nb::handle given, nb::handle first, DLDevice device) {
  if (device.device_type != kDLCUDA) {
    if (!given.is_none()) {
      refuse("stream: expected None, for the program runs on the CPU, got one");
    }
    return nullptr;
  }
  if (given.is_none()) {
    return currentStream(first, device);
  }
  int index = deviceOf(given);
  if (index >= 0 && index != device.device_id) {
    refuse("stream: expected one of CUDA device " +
           std::to_string(device.device_id) + ", got one of CUDA device " +
           std::to_string(index));
  }
  return handleOf(given);
}

} // namespace minic::python
