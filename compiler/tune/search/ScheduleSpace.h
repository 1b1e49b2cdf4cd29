// SPDX-License-Identifier: Apache-2.0
//
// ScheduleSpace: the legal candidates of a problem as points, and which of them
// are neighbours.
//
// A neighbour of a schedule differs from it in one field, by the next smaller
// or the next larger value that the field has in the space (any other value if
// the values are words). Where no legal schedule differs in that alone, such as
// a tile that needs other warps, the neighbour is the one in which the fewest
// other fields change, and of several such schedules the one with the best
// estimate. Of a body of several parts one part changes.

#ifndef MINIC_COMPILER_TUNE_SEARCH_SCHEDULESPACE_H
#define MINIC_COMPILER_TUNE_SEARCH_SCHEDULESPACE_H

#include "compiler/tune/database/Record.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace minic::tune {

/// A field's value: an integer, or a word such as "on".
struct ScheduleValue {
  std::optional<int64_t> number;
  std::string word;
  auto operator<=>(const ScheduleValue &) const = default;
};

/// By name. A field that a schedule leaves out has a value too: it is smaller
/// than all others.
using ScheduleFields = std::map<std::string, ScheduleValue>;

struct SchedulePoint {
  CandidateSpec candidate;
  /// What no step changes: the parts with their ops and families, and calls of
  /// libraries. Only points of one frame are neighbours.
  std::string frame;
  /// Of each part; empty for one whose schedule does not change.
  std::vector<ScheduleFields> parts;
};

class ScheduleSpace {
public:
  /// `points`: best estimate first. Those of one frame have equally many parts.
  explicit ScheduleSpace(std::vector<SchedulePoint> points);

  size_t size() const { return points.size(); }
  const CandidateSpec &candidate(size_t point) const {
    return points[point].candidate;
  }
  /// The point whose candidate has this `choice`, if there is one.
  std::optional<size_t> find(const std::string &choice) const;
  /// Whether another point may be its neighbour.
  bool hasSteps(size_t point) const {
    return !frames[frameOf[point]].fields.empty();
  }
  /// Best estimate first, each once. As fast as a walk over the points for each
  /// field.
  std::vector<size_t> neighbours(size_t point) const;

private:
  /// One field of one part; its values in the space have ranks from 0.
  struct Field {
    size_t part = 0;
    int values = 0;
    bool isOrdered = false; // all values are numbers
  };
  struct Frame {
    std::vector<Field> fields;
    std::vector<size_t> members; // points, in their order
  };
  /// How many fields beside `field` differ between two points of a frame;
  /// nothing where another part differs.
  std::optional<int> otherSteps(const Frame &frame, size_t field, size_t a,
                                size_t b) const;
  void addFrame(std::vector<size_t> members);

  std::vector<SchedulePoint> points;
  std::vector<Frame> frames;
  std::vector<size_t> frameOf;         // of each point
  std::vector<std::vector<int>> ranks; // of each point's values, by field
  std::map<std::string, size_t> byChoice;
};

} // namespace minic::tune

#endif // MINIC_COMPILER_TUNE_SEARCH_SCHEDULESPACE_H
