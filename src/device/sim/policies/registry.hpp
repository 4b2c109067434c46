// The policies that there are, by seam and name.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "device/sim/machine_file/description.hpp"
#include "device/sim/policies/divergence.hpp"
#include "device/sim/policies/issue.hpp"
#include "device/sim/policies/lane_map.hpp"
#include "device/sim/policies/memory_queue.hpp"
#include "device/sim/policies/options.hpp"
#include "device/sim/policies/residency.hpp"
#include "device/sim/policies/warp_scheduler.hpp"

namespace heddle::device::sim {

// Makes the policies that a machine names. Throws not_found with the names that there are.
std::unique_ptr<DivergencePolicy> make_divergence(std::string_view name, const DivergenceContext& context);
std::unique_ptr<WarpSchedPolicy> make_scheduler(std::string_view name);
std::unique_ptr<IssuePolicy> make_issue(std::string_view name);
std::unique_ptr<LaneMap> make_lanes(std::string_view name);
std::unique_ptr<MemQueuePolicy> make_memory_queue(std::string_view name);
std::unique_ptr<CtaResidencyPolicy> make_residency(std::string_view name, const Residency& limits,
                                                   const PolicyOptions& options);

// Sets one policy, as "scheduler" to "gto", or an option of a policy, as "formation" to "pc". An issue policy that
// needs thread frontiers replaces the stack by them. False: there is no such seam or option. Throws invalid_argument
// for an unknown value, not_found for an unknown name.
bool set_policy(Policies& policies, std::string_view seam, std::string_view name);
// What a policy is chosen for: "scheduler" and others.
std::vector<std::string> policy_seams();
// Throws not_found if one of them does not exist, invalid_argument for those that cannot work together and for options
// of policies that are not chosen.
void check_policies(const Policies& policies);

// "scheduler: lrr, gto, ..." for each seam.
std::vector<std::string> policy_names();

}  // namespace heddle::device::sim
