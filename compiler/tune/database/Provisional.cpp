// SPDX-License-Identifier: Apache-2.0
//
// Compares noise.

#include "compiler/tune/database/Provisional.h"

#include "absl/strings/str_cat.h"

namespace minic::tune {

bool isQuieter(const Noise &now, const Noise &then) {
  if (!now.isKnown() || !then.isKnown() || now.others > then.others ||
      now.spread > then.spread) {
    return false;
  }
  // Beside two busy loops on two cores a probe's short loops varied by 0 to 10
  // % (an EPYC): few of them are preempted. So while there are others their
  // number decides.
  return then.others >= 0.5 ? now.others <= then.others / 2
                            : now.spread <= then.spread / 2;
}

bool isSearchedAgain(int64_t searches, const Noise &then,
                     const std::function<Noise()> &probe) {
  return searches < maxProvisionalSearches && then.isKnown() && probe &&
         isQuieter(probe(), then);
}

bool isLessNoisy(const Noise &noise, const Noise &than) {
  return !than.isKnown() || noise.spread < than.spread;
}

bool isBetter(const Record &record, const Record &existing) {
  if (record.state != existing.state) {
    return record.state > existing.state;
  }
  // A narrower search would not answer who asked for the wider one, and the
  // same would be searched again and again.
  if (triesAll(record) != triesAll(existing)) {
    return triesAll(record);
  }
  if (record.descended != existing.descended) {
    return record.descended;
  }
  return record.state == RecordState::Provisional &&
         isLessNoisy(record.noise, existing.noise);
}

std::string describeProvisional(const Noise &noise) {
  std::string why = describe(noise);
  return absl::StrCat("provisional: undecided when time ended",
                      why.empty() ? "" : " (", why, why.empty() ? "" : ")");
}

} // namespace minic::tune
