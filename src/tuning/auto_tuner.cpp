#include "tuning/auto_tuner.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "base/fail.hpp"
#include "tuning/balance.hpp"
#include "tuning/share_search.hpp"

namespace heddle::tuning {
namespace {

// Ends a dimension of the space when its candidates no longer improve.
class Dimension {
 public:
  Dimension(unsigned patience, double best) : patience_(patience), best_(best) {}
  // With the best time within the candidate. True: drop all later ones ("discard" in Algorithm 1).
  bool discard(double seconds) {
    if (seconds < best_) {
      best_ = seconds;
      failures_ = 0;
      return false;
    }
    return ++failures_ >= patience_;
  }
  double best() const { return best_; }

 private:
  unsigned patience_, failures_ = 0;
  double best_;
};

class Search {
 public:
  Search(const TunerSpace& space, const Measure& measure, const TunerOptions& options)
      : space_(space), measure_(measure), options_(options) {}

  TunerResult run() {
    if (space_.fissions.empty() || space_.overlaps.empty() || space_.groups.empty())
      base::fail(ErrorCode::invalid_argument, "the auto-tuner needs at least one fission, one overlap and one group");
    const std::vector<GroupChoice> groups = filter_groups(space_.groups, options_.occupancy_threshold);
    Dimension fissions = dimension();
    for (const knowledge::Fission fission : space_.fissions) {
      Dimension overlaps = dimension();
      for (const unsigned overlap : space_.overlaps) {
        Dimension sizes = dimension();
        for (const GroupChoice& choice : groups)
          if (sizes.discard(reached(split({.fission = fission, .overlap = overlap, .groups = choice.groups})))) break;
        if (overlaps.discard(reached(sizes.best()))) break;
      }
      if (fissions.discard(reached(overlaps.best()))) break;
    }
    if (!options_.literal) compare_with_one_type_alone();
    return std::move(result_);
  }

  Measured evaluate(const knowledge::Configuration& configuration) {
    Measured best = measure_(configuration);
    for (unsigned i = 1; i < options_.executions; ++i) {
      const Measured again = measure_(configuration);
      if (again.seconds() < best.seconds()) best = again;
    }
    result_.evaluations.push_back({configuration, best});
    note_speeds(configuration.gpu_share, best);
    return best;
  }

  // True if it is the best of all.
  bool keep(const knowledge::Configuration& configuration, const Measured& measured) {
    if (measured.seconds() >= result_.seconds) return false;
    result_.configuration = configuration;
    result_.seconds = measured.seconds();
    result_.deviation = deviation(std::array{measured.gpu_seconds, measured.cpu_seconds});
    return true;
  }

  TunerResult take() { return std::move(result_); }

 private:
  struct Candidate {
    knowledge::Configuration configuration;
    double seconds = knowledge::never_run;
  };

  // A bisection only comes near these, and a type that has no work has no overhead either. What suits a split need not
  // suit one type alone: all fissions of the CPUs and overlaps of the GPUs are tried. Then the best of each of the
  // three is measured again: of many candidates whose times vary, the one with the shortest time may have been lucky.
  void compare_with_one_type_alone() {
    const knowledge::Configuration best = result_.configuration;
    const double longest = options_.prune_factor * result_.seconds;
    std::vector<knowledge::Configuration> finalists = best_splits();
    if (gpus_alone_ < longest) {
      Candidate gpus;
      for (const unsigned overlap : space_.overlaps)
        try_for(gpus, {.gpu_share = 1.0, .fission = best.fission, .overlap = overlap, .groups = best.groups});
      finalists.push_back(gpus.configuration);
    }
    if (cpus_alone_ < longest) {
      Candidate cpus;
      for (const knowledge::Fission fission : space_.fissions)
        try_for(cpus, {.gpu_share = 0.0, .fission = fission, .overlap = best.overlap, .groups = best.groups});
      finalists.push_back(cpus.configuration);
    }
    measure_in_turns(finalists);
    choose();
  }

