// SPDX-License-Identifier: Apache-2.0
//
// Paired, interleaved rounds with elimination.

#include "compiler/tune/search/Rounds.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <set>

namespace minic::tune {

namespace {

/// Slower beyond doubt, although it is asked after every round: 1.5 times the
/// 95 % interval, about 99.7 %, must lie above 1.
bool isSlower(const runtime::Estimate &ratio) {
  return ratio.low > 0 &&
         ratio.value * std::pow(ratio.low / ratio.value, 1.5) > 1;
}

/// One of both is slower beyond doubt, or they are as good as equal.
bool isSettled(const runtime::Estimate &ratio, double indifference) {
  return isSlower(ratio) ||
         isSlower({1 / ratio.value, 1 / ratio.high, 1 / ratio.low}) ||
         ratio.halfWidth() <= indifference;
}

/// A kept round: per candidate its time, 0 where it did not take part, and
/// whether that was disturbed.
struct Round {
  explicit Round(size_t count) : us(count, 0.0), disturbed(count, false) {}
  std::vector<double> us;
  std::vector<bool> disturbed;
};

/// Positive and finite, one for each that was asked for.
absl::Status checkTimes(absl::Span<const int> order, const RoundTimes &times) {
  if (times.us.size() != order.size() ||
      (!times.disturbed.empty() && times.disturbed.size() != order.size())) {
    return absl::InternalError("a round returned another number of times");
  }
  for (double time : times.us) {
    if (!(time > 0) || !std::isfinite(time)) {
      return absl::InternalError("a round returned a time that is not "
                                 "positive");
    }
  }
  return absl::OkStatus();
}

class Contest {
public:
  Contest(int count, const RoundsOptions &options)
      : options(options), random(options.seed), unsettled(options.pairs) {
    result.contestants.resize(count);
    for (int i = 0; i < count; ++i) {
      active.push_back(i);
    }
  }

  std::vector<int> drawOrder() {
    // Not std::shuffle: its result differs between standard libraries.
    std::vector<int> order = active;
    for (size_t i = order.size(); i > 1; --i) {
      std::swap(order[i - 1], order[random() % i]);
    }
    if (order.size() > 1) {
      order.push_back(order.front());
    }
    return order;
  }

  absl::Status add(absl::Span<const int> order, const RoundTimes &times) {
    if (absl::Status status = checkTimes(order, times); !status.ok()) {
      return status;
    }
    auto isDisturbed = [&](size_t i) {
      return !times.disturbed.empty() && times.disturbed[i];
    };
    Round round(result.contestants.size());
    for (size_t i = 0; i < order.size(); ++i) {
      round.us[order[i]] = times.us[i];
      round.disturbed[order[i]] = isDisturbed(i);
    }
    if (order.size() > 1) {
      // The one that was timed twice tells how the clock moved, but only where
      // nothing else made the difference.
      bool first = isDisturbed(0), last = isDisturbed(order.size() - 1);
      double front = times.us.front(), back = times.us.back();
      double change = std::abs(std::log(back / front));
      if (!first && !last && change > options.clockTolerance) {
        ++result.dropped;
        droppedRounds.push_back({change, std::move(round)});
        return absl::OkStatus();
      }
      round.us[order.front()] = first == last ? (front + back) / 2
                                : first       ? back
                                              : front;
      round.disturbed[order.front()] = first && last;
    }
    rounds.push_back(std::move(round));
    result.rounds = static_cast<int>(rounds.size());
    return absl::OkStatus();
  }

  /// On a machine whose clock never rests, the calmest half of what was
  /// dropped is better than nothing.
  void reconsiderDropped() {
    if (result.rounds >= options.minRounds || droppedRounds.empty()) {
      return;
    }
    std::sort(droppedRounds.begin(), droppedRounds.end(),
              [](const auto &a, const auto &b) { return a.first < b.first; });
    size_t keep = (droppedRounds.size() + 1) / 2;
    for (size_t i = 0; i < keep; ++i) {
      rounds.push_back(std::move(droppedRounds[i].second));
    }
    droppedRounds.clear();
    result.rounds = static_cast<int>(rounds.size());
    result.dropped -= static_cast<int>(keep);
  }

