// SPDX-License-Identifier: Apache-2.0
//
// Failure: a refused or failed call as a C++ exception, which becomes the
// Python exception of minic.errors that goes with its status.

#ifndef MINIC_PYTHON_FAILURE_H
#define MINIC_PYTHON_FAILURE_H

#include <minic/minic.h>

#include <exception>
#include <string>
#include <utility>

namespace minic::python {

class Failure : public std::exception {
public:
  Failure(minic_status status, std::string line)
      : status_(status), line(std::move(line)) {}

  minic_status status() const { return status_; }
  const char *what() const noexcept override { return line.c_str(); }

private:
  minic_status status_;
  std::string line;
};

/// For what this package refuses itself.
[[noreturn]] void refuse(std::string line);

/// Throws the runtime's last error unless `status` is MINIC_OK.
void check(minic_status status);

/// Has nanobind raise Failures; once, when the module is initialized.
void translateFailures();

} // namespace minic::python

#endif // MINIC_PYTHON_FAILURE_H
