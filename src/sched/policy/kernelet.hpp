// Runs two kernels together that use different resources, in slices. Kernelet (Zhong and He, arXiv 1303.5164),
// sections 4.2 and 4.3, algorithm 1.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sched/policy.hpp"
#include "sched/policy/pair_rates.hpp"
#include "sched/policy/pair_trial.hpp"
#include "sched/policy/slice_plan.hpp"

namespace heddle::sched {

struct KerneletOptions {
  model::PairOptions pairs = {.ratio = model::PairOptions::Ratio::most_profit};
  bool prune = true;
  // When a new kernel arrives, the pair is chosen again. False: only when one of the two has no blocks left (as
  // algorithm 1 is printed).
  bool recompute_on_arrival = true;
  // Two kernels run together if that saves more than this part of the time, which is what forecasts are off by.
  double least_profit = .05;
  unsigned alone_waves = 2;  // the only kernel that is pending: blocks of its slices, in full devices
  unsigned alone_ahead = 3;  // and how many of them are in flight
  unsigned whole = 16;       // launches in flight where nothing gains
  // Where slices cost the host time: the pairs that are solved for a choice, those that differ most first, and launches
  // that go out whole before, so that the device works meanwhile. A choice of 28 pairs took 6 ms beside an H200. So a
  // decision solves few, and whole launches go on until all are solved.
  unsigned most_pairs = 10, whole_before = 4, pairs_at_once = 2;
};

// Two kernels run in slices (plan_slices). Where no pair gains, launches run whole in their order, as streams would run
// them; so do kernels that are not divisible, have no profile, or are on a device without a model, and a
// kernel that is pending alone on a device where slices cost the host time. There, forecasts are compared with what the
// pair does in fact, and a pair that does not gain is not run again.
class KerneletPolicy final : public Policy {
 public:
  explicit KerneletPolicy(std::unique_ptr<PairRates> rates, KerneletOptions options = {});
  void decide(const View& view, std::vector<Decision>& decisions) override;
  bool sees_ranges() const override { return true; }
  bool decides_all() const override { return true; }
  void ended(const Completion& completion) override;
  bool has_enough_in_flight() const override;
  std::string explain() const override { return why_; }
  // What it has looked at: "tasks", "ranges in flight", "choices" and "pairs".
  std::vector<Figure> figures() const override;

 private:
  // A kernel that runs, with its partner.
  struct Part {
    std::uint64_t kernel = 0, task = 0;  // id of the traits, of the task
    SlicePlan plan = {};
  };
  struct Kind {
    std::size_t task = 0;  // the oldest, by its index in View::ready
    std::uint64_t id = 0;  // of that task
    const KernelTraits* traits = nullptr;
  };
  struct Place {
    std::vector<Part> parts;                                      // two, one, or none: launches run whole
    std::vector<std::uint64_t> kernels;                           // that were pending when they were chosen, ascending
    std::vector<Kind> kinds;                                      // of the tasks that were ready the last time
    bool settled = false;                                         // what runs was chosen for these
    std::vector<std::pair<std::uint64_t, std::uint64_t>> flying;  // kernels and their blocks in flight
    std::optional<PairTrial> trial;                               // of a pair whose gain was not seen yet
    unsigned ranges = 0;                                          // in flight, of all
    std::vector<std::pair<std::uint64_t, std::uint64_t>> ended;   // of these, since the last decision
    bool filling = false;                                         // slices were low, and not all are submitted yet
    std::uint64_t in_flight(std::uint64_t kernel) const;          // blocks
    bool has_enough() const;
    void add(const RangeView& range);
    bool remove(const RangeView& range);  // false: it was not there
  };
  struct Choice {
    std::uint64_t first = 0, second = 0;  // kernels
    model::CoSchedule pair = {};
  };

  void count_in_flight(const View& view, std::size_t before);
  bool count_changes(const View& view, std::size_t before);
  void decide_at(const View& view, std::size_t number, std::vector<Decision>& decisions);
  bool knows_tasks(const View& view, const Place& place) const;
  void find_kinds(const View& view, std::size_t number, Place& place, std::vector<Decision>& decisions);
  bool can_slice(const View& view, const TaskView& task) const;
  bool can_continue(const View& view, const std::vector<Kind>& kinds, const Place& place) const;
  static std::vector<std::uint64_t> kernels_of(const std::vector<Kind>& kinds);
  bool chooses_later(const View& view, std::size_t number, const Place& place);
  void choose(const View& view, const std::vector<Kind>& kinds, Place& place);
  void choose_pair(const View& view, const std::vector<Kind>& kinds, const Choice& choice, Place& place);
  std::optional<Choice> find_co_schedule(const DeviceView& device, const std::vector<Kind>& kinds,
                                         const std::vector<std::uint64_t>& kernels);
  using Pair = std::pair<const KernelTraits*, const KernelTraits*>;
  std::vector<Pair> promising_pairs(const DeviceView& device, const std::vector<Kind>& kinds) const;
  model::PairOptions::Ratio ratio_on(const DeviceView& device) const;
  std::optional<Choice> find_anew(const DeviceView& device, const std::vector<Kind>& kinds);
  bool fails(const View& view, Place& place);
  void issue(const View& view, const std::vector<Kind>& kinds, Place& place, std::vector<Decision>& decisions);
  void issue_whole(const View& view, std::size_t number, const Place& place, unsigned most,
                   std::vector<Decision>& decisions);

  static constexpr std::size_t none = ~std::size_t{0};
  const std::unique_ptr<PairRates> rates_;
  const KerneletOptions options_;
  std::vector<Place> places_;
  std::map<std::vector<std::uint64_t>, std::optional<Choice>> known_;
  std::set<std::pair<std::uint64_t, std::uint64_t>> tried_, failed_;  // kernels, ascending
  std::size_t tasks_ = none;     // that were ready the last time and still are; none: some have left
  std::uint64_t last_task_ = 0;  // the id of the youngest of them
  bool tasks_end_ = false;       // the decisions that are being made leave no blocks of a task
  std::size_t ranges_ = none;    // that were in flight the last time; none: not known
  std::uint64_t last_ns_ = 0;    // when that was
  struct {
    std::uint64_t tasks = 0, ranges = 0, choices = 0, pairs = 0;
  } looked_at_;
  std::string why_;
};

}  // namespace heddle::sched