  // The best of all first. Splits whose shares are nearly the same count once.
  std::vector<knowledge::Configuration> best_splits() const {
    constexpr double same_share = 0.02;
    std::vector<const Evaluation*> sorted;
    for (const Evaluation& evaluation : result_.evaluations) sorted.push_back(&evaluation);
    std::stable_sort(sorted.begin(), sorted.end(), [](const Evaluation* a, const Evaluation* b) {
      return a->measured.seconds() < b->measured.seconds();
    });
    std::vector<knowledge::Configuration> splits{result_.configuration};
    for (const Evaluation* const evaluation : sorted) {
      if (splits.size() >= options_.final_splits) break;
      const double share = evaluation->configuration.gpu_share;
      if (share == 0 || share == 1) continue;
      if (std::none_of(splits.begin(), splits.end(), [share](const knowledge::Configuration& other) {
            return std::abs(other.gpu_share - share) <= same_share;
          }))
        splits.push_back(evaluation->configuration);
    }
    return splits;
  }

  // The type whose part of a split would take many times as long as the best split, by what is known of its speed.
  std::optional<Side> certainly_last(double gpu_share) const {
    const double longest = options_.prune_factor * result_.seconds;
    const auto takes_longer = [&](double alone, double part) {
      return alone < knowledge::never_run && alone * part > longest;
    };
    if (takes_longer(gpus_alone_, gpu_share)) return Side::gpu;
    if (takes_longer(cpus_alone_, 1 - gpu_share)) return Side::cpu;
    return std::nullopt;
  }

  // How long each type would take for all of the work, by the part that it did.
  void note_speeds(double gpu_share, const Measured& measured) {
    if (gpu_share > 0) gpus_alone_ = std::min(gpus_alone_, measured.gpu_seconds / gpu_share);
    if (gpu_share < 1) cpus_alone_ = std::min(cpus_alone_, measured.cpu_seconds / (1 - gpu_share));
  }

  // A finalist finds arrays where the one before left them: its first run in a turn moves them, and does not count.
  void measure_in_turns(const std::vector<knowledge::Configuration>& finalists) {
    std::vector<std::vector<Measured>> runs(finalists.size());
    double seconds = 0;  // of the longest finalist so far
    const auto go_on = [&](unsigned turn) {
      return turn < options_.final_executions ||
             (turn < TunerOptions::most_final_executions && seconds < options_.final_seconds);
    };
    for (unsigned turn = 0; go_on(turn); ++turn) {
      double longest = 0;
      for (std::size_t i = 0; i < finalists.size(); ++i) {
        measure_(finalists[i]);
        runs[i].push_back(measure_(finalists[i]));
        longest = std::max(longest, runs[i].back().seconds());
      }
      seconds += longest;
    }
    for (std::size_t i = 0; i < finalists.size(); ++i) {
      result_.finalists.push_back({finalists[i], upper_quartile(runs[i])});
      result_.evaluations.push_back(result_.finalists.back());
    }
  }

  void choose() {
    result_.seconds = knowledge::never_run;
    double least = knowledge::never_run;
    for (std::size_t i = 0; i < result_.finalists.size(); ++i) {
      const auto& [configuration, measured] = result_.finalists[i];
      const bool split = configuration.gpu_share > 0 && configuration.gpu_share < 1;
      const double counted = measured.seconds() * (split ? 1 + options_.split_gain : 1);
      if (counted >= least) continue;
      least = counted;
      result_.winner = i;
      result_.seconds = knowledge::never_run;
      keep(configuration, measured);
    }
  }

  void try_for(Candidate& best, const knowledge::Configuration& tried) {
    const double took = evaluate(tried).seconds();
    if (took < best.seconds) best = {tried, took};
  }

