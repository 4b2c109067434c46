#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "gpu/experiments.hpp"

namespace heddle::bench::lithos_gpu {
namespace {

const std::vector<std::string> all_policies = {"lithos",   "tgs",      "orion",     "reef",
                                               "priority", "mps-like", "timeslice", "static"};

std::string key(const Load& load) {
  return fmt::format("{} {:.6f} {} {}", load.sequence->name, load.rate, load.seed, load.queues);
}

}  // namespace

Bench::Bench(const Settings& settings)
    : settings_(settings),
      bare_(settings_, ""),
      calibration_(bare_),
      policies_(settings_.policies.empty() ? all_policies : settings_.policies) {
  for (const Kind kind : {Kind::compute, Kind::stream})
    fmt::print("calibrated: a turn of the {} kernel takes {:.2f} ns in blocks of 256 threads, {} a processor\n",
               kind == Kind::compute ? "compute" : "bandwidth", 1e9 * calibration_.turn(kind, 256),
               bare_.resident(kind, 256));
}

const std::vector<std::string>& Bench::policies() const { return policies_; }

const Sequence& Bench::sequence(std::string_view name) {
  const auto found = sequences_.find(name);
  if (found != sequences_.end()) return found->second;
  const Sequence& made =
      sequences_.emplace(name, make_sequence(bare_, calibration_, name, settings_.scale)).first->second;
  fmt::print("sequence {}: {} launches, {:.2f} ms\n", made.name, made.steps.size(), 1e3 * made.seconds);
  return made;
}

const Sequence& Bench::equal(const std::string& name, unsigned count, double seconds, double block_seconds) {
  const auto found = sequences_.find(name);
  if (found != sequences_.end()) return found->second;
  Sequence made{name, {make_step(bare_, calibration_, seconds, block_seconds)}};
  const Queue queue = bare_.device().queue();
  made.steps[0].seconds = times_of(bare_, queue, made.steps, bare_.buffers(made.warps()), 3)[0];
  made.seconds = count * made.steps[0].seconds;
  made.steps.assign(count, made.steps[0]);
  return sequences_.emplace(name, std::move(made)).first->second;
}

Load Bench::serving(std::string_view name, double quota, double load) {
  const Sequence& sequence = this->sequence(name);
  Load made{.tenant = {.name = std::string(name), .kind = TenantKind::latency, .quota = quota},
            .sequence = &sequence,
            .seed = settings_.seed};
  auto service = service_.find(sequence.name);
  if (service == service_.end()) {
    Settings brief = settings_;
    brief.warm_up = 5 * sequence.seconds;
    const auto closed = run_together(bare_, brief, {made}, std::max(20 * sequence.seconds, 0.1));
    const double mean = closed.tenants[0].mean();
    if (mean <= 0)
      throw std::runtime_error(
          fmt::format("no request of {} ended while it was measured alone: the machine is busy", name));
    service = service_.emplace(sequence.name, mean).first;
    fmt::print("{} alone: {:.3f} ms a request\n", name, 1e3 * service->second);
  }
  made.rate = load / service->second;
  return made;
}

const Share& Bench::alone(const Load& load) {
  const auto found = alone_.find(key(load));
  if (found != alone_.end()) return found->second;
  return alone_.emplace(key(load), run_together(bare_, settings_, {load}, settings_.seconds).tenants[0]).first->second;
}

double Bench::alone_rate(const Load& load) { return alone(load).rate; }

Load Bench::closed(const Sequence& sequence, TenantKind kind, double quota) const {
  return {.tenant = {.name = sequence.name, .kind = kind, .quota = quota}, .sequence = &sequence};
}

}  // namespace heddle::bench::lithos_gpu
