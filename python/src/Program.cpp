// SPDX-License-Identifier: Apache-2.0
//
// A call: Python objects become DLTensors, the run happens without the GIL, and
// results go back as the framework of the first input has them.

#include "Program.h"

#include "AlignedRun.h"
#include "Failure.h"
#include "Results.h"
#include "Stream.h"

#include <nanobind/stl/string.h>

#include <algorithm>

namespace minic::python {

static minic_program_options toC(const LoadOptions &options) {
  minic_program_options c = MINIC_PROGRAM_OPTIONS_INIT;
  c.function = options.function.c_str();
  c.threads = options.threads;
  c.strict_libraries = options.strictLibraries;
  c.device = options.device;
  if (options.expectedDigest) {
    c.expected_digest = options.expectedDigest->c_str();
  }
  return c;
}

static minic_context_options contextOptions(const LoadOptions &options) {
  minic_context_options c = MINIC_CONTEXT_OPTIONS_INIT;
  c.graph = options.graph;
  c.staging = options.staging;
  return c;
}

Program::Program(minic_program *loaded, const LoadOptions &options)
    : options(options), program(loaded, minic_program_destroy),
      all(signatureOf(loaded)), buckets(bucketsOf(loaded)),
      device_(minic_program_device(loaded)),
      contexts(
          std::make_shared<ThreadContexts>(loaded, contextOptions(options))) {}

Program Program::load(const std::string &path, const LoadOptions &options) {
  minic_program_options c = toC(options);
  minic_program *loaded = nullptr;
  nb::gil_scoped_release released;
  check(minic_program_load(path.c_str(), &c, &loaded));
  return Program(loaded, options);
}

Program Program::loadBytes(nb::bytes artifact, const LoadOptions &options) {
  minic_program_options c = toC(options);
  minic_program *loaded = nullptr;
  const void *data = artifact.data();
  size_t bytes = artifact.size();
  nb::gil_scoped_release released;
  check(minic_program_load_bytes(data, bytes, &c, &loaded));
  return Program(loaded, options);
}

Program Program::loadFunction(const std::string &name) const {
  LoadOptions others = options;
  others.function = name;
  minic_program_options c = toC(others);
  minic_program *loaded = nullptr;
  nb::gil_scoped_release released;
  check(minic_program_load_function(program.get(), &c, &loaded));
  return Program(loaded, others);
}

int Program::threads() const { return minic_program_threads(program.get()); }

uint64_t Program::arenaBytes() const {
  return minic_program_arena_bytes(program.get());
}

std::string Program::device() const {
  return device_.device_type == kDLCPU
             ? "cpu"
             : "cuda:" + std::to_string(device_.device_id);
}

std::string Program::evidence() const {
  return minic_program_evidence(program.get());
}

std::map<std::string, std::vector<int64_t>> Program::dims() const {
  return dimsOf(program.get());
}

/// Whether a size that varies is below that of the bucket.
static bool isBelow(const DLTensor &given, const TensorSpec &bucket,
                    const TensorSpec &all) {
  for (size_t axis = 0; axis < bucket.shape.size(); ++axis) {
    if (given.ndim == int32_t(bucket.shape.size()) && all.shape[axis] < 0 &&
        given.shape[axis] < bucket.shape[axis]) {
      return true;
    }
  }
  return false;
}

/// `spec` with sizes of a run, which are no larger.
static void shrink(TensorSpec &spec, const std::vector<int64_t> &shape) {
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    if (shape[axis] != spec.shape[axis]) {
      spec.bytes = spec.bytes / uint64_t(spec.shape[axis]) * shape[axis];
    }
  }
  spec.shape = shape;
}

std::vector<BucketUse> Program::bucketCounters() const {
  std::vector<BucketUse> uses;
  for (size_t i = 0; i < buckets.size(); ++i) {
    minic_bucket_info info;
    check(minic_program_bucket(program.get(), i, &info));
    uses.push_back({info.function, contexts->bucketCounters(i)});
  }
  return uses;
}

