// SPDX-License-Identifier: Apache-2.0
//
// minic._runtime: what Python sees of the runtime. The package minic wraps it.

#include "Description.h"
#include "Failure.h"
#include "Program.h"
#include "Results.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <atomic>

namespace minic::python {

/// nanobind's types belong to one interpreter of a process.
static void claimInterpreter() {
  static std::atomic<int64_t> owner{-1};
  int64_t mine = PyInterpreterState_GetID(PyInterpreterState_Get());
  int64_t none = -1;
  if (!owner.compare_exchange_strong(none, mine) && owner != mine) {
    throw nb::import_error("minic: one Python interpreter of a process may "
                           "import it, and another one has");
  }
}

static minic_graph_mode graphMode(const std::string &name) {
  if (name == "as-measured") {
    return MINIC_GRAPH_AS_MEASURED;
  }
  if (name == "off" || name == "on") {
    return name == "on" ? MINIC_GRAPH_ON : MINIC_GRAPH_OFF;
  }
  refuse("graph: expected 'as-measured', 'off' or 'on', got '" + name + "'");
}

static Program load(nb::object artifact, const std::string &function,
                    int threads, int device, bool strictLibraries, bool staging,
                    const std::string &graph,
                    std::optional<std::string> expectedDigest) {
  LoadOptions options;
  options.function = function;
  options.threads = threads;
  options.device = device;
  options.strictLibraries = strictLibraries;
  options.staging = staging;
  options.graph = graphMode(graph);
  options.expectedDigest = std::move(expectedDigest);
  if (nb::isinstance<nb::bytes>(artifact)) {
    return Program::loadBytes(nb::cast<nb::bytes>(artifact), options);
  }
  nb::object path = nb::module_::import_("os").attr("fsdecode")(artifact);
  return Program::load(nb::cast<std::string>(path), options);
}

static nb::tuple shapeOf(const TensorSpec &spec) {
  nb::list sizes;
  for (int64_t size : spec.shape) {
    sizes.append(size);
  }
  return nb::tuple(sizes);
}

static nb::tuple tupleOf(const std::vector<TensorSpec> &specs) {
  nb::list all;
  for (const TensorSpec &spec : specs) {
    all.append(nb::cast(spec));
  }
  return nb::tuple(all);
}

static void bindTensorSpec(nb::module_ &module) {
  nb::class_<TensorSpec>(module, "TensorSpec",
                         "An input or output of a program: dense, row-major.")
      .def_prop_ro(
          "name", [](const TensorSpec &spec) { return spec.name; },
          "As the model names it.")
      .def_prop_ro("dtype", &TensorSpec::dtypeName,
                   "NumPy's and PyTorch's name, such as 'float32'.")
      .def_prop_ro("shape", shapeOf,
                   nb::sig("def shape(self) -> tuple[int, ...]"),
                   "Sizes, outermost first; -1 where calls may differ.")
      .def_prop_ro(
          "nbytes", [](const TensorSpec &spec) { return spec.bytes; },
          "Bytes of all elements, at most.")
      .def_prop_ro(
          "alignment", [](const TensorSpec &spec) { return spec.alignment; },
          "Bytes that its memory is aligned to.")
      .def_prop_ro(
          "in_place_of",
          [](const TensorSpec &spec) -> nb::object {
            return spec.inPlaceInput < 0
                       ? nb::none()
                       : nb::object(nb::int_(spec.inPlaceInput));
          },
          nb::sig("def in_place_of(self) -> int | None"),
          "Of an output that updates an input: the number of that input.")
      .def("empty", emptyArray, nb::sig("def empty(self) -> numpy.ndarray"),
           "An uninitialized NumPy array for it, aligned as programs want it.")
      .def("__repr__", &TensorSpec::text);
}

static void bindProgram(nb::module_ &module) {
  nb::class_<Program>(
      module, "Program",
      "A loaded model. Call it with arrays or tensors; any number of threads\n"
      "may. `minic.load` makes one.")
      .def(
          "__call__", &Program::call, nb::arg("inputs"),
          nb::arg("out") = nb::none(), nb::arg("stream") = nb::none(),
          nb::arg("named_inputs"),
          nb::sig(
              "def __call__(self, *inputs: object, out: object | None = None, "
              "stream: object | None = None, **named_inputs: object) -> "
              "typing.Any"),
          "Runs the model on arrays or tensors, in order or by name.\n\n"
          "Returns one result or a tuple, as the first input is: NumPy "
          "arrays,\n"
          "PyTorch tensors, else objects with __dlpack__. With `out`, a "
          "tensor\n"
          "or a tuple of them, results go there and `out` is returned.\n\n"
          "On a GPU the run is enqueued, not waited for, on `stream`, else on\n"
          "PyTorch's current stream, else on the legacy default stream. Keep\n"
          "tensors until it is done.")
      .def("load_function", &Program::loadFunction, nb::arg("name"),
           "Another function of the same file; both share the constants.")
      .def("synchronize", &Program::synchronize,
           "Waits for all runs of this thread.")
      .def_prop_ro("function", &Program::function, "Its name, such as 'main'.")
      .def_prop_ro(
          "inputs", [](const Program &p) { return tupleOf(p.inputs()); },
          nb::sig("def inputs(self) -> tuple[TensorSpec, ...]"),
          "What a call takes, in order.")
      .def_prop_ro(
          "outputs", [](const Program &p) { return tupleOf(p.outputs()); },
          nb::sig("def outputs(self) -> tuple[TensorSpec, ...]"),
          "What a call returns, in order.")
      .def_prop_ro(
          "dims",
          [](const Program &p) {
            nb::dict dims;
            for (const auto &[name, sizes] : p.dims()) {
              nb::list all;
              for (int64_t size : sizes) {
                all.append(size);
              }
              dims[name.c_str()] = nb::tuple(all);
            }
            return dims;
          },
          nb::sig("def dims(self) -> dict[str, tuple[int, ...]]"),
          "The sizes of each dimension that may differ from call to call;\n"
          "empty where all are fixed.")
      .def(
          "bucket_counters",
          [](const Program &p) {
            nb::dict all;
            for (const BucketUse &use : p.bucketCounters()) {
              nb::dict one;
              one["runs"] = use.counters.runs;
              one["padded_runs"] = use.counters.padded_runs;
              one["padded_elements"] = use.counters.padded_elements;
              all[use.function.c_str()] = one;
            }
            return all;
          },
          nb::sig("def bucket_counters(self) -> dict[str, dict[str, int]]"),
          "What calls of this thread did with each bucket, by its function's\n"
          "name: 'runs', 'padded_runs' of smaller sizes, 'padded_elements'\n"
          "that inputs of these lacked. Empty where all sizes are fixed.")
      .def_prop_ro("device", &Program::device, "'cpu' or, say, 'cuda:0'.")
      .def_prop_ro("threads", &Program::threads, "CPU threads of one run.")
      .def_prop_ro("arena_bytes", &Program::arenaBytes,
                   "Memory of each thread that calls it, besides its tensors.")
      .def_prop_ro(
          "mode", modeOf,
          "'tuned' where measurements chose implementations, 'pinned'\n"
          "where the user did, else 'default'; 'unknown' where the file\n"
          "does not say.")
      .def_prop_ro(
          "evidence", &Program::evidence,
          "Why it is compiled as it is, as JSON that may change; '' for\n"
          "none.")
      .def("__repr__", describe);
}

} // namespace minic::python

