// What the daemon says of its tenants: JSON for tools, text for Prometheus, and explanations for people.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "daemon/tenant.hpp"
#include "sched/tenant.hpp"

namespace heddle::daemon {

struct Status {
  sched::TenantSettings settings;
  bool awake = false, broken = false;  // broken: messages of a process make no sense, and are not read any more
  std::size_t processes = 0, units = 0;
  std::uint64_t ranges = 0, held = 0, in_flight = 0, lost = 0;
  double seconds = 0;
  std::optional<double> p50_ns = {}, p99_ns = {};  // of its launches, from when they were made to their end
  std::string why;                                 // it has what it has
};

struct NodeStatus {
  unsigned units = 0;
  std::string policy;
  std::vector<Status> tenants;
};

Status status_of(const TenantEntry& tenant, std::string why);
std::string json(const NodeStatus& node);
// The text format of Prometheus, version 0.0.4.
std::string prometheus(const NodeStatus& node);
// A line for each moment of the last so many nanoseconds, the latest ones if they are more than `most_bytes`.
std::string explanation(const TenantEntry& tenant, std::uint64_t now_ns, std::uint64_t window_ns,
                        std::size_t most_bytes);

}  // namespace heddle::daemon
