// SPDX-License-Identifier: Apache-2.0

#include "Description.h"

#include <nanobind/stl/string.h>

namespace minic::python {

std::string modeOf(const Program &program) {
  std::string text = program.evidence();
  if (text.empty()) {
    return "unknown";
  }
  nb::object evidence = nb::module_::import_("json").attr("loads")(text);
  std::string mode = "default";
  for (nb::handle fusion : evidence["fusions"]) {
    auto origin = nb::cast<std::string>(fusion["origin"]);
    if (origin == "tuned" || origin == "database") {
      return "tuned";
    }
    if (origin == "pinned") {
      mode = origin;
    }
  }
  return mode;
}

static std::string join(const std::vector<TensorSpec> &specs) {
  std::string text;
  for (const TensorSpec &spec : specs) {
    text += (text.empty() ? "" : ", ") + spec.text();
  }
  return "(" + text + ")";
}

std::string describe(const Program &program) {
  std::string text = "<minic.Program " + program.function() +
                     join(program.inputs()) + " -> " + join(program.outputs()) +
                     " on " + program.device();
  if (program.device() == "cpu") {
    text += ", " + std::to_string(program.threads()) +
            (program.threads() == 1 ? " thread" : " threads");
  }
  return text + ", " + modeOf(program) + ">";
}

} // namespace minic::python