  /// Times of `a` and `b` in the rounds that both took part in; undisturbed
  /// where that leaves enough of them for an interval.
  struct Pairs {
    std::vector<double> a, b;
    bool areDisturbed = false; // at least one of them
  };
  Pairs pairsOf(int a, int b) const {
    Pairs all, calm;
    for (const Round &round : rounds) {
      if (round.us[a] <= 0 || round.us[b] <= 0) {
        continue;
      }
      all.a.push_back(round.us[a]);
      all.b.push_back(round.us[b]);
      if (!round.disturbed[a] && !round.disturbed[b]) {
        calm.a.push_back(round.us[a]);
        calm.b.push_back(round.us[b]);
      }
    }
    all.areDisturbed = calm.a.size() < all.a.size();
    return calm.a.size() >= runtime::leastSamples ? calm : all;
  }

  runtime::Estimate ratio(int a, int b) const {
    Pairs pairs = pairsOf(a, b);
    return runtime::estimateRatio(pairs.a, pairs.b);
  }

  /// The ratio with its interval or, of too few rounds, its extremes.
  runtime::Estimate boundedRatio(int a, int b) const {
    Pairs pairs = pairsOf(a, b);
    runtime::Estimate estimate = runtime::estimateRatio(pairs.a, pairs.b);
    if (pairs.a.size() >= runtime::leastSamples || pairs.a.empty()) {
      return estimate;
    }
    estimate.low = estimate.high = pairs.a[0] / pairs.b[0];
    for (size_t i = 1; i < pairs.a.size(); ++i) {
      estimate.low = std::min(estimate.low, pairs.a[i] / pairs.b[i]);
      estimate.high = std::max(estimate.high, pairs.a[i] / pairs.b[i]);
    }
    return estimate;
  }

  double shortest(int candidate) const {
    std::vector<double> times = samples(candidate);
    return *std::min_element(times.begin(), times.end());
  }

  /// By the ratio and by the shortest times of both, so that a few disturbed
  /// samples throw nobody out.
  bool isHopeless(int candidate, int leader,
                  const runtime::Estimate &ratio) const {
    return ratio.value > options.hopeless &&
           shortest(candidate) > std::sqrt(options.hopeless) * shortest(leader);
  }

  bool isUndecided(int leader) const {
    double margin = 1 + options.undecidedMargin;
    for (auto [first, second] : options.pairs) {
      runtime::Estimate pair = boundedRatio(first, second);
      if (pair.low * margin < 1 && pair.high > margin) {
        return true;
      }
    }
    for (int i = 0; options.pairs.empty() &&
                    i < static_cast<int>(result.contestants.size());
         ++i) {
      if (i != leader && boundedRatio(i, leader).low * margin < 1) {
        return true;
      }
    }
    return false;
  }

  int findLeader() const {
    // The active take part in every round, so that medians are comparable;
    // whoever beats the best median in pairs is the better one still.
    int leader = active.front();
    double best = std::numeric_limits<double>::infinity();
    for (int i : active) {
      double time = runtime::median(samples(i));
      if (time < best) {
        best = time;
        leader = i;
      }
    }
    for (int i : active) {
      if (i != leader && ratio(i, leader).value < 1) {
        leader = i;
      }
    }
    return leader;
  }

  std::vector<double> samples(int candidate) const {
    return pairsOf(candidate, candidate).a;
  }

  bool isTimeUp(double seconds) const {
    return seconds >= (result.rounds < runtime::leastSamples
                           ? std::max(options.maxSeconds, options.mostSeconds)
                           : options.maxSeconds);
  }

