// HEDDLE_TENANT: which tenant a process is. `heddle tenant run` sets it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sched/tenant.hpp"

namespace heddle::daemon {

// "latency:0.75:search".
std::string tenant_text(const sched::TenantSettings& settings);
// Throws invalid_argument, with a sentence.
sched::TenantSettings parse_tenant(std::string_view text);
// Nothing: the process is no tenant.
std::optional<sched::TenantSettings> tenant_of_environment();

// "latency" or "batch", and "75%" or "0.75". Throw invalid_argument.
sched::TenantClass parse_class(std::string_view text);
double parse_quota(std::string_view text);

}  // namespace heddle::daemon
