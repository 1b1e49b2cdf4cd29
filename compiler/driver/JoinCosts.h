// SPDX-License-Identifier: Apache-2.0
//
// JoinCosts: what teams of threads cost, remembered per machine, so that one
// machine makes the same plan of a model every time.

#ifndef MINIC_COMPILER_DRIVER_JOINCOSTS_H
#define MINIC_COMPILER_DRIVER_JOINCOSTS_H

#include <optional>
#include <string>

namespace minic {

/// A small JSON file, from the tuning key of a CPU to microseconds. A missing
/// or damaged file counts as empty, and one that cannot be written is left
/// alone: then the cost is measured again, nothing more.
class JoinCosts {
public:
  explicit JoinCosts(std::string path) : path(std::move(path)) {}

  /// join-costs.json beside the default tuning database.
  static std::string defaultPath();
  /// The next power of two, from 0.25 to 64: no estimate is better than that,
  /// and a file that was lost comes back the same.
  static double rounded(double us);

  std::optional<double> find(const std::string &machine) const;
  /// Replaces the file at once; of several processes one wins.
  void keep(const std::string &machine, double us) const;

private:
  const std::string path;
};

} // namespace minic

#endif // MINIC_COMPILER_DRIVER_JOINCOSTS_H