  /// Drops who has no partner left to be compared with; true where nobody is.
  bool settlePairs() {
    if (result.rounds < nextLook) {
      return false;
    }
    // An interval costs the square of the rounds.
    nextLook = result.rounds + 1 + result.rounds / 16;
    std::set<int> needed;
    std::erase_if(unsettled, [&](const std::pair<int, int> &pair) {
      if (isSettled(ratio(pair.first, pair.second), options.indifference)) {
        return true;
      }
      needed.insert({pair.first, pair.second});
      return false;
    });
    active.assign(needed.begin(), needed.end());
    result.ended = unsettled.empty() ? "settled" : "";
    return unsettled.empty();
  }

  /// Drops who is slower beyond doubt; true where nothing is left to decide.
  bool decide() {
    if (!options.pairs.empty()) {
      return settlePairs();
    }
    int kept = result.rounds;
    if (kept < std::max(2, options.minRounds / 2)) {
      return false;
    }
    int leader = findLeader();
    bool enough = kept >= options.minRounds;
    bool allTied = true;
    std::vector<int> remaining;
    for (int i : active) {
      if (i == leader) {
        remaining.push_back(i);
        continue;
      }
      runtime::Estimate estimate = ratio(i, leader);
      bool slower = enough && isSlower(estimate);
      if (slower || isHopeless(i, leader, estimate)) {
        result.contestants[i].eliminated = true;
        continue;
      }
      remaining.push_back(i);
      allTied &= estimate.halfWidth() <= options.indifference;
    }
    active = std::move(remaining);
    if (!enough) {
      return false;
    }
    if (active.size() == 1) {
      // A contestant alone from the start still needs its own interval.
      result.ended = "separated";
      return true;
    }
    result.ended = allTied ? "tied" : "";
    return allTied;
  }

  RoundsResult finish() {
    for (auto [first, second] : options.pairs) {
      result.pairRatios.push_back(ratio(first, second));
      result.pairIsDisturbed.push_back(pairsOf(first, second).areDisturbed);
    }
    int leader = active.empty() ? 0 : findLeader();
    int count = static_cast<int>(result.contestants.size());
    for (int i = 0; i < count; ++i) {
      if (ratio(i, leader).value < 1) {
        leader = i;
      }
    }
    result.leader = leader;
    result.isUndecided = isUndecided(leader);
    for (int i = 0; i < count; ++i) {
      Contestant &contestant = result.contestants[i];
      contestant.samplesUs = samples(i);
      contestant.timeUs = runtime::estimateMedian(contestant.samplesUs);
      contestant.ratio =
          i == leader ? runtime::Estimate{1, 1, 1} : ratio(i, leader);
    }
    return std::move(result);
  }

  RoundsResult result;

private:
  const RoundsOptions &options;
  std::mt19937_64 random;
  std::vector<int> active;
  std::vector<std::pair<int, int>> unsettled;
  int nextLook = options.minRounds;
  std::vector<Round> rounds;
  std::vector<std::pair<double, Round>> droppedRounds;
};

} // namespace

int64_t iterationsFor(double us, double targetUs, int64_t most) {
  return std::clamp<int64_t>(std::llround(targetUs / us), 1, most);
}

absl::StatusOr<RoundsResult> runRounds(int count, const TimeRound &timeRound,
                                       const Clock &clock,
                                       const RoundsOptions &options) {
  Contest contest(count, options);
  double start = clock.now();
  int attempts = 0;
  while (true) {
    if (attempts > 0 && contest.decide()) {
      break;
    }
    if (options.stop && options.stop()) {
      contest.result.ended = "stopped";
      break;
    }
    if (attempts >= options.maxRounds) {
      contest.result.ended = "rounds";
      break;
    }
    if (attempts > 0 && contest.isTimeUp(clock.now() - start)) {
      contest.result.ended = "time";
      break;
    }
    std::vector<int> order = contest.drawOrder();
    absl::StatusOr<RoundTimes> times = timeRound(order);
    if (!times.ok()) {
      return times.status();
    }
    if (absl::Status status = contest.add(order, *times); !status.ok()) {
      return status;
    }
    ++attempts;
  }
  contest.reconsiderDropped();
  if (contest.result.rounds == 0) {
    return absl::DeadlineExceededError("there was no time for a single round");
  }
  return contest.finish();
}

} // namespace minic::tune
