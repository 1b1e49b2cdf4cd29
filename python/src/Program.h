// SPDX-License-Identifier: Apache-2.0
//
// Program: a loaded artifact that Python calls like a function.

#ifndef MINIC_PYTHON_PROGRAM_H
#define MINIC_PYTHON_PROGRAM_H

#include "TensorArgument.h"
#include "TensorSpec.h"
#include "ThreadContexts.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace minic::python {

/// What load() was asked for.
struct LoadOptions {
  std::string function = "main";
  int threads = 0;
  int device = 0;
  bool strictLibraries = false;
  bool staging = false;
  std::optional<std::string> expectedDigest = std::nullopt;
  minic_graph_mode graph = MINIC_GRAPH_AS_MEASURED;
};

/// A bucket and what runs did with it.
struct BucketUse {
  std::string function;
  minic_bucket_counters counters;
};

class Program {
public:
  static Program load(const std::string &path, const LoadOptions &options);
  static Program loadBytes(nb::bytes artifact, const LoadOptions &options);
  /// Another function of the same file, with the same other options.
  Program loadFunction(const std::string &name) const;

  /// The call: see Module.cpp for what Python is told.
  nb::object call(nb::args positional, nb::object out, nb::object stream,
                  nb::kwargs named) const;
  void synchronize() const;

  const std::string &function() const { return options.function; }
  const std::vector<TensorSpec> &inputs() const { return all.inputs; }
  const std::vector<TensorSpec> &outputs() const { return all.outputs; }
  /// The sizes of each dimension that varies, ascending.
  std::map<std::string, std::vector<int64_t>> dims() const;
  /// What runs of the calling thread did with each bucket, in their order.
  std::vector<BucketUse> bucketCounters() const;
  int threads() const;
  uint64_t arenaBytes() const;
  /// "cpu", "cuda:0".
  std::string device() const;
  /// JSON; "" for none.
  std::string evidence() const;

private:
  Program(minic_program *program, const LoadOptions &options);

  std::vector<nb::handle> bind(const nb::args &positional,
                               const nb::kwargs &named) const;
  size_t inputNamed(const std::string &name) const;
  /// What a run with these inputs takes and returns. Throws where there is no
  /// such bucket. That of a padded run is made in `padded`; `bucket` is then
  /// that of the bucket it takes, else null.
  const Signature &signatureFor(const std::vector<DLTensor> &inputs,
                                Signature &padded,
                                const Signature *&bucket) const;

  LoadOptions options;
  std::shared_ptr<minic_program> program;
  Signature all;                  // of all buckets together
  std::vector<Signature> buckets; // empty where sizes are fixed
  DLDevice device_;
  // Destroyed before the program.
  std::shared_ptr<ThreadContexts> contexts;
};

} // namespace minic::python

#endif // MINIC_PYTHON_PROGRAM_H