const Signature &Program::signatureFor(const std::vector<DLTensor> &inputs,
                                       Signature &padded,
                                       const Signature *&taken) const {
  taken = nullptr;
  if (buckets.empty()) {
    return all;
  }
  size_t index = 0;
  check(minic_program_find_bucket(program.get(), inputs.data(), inputs.size(),
                                  &index));
  const Signature &bucket = buckets[index];
  bool isPadded = false;
  for (size_t i = 0; i < inputs.size(); ++i) {
    isPadded |= isBelow(inputs[i], bucket.inputs[i], all.inputs[i]);
  }
  if (!isPadded) {
    return bucket;
  }
  // Inputs are as they were given; what is wrong with one the runtime says.
  taken = &bucket;
  padded = bucket;
  for (size_t i = 0; i < inputs.size(); ++i) {
    TensorSpec &spec = padded.inputs[i];
    if (isBelow(inputs[i], spec, all.inputs[i])) {
      std::vector<int64_t> shape = spec.shape;
      for (size_t axis = 0; axis < shape.size(); ++axis) {
        shape[axis] = all.inputs[i].shape[axis] < 0
                          ? std::min(shape[axis], inputs[i].shape[axis])
                          : shape[axis];
      }
      shrink(spec, shape);
    }
  }
  for (size_t i = 0; i < padded.outputs.size(); ++i) {
    std::vector<int64_t> shape = padded.outputs[i].shape;
    check(minic_program_output_shape(program.get(), inputs.data(),
                                     inputs.size(), i, shape.data()));
    shrink(padded.outputs[i], shape);
  }
  return padded;
}

void Program::synchronize() const {
  nb::gil_scoped_release released;
  contexts->synchronize();
}

static std::string names(const std::vector<TensorSpec> &specs) {
  std::string text;
  for (const TensorSpec &spec : specs) {
    text += (text.empty() ? "" : ", ") + spec.name;
  }
  return text.empty() ? "none" : text;
}

size_t Program::inputNamed(const std::string &name) const {
  for (size_t i = 0; i < inputs().size(); ++i) {
    if (inputs()[i].name == name) {
      return i;
    }
  }
  refuse("expected inputs " + names(inputs()) + ", got one named '" + name +
         "'");
}

std::vector<nb::handle> Program::bind(const nb::args &positional,
                                      const nb::kwargs &named) const {
  size_t count = positional.size() + named.size();
  if (count != inputs().size()) {
    refuse("expected " + std::to_string(inputs().size()) + " inputs (" +
           names(inputs()) + "), got " + std::to_string(count));
  }
  std::vector<nb::handle> given(count);
  for (size_t i = 0; i < positional.size(); ++i) {
    given[i] = positional[i];
  }
  for (auto [name, object] : named) {
    size_t index = inputNamed(nb::cast<std::string>(name));
    if (given[index].is_valid()) {
      refuse("input '" + inputs()[index].name + "': given twice");
    }
    given[index] = object;
  }
  return given;
}

/// `out` as a list of objects; empty for None.
static std::vector<nb::handle> listOf(const nb::object &out,
                                      const std::vector<TensorSpec> &outputs) {
  std::vector<nb::handle> objects;
  if (out.is_none()) {
    return objects;
  }
  if (nb::isinstance<nb::tuple>(out) || nb::isinstance<nb::list>(out)) {
    for (size_t i = 0; i < nb::len(out); ++i) {
      objects.push_back(nb::object(out[i])); // `out` keeps it alive
    }
  } else {
    objects.push_back(out);
  }
  if (objects.size() != outputs.size()) {
    refuse("out: expected " + std::to_string(outputs.size()) + " tensors (" +
           names(outputs) + "), got " + std::to_string(objects.size()));
  }
  return objects;
}

static void refuseReadOnly(const TensorArgument &argument, const char *role,
                           const TensorSpec &spec) {
  if (argument.isReadOnly) {
    refuse(std::string(role) + " '" + spec.name +
           "': expected memory that may be written, got a read-only array");
  }
}

/// The inputs may not lie where an output is written.
static void refuseOverlap(const DLTensor &output, const TensorSpec &spec,
                          const std::vector<DLTensor> &inputs,
                          const std::vector<TensorSpec> &specs) {
  auto begin = [](const DLTensor &tensor) {
    return static_cast<char *>(tensor.data) + tensor.byte_offset;
  };
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (int64_t(i) != spec.inPlaceInput &&
        begin(output) < begin(inputs[i]) + specs[i].bytes &&
        begin(inputs[i]) < begin(output) + spec.bytes) {
      refuse("output '" + spec.name +
             "': expected memory of its own, got that "
             "of input '" +
             specs[i].name + "'");
    }
  }
}

/// The rows of a run in a result that has the bucket's.
struct RowsOfRun {
  size_t axis = 0;
  int64_t rows = 0; // 0: the result is the run's own

