#include "loads.hpp"

#include <algorithm>

#include "sched/make_policy.hpp"
#include "tenancy/models.hpp"

namespace heddle::bench::lithos {

const std::vector<std::string>& policies() {
  static const std::vector<std::string> all = {"lithos",   "tgs",      "orion",     "reef",
                                               "priority", "mps-like", "timeslice", "static"};
  return all;
}

tenancy::TenantLoad serving(std::string_view model, double quota, double load) {
  tenancy::TenantLoad made;
  made.settings = {.name = std::string(model), .kind = sched::TenantClass::latency, .quota = quota};
  made.model = tenancy::make_model(model, units, grain);
  made.arrivals = tenancy::Arrivals::poisson;
  made.rate = load / tenancy::model_figures(model).seconds;
  return made;
}

tenancy::TenantLoad closed(std::string_view model, sched::TenantClass kind, double quota) {
  tenancy::TenantLoad made;
  made.settings = {.name = std::string(model), .kind = kind, .quota = quota};
  made.model = tenancy::make_model(model, units, grain);
  return made;
}

tenancy::ExperimentOptions options_for(const Settings& settings, std::string_view model, double load) {
  tenancy::ExperimentOptions options;
  const double seconds = static_cast<double>(settings.requests) * tenancy::model_figures(model).seconds / load;
  options.warm_up = std::max(seconds / 8, 0.5);
  options.seconds = std::max(seconds, 2.0) + options.warm_up;
  options.seed = settings.seed;
  return options;
}

tenancy::Outcome run(const std::string& policy, const std::vector<tenancy::TenantLoad>& loads,
                     const tenancy::ExperimentOptions& options) {
  return tenancy::run(sched::make_policy(policy), loads, options);
}

}  // namespace heddle::bench::lithos
