// Many tenants on one device, none of them hurt: the scheduler of "LithOS: An Operating System for Efficient Machine
// Learning on GPUs" (Coppock et al., SOSP 2025, section 4).
//
// Each tenant owns units (TPCs) by its quota. A launch gets its tenant's units, and those of tenants that have no work,
// or of nobody: these are stolen. Launches go out late, in atoms: ranges of blocks that take some hundred microseconds.
// So a tenant that wakes has its units again after at most an atom.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "sched/policy.hpp"
#include "sched/policy/lithos/predictor.hpp"
#include "sched/policy/lithos/timers.hpp"
#include "sched/policy/lithos/units.hpp"

namespace heddle::sched::lithos {

struct Options {
  double throttle_seconds = 100e-6;  // work of a queue that may be in flight when more is submitted
  // Ranges of a queue in flight, however short they are said to be: each call looks at all ranges in flight.
  unsigned most_ranges = 128;
  // Of a tenant, in all its queues: each decision looks at all that is in flight.
  unsigned most_of_tenant = 256;
  double atom_seconds = 300e-6;
  bool atoms = true;  // otherwise launches go whole
  bool steal = true;  // units of tenants that have no work; otherwise only those of nobody
  // Ranges of a batch tenant's queue in flight on units that are not its tenant's. On its own units alone, the next
  // launch of a request would take many times as long; the throttle is the limit there.
  unsigned most_stolen = 2;
  // So long after its last work a tenant still counts as awake: the next request of one that is busy comes soon.
  double linger_seconds = 100e-6;
  double slip = 0;             // of tenants that set none; below 1: kernels get all units that there are
  double most_overhead = 0.1;  // that atoms may add to a kernel's time
  // A launch that cannot be divided and takes longer than this many atoms gets at most half of the units that it could
  // steal.
  double confined_atoms = 4;
  // Launches that were timed so often are timed in one of so many requests only, and at least one of so many in a row.
  std::uint64_t timed_samples = 8, timed_batches = 8;
  unsigned most_untimed = 5;
  // The same of launches that are shorter than the throttle, on the CPU device: each report wakes a thread.
  unsigned most_untimed_short = 15;
};

// Figures of the policy, for tests and reports.
struct Counters {
  std::uint64_t ranges = 0, stolen = 0, atoms = 0, whole = 0, probes = 0;
  std::uint64_t predicted = 0, missed = 0;                  // ranges with a prediction; of these, more than 50 us off
  std::uint64_t latency_predicted = 0, latency_missed = 0;  // of latency tenants
  // Of tenants with right-sizing: units times the time for which ranges had them, and the same with all units that they
  // could have had.
  double unit_seconds = 0, unit_seconds_unsized = 0;
};

// "throttle=100,atom=400,atoms=off,steal=off,slip=1.1": microseconds, on or off. Throws invalid_argument.
Options parse_options(std::string_view text);

class LithosPolicy final : public Policy {
 public:
  explicit LithosPolicy(const Options& options) : options_(options) {}
  bool sees_ranges() const override { return true; }
  void decide(const View& view, std::vector<Decision>& decisions) override;
  std::optional<std::uint64_t> wake_ns(const View&) override { return wake_; }
  std::string explain() const override;
  std::vector<Figure> figures() const override;
  void queue_removed(std::uint32_t queue) override;
  void tenant_removed(std::uint32_t tenant) override;

  const Counters& counters() const { return counters_; }
  Predictor& predictor() { return predictor_; }

 private:
  // A device during one call.
  struct Place {
    unsigned units, grain, processors, set_units;
    bool on_host;
    const Quotas* quotas;
    std::optional<Timers> timers;
  };
  // Units for a launch.
  struct Choice {
    UnitSet set;
    unsigned count = 0;
    bool stolen = false;
  };
  // Ranges of a queue that have ended, up to one whose end was reported.
  struct Group {
    std::uint64_t begin_ns = 0, end_ns = 0;  // of the group before
    std::uint64_t ranges = 0;
    double predicted = 0;  // seconds
  };
  struct Last {
    std::string_view why;
    std::uint64_t task = 0, blocks = 0;
    unsigned units = 0;
    double seconds = 0;
    bool any = false;
  };

  void learn(const View& view);
  void look_at(const View& view);
  void consider(const View& view, std::size_t number, std::vector<Decision>& decisions);
  Choice choose_units(const View& view, const TaskView& task, const Place& place);
  void add_stolen(const View& view, const TaskView& task, const Place& place, int tenant, unsigned want,
                  Choice& choice);
  std::uint64_t awake_until(const Tenant& tenant) const;
  bool is_short(const TaskView& task, const Place& place, unsigned units);
  void choose_own(const Place& place, const UnitSet& own, unsigned want, Choice& choice) const;
  unsigned wanted_units(const TaskView& task, const Place& place, unsigned most);
  bool lacks_a_point(const TaskView& task);
  std::uint64_t blocks_of(const TaskView& task, const Place& place, const Choice& choice, const Estimate& whole);
  std::optional<double> share_of_group(const Completion& completion);
  bool wants_time(const View& view, const TaskView& task, const Place& place, const Choice& choice,
                  std::uint64_t blocks, const Estimate& whole, const QueueBacklog& backlog);
  void wake_at(const View& view, const Place& place, std::uint64_t time);
  int number_of(const View& view, const Tenant* tenant) const;
  double slip_of(const Tenant* tenant) const;
  void submit(const View& view, std::size_t number, const Choice& choice, std::uint64_t blocks, double seconds,
              std::vector<Decision>& decisions);
  static LaunchKey key_of(const TaskView& task);

  const Options options_;
  Predictor predictor_;
  std::vector<Quotas> quotas_;  // by place
  std::uint64_t quotas_version_ = ~std::uint64_t{0};
  std::vector<Place> places_;
  std::vector<std::uint64_t> awake_until_;  // of each tenant, by its place
  std::vector<std::size_t> order_;
  std::vector<std::tuple<bool, int, double>> ranks_;    // of the ready tasks: less goes first
  std::map<std::uint32_t, double> served_;              // unit-seconds given to each tenant
  std::map<std::uint32_t, std::uint64_t> last_end_ns_;  // of each tenant's ranges
  std::map<std::uint32_t, Group> groups_;               // by queue
  std::map<std::uint32_t, std::uint64_t> doubted_;      // queues whose next so many launches are timed
  std::set<std::uint32_t> partly_timed_;                // queues with ranges that were not timed
  std::map<std::uint32_t, std::uint64_t> batches_;      // of each queue: how often its ordinals have begun
  std::optional<std::uint64_t> wake_;
  Counters counters_;
  Last last_;
};

}  // namespace heddle::sched::lithos
