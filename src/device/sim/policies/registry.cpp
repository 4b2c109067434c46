#include "device/sim/policies/registry.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "base/fail.hpp"

namespace heddle::device::sim {
namespace {

template <class Make>
struct Named {
  std::string_view name;
  Make make;
};

// A policy is a file, and a line here.
constexpr std::array<Named<std::unique_ptr<DivergencePolicy> (*)(const DivergenceContext&)>, 3> divergences{{
    {"pdom", make_pdom},
    {"nrec", make_nrec},
    {"mimd", make_mimd},
}};
constexpr std::array<Named<std::unique_ptr<WarpSchedPolicy> (*)()>, 4> schedulers{{
    {"lrr", make_loose_round_robin},
    {"gto", make_greedy_then_oldest},
    {"two-level", make_two_level},
    {"oldest", make_oldest_first},
}};
constexpr std::array<Named<std::unique_ptr<IssuePolicy> (*)()>, 2> issues{{
    {"single", make_single_issue},
    {"dual", make_dual_issue},
}};
constexpr std::array<Named<std::unique_ptr<LaneMap> (*)()>, 2> lane_maps{{
    {"identity", make_identity_lanes},
    {"swizzle", make_swizzled_lanes},
}};
constexpr std::array<Named<std::unique_ptr<MemQueuePolicy> (*)()>, 1> memory_queues{{
    {"fifo", make_fifo},
}};
constexpr std::array<Named<std::unique_ptr<CtaResidencyPolicy> (*)(const Residency&)>, 1> residencies{{
    {"round-robin", make_static_residency},
}};

template <class List>
std::string names_of(const List& list) {
  std::string names;
  for (const auto& entry : list) names += (names.empty() ? "" : ", ") + std::string(entry.name);
  return names;
}

template <class List>
const auto& find(const List& list, std::string_view seam, std::string_view name) {
  const auto found = std::find_if(list.begin(), list.end(), [&](const auto& entry) { return entry.name == name; });
  if (found == list.end())
    base::fail(ErrorCode::not_found, "there is no policy '{}' for {}; there are {}", name, seam, names_of(list));
  return *found;
}

}  // namespace

std::unique_ptr<DivergencePolicy> make_divergence(std::string_view name, const DivergenceContext& context) {
  return find(divergences, "divergence", name).make(context);
}
std::unique_ptr<WarpSchedPolicy> make_scheduler(std::string_view name) {
  return find(schedulers, "scheduler", name).make();
}
std::unique_ptr<IssuePolicy> make_issue(std::string_view name) { return find(issues, "issue", name).make(); }
std::unique_ptr<LaneMap> make_lanes(std::string_view name) { return find(lane_maps, "lanes", name).make(); }
std::unique_ptr<MemQueuePolicy> make_memory_queue(std::string_view name) {
  return find(memory_queues, "memory-queue", name).make();
}
std::unique_ptr<CtaResidencyPolicy> make_residency(std::string_view name, const Residency& limits) {
  return find(residencies, "residency", name).make(limits);
}

void check_policies(const Policies& policies) {
  find(divergences, "divergence", policies.divergence);
  find(schedulers, "scheduler", policies.scheduler);
  find(issues, "issue", policies.issue);
  find(lane_maps, "lanes", policies.lanes);
  find(memory_queues, "memory-queue", policies.memory_queue);
  find(residencies, "residency", policies.residency);
}

void set_policy(Policies& policies, std::string_view seam, std::string_view name) {
  const std::pair<std::string_view, std::string*> seams[] = {
      {"divergence", &policies.divergence}, {"scheduler", &policies.scheduler},
      {"issue", &policies.issue},           {"lanes", &policies.lanes},
      {"residency", &policies.residency},   {"memory-queue", &policies.memory_queue}};
  const auto found = std::find_if(std::begin(seams), std::end(seams), [&](const auto& s) { return s.first == seam; });
  if (found == std::end(seams))
    base::fail(ErrorCode::invalid_argument,
               "the simulator has no option '{}'; it has divergence, scheduler, issue, lanes, residency, memory-queue, "
               "memory, "
               "threads, report, trace, trace-cycles and trace-launches",
               seam);
  *found->second = name;
  check_policies(policies);
}

std::vector<std::string> policy_names() {
  return {"divergence: " + names_of(divergences),
          "scheduler: " + names_of(schedulers),
          "issue: " + names_of(issues),
          "lanes: " + names_of(lane_maps),
          "memory-queue: " + names_of(memory_queues),
          "residency: " + names_of(residencies)};
}

}  // namespace heddle::device::sim