  /// Where they are first in memory, and so many that nobody minds the others
  /// being kept.
  static RowsOfRun find(const TensorSpec &run, const TensorSpec &bucket) {
    size_t axis = 0;
    while (axis < run.shape.size() && run.shape[axis] == bucket.shape[axis] &&
           run.shape[axis] == 1) {
      ++axis;
    }
    bool isPrefix =
        axis < run.shape.size() && run.shape[axis] < bucket.shape[axis] &&
        2 * run.shape[axis] >= bucket.shape[axis] &&
        std::equal(run.shape.begin() + ptrdiff_t(axis) + 1, run.shape.end(),
                   bucket.shape.begin() + ptrdiff_t(axis) + 1);
    return isPrefix ? RowsOfRun{axis, run.shape[axis]} : RowsOfRun();
  }

  nb::object viewOf(nb::object whole) const {
    if (rows == 0) {
      return whole;
    }
    nb::list index;
    for (size_t i = 0; i < axis; ++i) {
      index.append(nb::slice(nb::none(), nb::none(), nb::none()));
    }
    index.append(nb::slice(nb::int_(0), nb::int_(rows), nb::none()));
    return nb::object(whole[nb::tuple(index)]);
  }
};

nb::object Program::call(nb::args positional, nb::object out,
                         nb::object streamGiven, nb::kwargs named) const {
  std::vector<nb::handle> given = bind(positional, named);
  nb::handle first = given.empty() ? nb::handle() : given[0];
  void *stream = streamOf(streamGiven, first, device_);

  std::vector<TensorArgument> arguments(given.size());
  std::vector<DLTensor> inputs(given.size());
  for (size_t i = 0; i < given.size(); ++i) {
    arguments[i].borrow(given[i], "input", all.inputs[i].name, stream);
    inputs[i] = arguments[i].tensor;
  }
  Signature padded;
  const Signature *bucket = nullptr;
  const Signature &signature = signatureFor(inputs, padded, bucket);
  const std::vector<TensorSpec> &outputSpecs = signature.outputs;

  std::vector<nb::handle> outs = listOf(out, outputSpecs);
  std::vector<TensorArgument> outArguments(outs.size());
  std::vector<DLTensor> outputs(outputSpecs.size());
  Framework framework =
      given.empty() ? Framework::numpy : arguments[0].framework;
  // Staged host tensors get host results.
  bool onHost = options.staging && !given.empty() &&
                inputs[0].device.device_type == kDLCPU;
  Results results(program, framework,
                  framework == Framework::exchange ? exchangeApiOf(first)
                                                   : nullptr,
                  onHost ? DLDevice{kDLCPU, 0} : device_);
  std::vector<size_t> resultOf(outputSpecs.size());
  std::vector<RowsOfRun> rowsOf(outputSpecs.size());
  bool canView =
      framework == Framework::numpy || (!given.empty() && isTorch(first));
  size_t added = 0;
  for (size_t i = 0; i < outputSpecs.size(); ++i) {
    const TensorSpec &spec = outputSpecs[i];
    if (!outs.empty()) {
      outArguments[i].borrow(outs[i], "output", spec.name, stream);
      refuseReadOnly(outArguments[i], "output", spec);
      outputs[i] = outArguments[i].tensor;
      // One of all the bucket's sizes is written where it is.
      if (bucket && bucket->outputs[i].describes(outputs[i])) {
        padded.outputs[i] = bucket->outputs[i];
      }
      refuseOverlap(outputs[i], spec, inputs, signature.inputs);
    } else if (spec.inPlaceInput >= 0) {
      size_t input = size_t(spec.inPlaceInput);
      refuseReadOnly(arguments[input], "input", signature.inputs[input]);
      outputs[i] = inputs[input];
    } else {
      // One of the bucket's sizes is written where it is; its rows are a view.
      if (bucket && canView) {
        rowsOf[i] = RowsOfRun::find(spec, bucket->outputs[i]);
      }
      if (rowsOf[i].rows != 0) {
        padded.outputs[i] = bucket->outputs[i];
      }
      resultOf[i] = added++;
      outputs[i] = results.add(spec);
    }
  }

  std::shared_ptr<ThreadContext> context;
  {
    nb::gil_scoped_release released;
    context = contexts->here(stream);
    AlignedRun(*context, device_, signature, all).run(inputs, outputs);
  }
  if (!outs.empty()) {
    return out;
  }
  auto result = [&](size_t i) {
    int64_t input = outputSpecs[i].inPlaceInput;
    return input >= 0 ? nb::object(nb::borrow(given[size_t(input)]))
                      : rowsOf[i].viewOf(results.take(resultOf[i]));
  };
  if (outputSpecs.size() == 1) {
    return result(0);
  }
  nb::list everyResult;
  for (size_t i = 0; i < outputSpecs.size(); ++i) {
    everyResult.append(result(i));
  }
  return nb::tuple(everyResult);
}

} // namespace minic::python
