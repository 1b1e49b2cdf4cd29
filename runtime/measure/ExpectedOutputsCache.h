// SPDX-License-Identifier: Apache-2.0
//
// ExpectedOutputsCache: the last file of expected outputs that was read, for
// all candidates of a problem are compared with one.

#ifndef MINIC_RUNTIME_MEASURE_EXPECTEDOUTPUTSCACHE_H
#define MINIC_RUNTIME_MEASURE_EXPECTEDOUTPUTSCACHE_H

#include "runtime/measure/ExpectedOutputs.h"

namespace minic::runtime {

class ExpectedOutputsCache {
public:
  /// What `path` holds now; valid until the next call.
  absl::StatusOr<const std::vector<ExpectedOutput> *>
  read(const std::string &path);

private:
  std::string key; // of the file in `outputs`
  std::vector<ExpectedOutput> outputs;
};

} // namespace minic::runtime

#endif // MINIC_RUNTIME_MEASURE_EXPECTEDOUTPUTSCACHE_H