  static Measured upper_quartile(std::vector<Measured>& runs) {
    const auto place = runs.begin() + static_cast<std::ptrdiff_t>(runs.size() * 3 / 4);
    std::nth_element(runs.begin(), place, runs.end(),
                     [](const Measured& a, const Measured& b) { return a.seconds() < b.seconds(); });
    return *place;
  }

  static Side first(const Measured& measured) {
    return measured.gpu_seconds < measured.cpu_seconds ? Side::gpu : Side::cpu;
  }

  // As printed, a candidate must improve on the stored profile; else on the candidates before it in its dimension.
  Dimension dimension() const {
    return options_.literal ? Dimension(1, result_.seconds) : Dimension(options_.patience, knowledge::never_run);
  }
  double reached(double within) const { return options_.literal ? result_.seconds : within; }

  double split(knowledge::Configuration configuration) {
    return options_.literal ? split_literally(configuration) : split_by_local_best(configuration);
  }

  // Lines 9 to 22 of Algorithm 1. Returns the best time of these candidates.
  double split_literally(knowledge::Configuration& configuration) {
    ShareSearch search;
    double best = knowledge::never_run;
    while (true) {
      configuration.gpu_share = search.gpu_share();
      const Measured measured = evaluate(configuration);
      best = std::min(best, measured.seconds());
      const double before = result_.seconds;
      if (!keep(configuration, measured)) return best;
      if (before - measured.seconds() < options_.precision) return best;
      search.finished_first(first(measured));
    }
  }

  double split_by_local_best(knowledge::Configuration& configuration) {
    const bool begun = result_.seconds < knowledge::never_run;
    ShareSearch search = begun ? ShareSearch(result_.configuration.gpu_share, options_.window) : ShareSearch();
    double best = knowledge::never_run;
    for (unsigned failures = 0; failures < 2 && search.transferable() >= options_.precision;) {
      configuration.gpu_share = search.gpu_share();
      if (const auto side = certainly_last(configuration.gpu_share)) {
        search.finished_first(*side == Side::gpu ? Side::cpu : Side::gpu);
        continue;
      }
      const Measured measured = evaluate(configuration);
      failures = measured.seconds() < best ? 0 : failures + 1;
      best = std::min(best, measured.seconds());
      keep(configuration, measured);
      search.finished_first(first(measured));
    }
    return best;
  }

  const TunerSpace& space_;
  const Measure& measure_;
  const TunerOptions& options_;
  double gpus_alone_ = knowledge::never_run, cpus_alone_ = knowledge::never_run;
  TunerResult result_;
};

}  // namespace

std::vector<GroupChoice> filter_groups(std::vector<GroupChoice> choices, double threshold) {
  std::stable_sort(choices.begin(), choices.end(),
                   [](const GroupChoice& a, const GroupChoice& b) { return a.occupancy > b.occupancy; });
  const auto end = std::find_if(choices.begin(), choices.end(),
                                [&](const GroupChoice& choice) { return choice.occupancy < threshold; });
  if (!choices.empty()) choices.erase(end == choices.begin() ? end + 1 : end, choices.end());
  return choices;
}

TunerResult tune(const TunerSpace& space, const Measure& measure, const TunerOptions& options) {
  return Search(space, measure, options).run();
}

TunerResult tune_exhaustively(const TunerSpace& space, const Measure& measure, double step) {
  const TunerOptions options;
  Search search(space, measure, options);
  const auto steps = static_cast<unsigned>(std::lround(1 / step));
  for (const knowledge::Fission fission : space.fissions)
    for (const unsigned overlap : space.overlaps)
      for (const GroupChoice& choice : space.groups)
        for (unsigned i = 0; i <= steps; ++i) {
          const knowledge::Configuration configuration{.gpu_share = static_cast<double>(i) / steps,
                                                       .fission = fission,
                                                       .overlap = overlap,
                                                       .groups = choice.groups};
          search.keep(configuration, search.evaluate(configuration));
        }
  return search.take();
}

}  // namespace heddle::tuning