NB_MODULE(_runtime, module) {
  using namespace minic::python;
  claimInterpreter();
  module.doc() = "minic's runtime over its C interface.";
  // Contexts that threads keep may outlive the interpreter.
  nb::set_leak_warnings(false);
  translateFailures();
  bindTensorSpec(module);
  bindProgram(module);
  module.attr("__version__") = minic_version();
  module.def(
      "load", load, nb::arg("artifact"), nb::kw_only(),
      nb::arg("function") = "main", nb::arg("threads") = 0,
      nb::arg("device") = 0, nb::arg("strict_libraries") = false,
      nb::arg("staging") = false, nb::arg("graph") = "as-measured",
      nb::arg("expected_digest") = nb::none(),
      nb::sig("def load(artifact: str | os.PathLike[str] | bytes, *, "
              "function: str = 'main', threads: int = 0, device: int = 0, "
              "strict_libraries: bool = False, staging: bool = False, "
              "graph: str = 'as-measured', "
              "expected_digest: str | None = None) -> Program"),
      "Loads a .minic file, or the bytes of one.\n\n"
      "threads: the plan for so many; 0 for the file's first.\n"
      "device: which GPU, if it is a program for one.\n"
      "strict_libraries: another library version is an error.\n"
      "staging: on a GPU host tensors are taken, too, and copied.\n"
      "graph: 'on', 'off' or 'as-measured': CUDA graph replay.\n"
      "expected_digest: any file but that of this SHA-256 is refused unread;\n"
      "'sha256:' and 64 digits, as `minic inspect --digest` prints.");
  module.def(
      "synchronize",
      [] {
        nb::gil_scoped_release released;
        ThreadContexts::synchronizeAll();
      },
      "Waits for all runs of this thread, of all programs.");
}
