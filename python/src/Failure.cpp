// SPDX-License-Identifier: Apache-2.0
//
// Statuses of the C interface and the classes of minic.errors.

#include "Failure.h"

#include <nanobind/nanobind.h>

namespace minic::python {

void refuse(std::string line) {
  throw Failure(MINIC_INVALID_ARGUMENT, std::move(line));
}

void check(minic_status status) {
  if (status != MINIC_OK) {
    throw Failure(status, minic_last_error());
  }
}

static const char *className(minic_status status) {
  switch (status) {
  case MINIC_OK:
  case MINIC_INTERNAL:
    return "InternalError";
  case MINIC_INVALID_ARGUMENT:
  case MINIC_NOT_FOUND:
  case MINIC_DATA_LOSS:
    return "InvalidInputError";
  case MINIC_FAILED_PRECONDITION:
  case MINIC_UNSUPPORTED:
    return "UnsupportedError";
  case MINIC_OUT_OF_MEMORY:
    return "OutOfMemoryError";
  }
  return "InternalError";
}

static void raise(const Failure &failure) {
  PyObject *errors = PyImport_ImportModule("minic.errors");
  PyObject *type =
      errors ? PyObject_GetAttrString(errors, className(failure.status()))
             : nullptr;
  if (type) {
    PyErr_SetString(type, failure.what());
  }
  Py_XDECREF(type);
  Py_XDECREF(errors);
}

void translateFailures() {
  nanobind::register_exception_translator(
      [](const std::exception_ptr &thrown, void *) {
        try {
          std::rethrow_exception(thrown);
        } catch (const Failure &failure) {
          raise(failure);
        }
      });
}

} // namespace minic::python
