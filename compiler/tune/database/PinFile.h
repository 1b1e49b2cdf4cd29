// SPDX-License-Identifier: Apache-2.0
//
// PinFile: which candidate a problem is to take, as a file that people keep
// beside a model. `minic explain --pins` and `minic-tune pins` write it,
// `minic --pin=FILE` reads it.

#ifndef MINIC_COMPILER_TUNE_DATABASE_PINFILE_H
#define MINIC_COMPILER_TUNE_DATABASE_PINFILE_H

#include "absl/status/statusor.h"
#include "absl/types/span.h"

#include <string>
#include <vector>

namespace minic::tune {

struct Pin {
  /// The key of the problem. Empty: every problem with this description.
  std::string problem;
  std::string description;
  std::string candidate; // CandidateSpec::name

  /// For messages: "pin of linear_relu(3x17, 5x17) f32 (problem 0123abcd)".
  std::string text() const;
};

/// Reads a file of pins. Errors are one line with the path: NotFound where it
/// cannot be read, InvalidArgument where it is no such file, a pin is not
/// complete, or two are of one problem.
absl::StatusOr<std::vector<Pin>> readPins(const std::string &path);

/// The text of such a file.
std::string formatPins(absl::Span<const Pin> pins);

} // namespace minic::tune

#endif // MINIC_COMPILER_TUNE_DATABASE_PINFILE_H
