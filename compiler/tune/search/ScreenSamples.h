// SPDX-License-Identifier: Apache-2.0
//
// ScreenSamples: what the screen saw of one candidate, and of the anchor beside
// it. Plain data and one rule.

#ifndef MINIC_COMPILER_TUNE_SEARCH_SCREENSAMPLES_H
#define MINIC_COMPILER_TUNE_SEARCH_SCREENSAMPLES_H

#include <vector>

namespace minic::tune {

/// Samples of one thing, in microseconds a run.
struct SampleSet {
  std::vector<double> calm, disturbed;

  void add(double us, bool isDisturbed) {
    (isDisturbed ? disturbed : calm).push_back(us);
  }
  void add(const SampleSet &more);
  /// The lower quartile of the calm samples or, without one, the shortest
  /// disturbed sample: a disturbance makes samples longer, hardly ever shorter.
  /// No single sample decides if there are several. 0 if there is none.
  double low() const;
};

/// Sittings of one candidate; each has samples of its own and of the anchor in
/// alternation, so that the clock's drift between sittings cancels.
class ScreenSamples {
public:
  struct Sitting {
    SampleSet own, anchor;
  };
  void add(Sitting sitting) { sittings.push_back(std::move(sitting)); }
  /// No sitting has a calm sample of the candidate.
  bool isDisturbed() const;
  /// The time of a run on the scale of `anchorUs`, the anchor's own.
  double screenUs(double anchorUs) const;

private:
  std::vector<Sitting> sittings;
};

} // namespace minic::tune

#endif // MINIC_COMPILER_TUNE_SEARCH_SCREENSAMPLES_H
