// SPDX-License-Identifier: Apache-2.0
//
// Values become ranks once; then neighbours are found by comparing integers.

#include "compiler/tune/search/ScheduleSpace.h"

#include <algorithm>
#include <limits>
#include <set>

namespace minic::tune {

ScheduleSpace::ScheduleSpace(std::vector<SchedulePoint> all)
    : points(std::move(all)), frameOf(points.size()), ranks(points.size()) {
  std::map<std::string, std::vector<size_t>> byFrame;
  for (size_t i = 0; i < points.size(); ++i) {
    byChoice.emplace(points[i].candidate.choice, i);
    byFrame[points[i].frame].push_back(i);
  }
  for (auto &[text, members] : byFrame) {
    addFrame(std::move(members));
  }
}

void ScheduleSpace::addFrame(std::vector<size_t> members) {
  Frame &frame = frames.emplace_back();
  size_t parts = points[members.front()].parts.size();
  for (size_t part = 0; part < parts; ++part) {
    std::set<std::string> names;
    for (size_t i : members) {
      for (const auto &[name, value] : points[i].parts[part]) {
        names.insert(name);
      }
    }
    for (const std::string &name : names) {
      auto valueOf = [&](size_t i) -> std::optional<ScheduleValue> {
        const ScheduleFields &fields = points[i].parts[part];
        auto found = fields.find(name);
        return found == fields.end() ? std::nullopt
                                     : std::optional(found->second);
      };
      std::map<std::optional<ScheduleValue>, int> values;
      for (size_t i : members) {
        values[valueOf(i)] = 0;
      }
      Field field{part, 0, /*isOrdered=*/true};
      for (auto &[value, rank] : values) {
        rank = field.values++;
        field.isOrdered &= !value || value->number;
      }
      if (field.values == 1) {
        continue; // nothing to step to
      }
      for (size_t i : members) {
        ranks[i].push_back(values[valueOf(i)]);
      }
      frame.fields.push_back(field);
    }
  }
  for (size_t i : members) {
    frameOf[i] = frames.size() - 1;
  }
  frame.members = std::move(members);
}

std::optional<size_t> ScheduleSpace::find(const std::string &choice) const {
  auto found = byChoice.find(choice);
  return found == byChoice.end() ? std::nullopt : std::optional(found->second);
}

std::optional<int> ScheduleSpace::otherSteps(const Frame &frame, size_t field,
                                             size_t a, size_t b) const {
  int steps = 0;
  for (size_t other = 0; other < frame.fields.size(); ++other) {
    if (other == field || ranks[a][other] == ranks[b][other]) {
      continue;
    }
    if (frame.fields[other].part != frame.fields[field].part) {
      return std::nullopt;
    }
    ++steps;
  }
  return steps;
}

std::vector<size_t> ScheduleSpace::neighbours(size_t point) const {
  const Frame &frame = frames[frameOf[point]];
  std::set<size_t> found;
  for (size_t field = 0; field < frame.fields.size(); ++field) {
    // By rank of the value: the point with the fewest other steps.
    int values = frame.fields[field].values, own = ranks[point][field];
    std::vector<int> fewest(values, std::numeric_limits<int>::max());
    std::vector<size_t> nearest(values, point);
    for (size_t other : frame.members) {
      int rank = ranks[other][field];
      bool isStep = frame.fields[field].isOrdered ? std::abs(rank - own) == 1
                                                  : rank != own;
      std::optional<int> steps =
          isStep ? otherSteps(frame, field, point, other) : std::nullopt;
      if (steps && *steps < fewest[rank]) {
        fewest[rank] = *steps;
        nearest[rank] = other;
      }
    }
    found.insert(nearest.begin(), nearest.end());
  }
  found.erase(point);
  return {found.begin(), found.end()};
}

} // namespace minic::tune
