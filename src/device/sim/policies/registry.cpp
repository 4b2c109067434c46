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
constexpr std::array<Named<std::unique_ptr<DivergencePolicy> (*)(const DivergenceContext&)>, 7> divergences{{
    {"pdom", make_pdom},
    {"nrec", make_nrec},
    {"mimd", make_mimd},
    {"dwf", make_dynamic_warps},
    {"tf", make_frontier},
    {"its", make_convergence},
    {"tbc", make_compaction},
}};
constexpr std::array<Named<std::unique_ptr<WarpSchedPolicy> (*)()>, 5> schedulers{{
    {"lrr", make_loose_round_robin},
    {"gto", make_greedy_then_oldest},
    {"two-level", make_two_level},
    {"oldest", make_oldest_first},
    {"oldest-instruction", make_oldest_instruction},
}};
constexpr std::array<Named<std::unique_ptr<IssuePolicy> (*)()>, 6> issues{{
    {"single", make_single_issue},
    {"dual", make_dual_issue},
    {"wide", make_wide_issue},
    {"sbi", make_branch_interweaving},
    {"swi", make_warp_interweaving},
    {"sbi+swi", make_full_interweaving},
}};
constexpr std::array<Named<std::unique_ptr<LaneMap> (*)()>, 6> lane_maps{{
    {"identity", make_identity_lanes},
    {"swizzle", make_swizzled_lanes},
    {"mirror-odd", make_mirror_odd_lanes},
    {"mirror-half", make_mirror_half_lanes},
    {"xor", make_xor_lanes},
    {"xor-rev", make_xor_reversed_lanes},
}};
constexpr std::array<Named<std::unique_ptr<MemQueuePolicy> (*)()>, 3> memory_queues{{
    {"fifo", make_fifo},
    {"mascar", make_mascar},
    {"active-first", make_active_first},
}};
constexpr std::array<Named<std::unique_ptr<CtaResidencyPolicy> (*)(const Residency&, const PolicyOptions&)>, 4>
    residencies{{
        {"round-robin", make_static_residency},
        {"virtual-thread", make_virtual_thread},
        {"finereg", make_live_registers},
        {"max", make_max_residency},
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
std::unique_ptr<CtaResidencyPolicy> make_residency(std::string_view name, const Residency& limits,
                                                   const PolicyOptions& options) {
  return find(residencies, "residency", name).make(limits, options);
}

namespace {

// Issue policies whose slots share a row of units: they issue from the contexts that thread frontiers keep.
bool interweaves(std::string_view issue) {
  return issue == "wide" || issue == "sbi" || issue == "swi" || issue == "sbi+swi";
}

void check_names(const Policies& policies) {
  find(divergences, "divergence", policies.divergence);
  find(schedulers, "scheduler", policies.scheduler);
  find(issues, "issue", policies.issue);
  find(lane_maps, "lanes", policies.lanes);
  find(memory_queues, "memory-queue", policies.memory_queue);
  find(residencies, "residency", policies.residency);
}

// Combinations that would not be what their names say.
void check_combination(const Policies& policies) {
  const auto refuse = [&](std::string_view why) {
    base::fail(ErrorCode::invalid_argument, "divergence={} with issue={}: {}", policies.divergence, policies.issue,
               why);
  };
  if (interweaves(policies.issue) && policies.divergence != "tf")
    refuse("this issue policy issues the contexts of divergence=tf");
  const bool forms = policies.divergence == "dwf" || policies.divergence == "tbc";
  if (forms && policies.issue != "single")
    refuse("a thread of a formed warp has one instruction in flight, so a second one of the warp can never issue");
  if (forms && policies.residency != "round-robin")
    refuse("a block of formed warps cannot give way: its threads' places are no part of a context");
  const bool narrow = PolicyOptions(policies.options).number("warp-width") != 32;
  if (narrow && policies.residency != "round-robin" && policies.residency != "max")
    refuse("with narrower warps than those of PTX blocks cannot give way: contexts hold stacks of warps of 32 threads");
  if (interweaves(policies.issue) && policies.residency != "round-robin")
    refuse("contexts of blocks that give way hold stacks of warps of 32 threads");
}

}  // namespace

void check_policies(const Policies& policies) {
  check_names(policies);
  PolicyOptions(policies.options).check(policies);
  check_combination(policies);
}

std::vector<std::string> policy_seams() {
  return {"divergence", "scheduler", "issue", "lanes", "residency", "memory-queue"};
}

bool set_policy(Policies& policies, std::string_view seam, std::string_view name) {
  const std::pair<std::string_view, std::string*> seams[] = {
      {"divergence", &policies.divergence}, {"scheduler", &policies.scheduler},
      {"issue", &policies.issue},           {"lanes", &policies.lanes},
      {"residency", &policies.residency},   {"memory-queue", &policies.memory_queue}};
  const auto found = std::find_if(std::begin(seams), std::end(seams), [&](const auto& s) { return s.first == seam; });
  if (found == std::end(seams)) {
    if (!is_policy_option(seam)) return false;
    PolicyOptions options(policies.options);
    options.set(seam, name);
    policies.options = options.all();
    return true;
  }
  *found->second = name;
  check_names(policies);
  if (interweaves(policies.issue) && policies.divergence == "pdom" && seam == "issue") policies.divergence = "tf";
  return true;
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
