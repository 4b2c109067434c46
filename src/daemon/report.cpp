#include "daemon/report.hpp"

#include <fmt/format.h>

#include <utility>

namespace heddle::daemon {
namespace {

const char* class_of(const Status& tenant) {
  return tenant.settings.kind == sched::TenantClass::latency ? "latency" : "batch";
}

std::string milliseconds(const std::optional<double>& ns) { return ns ? fmt::format("{:.4g}", *ns * 1e-6) : "null"; }

std::string microseconds(std::uint64_t ns) { return fmt::format("{:.0f} us", static_cast<double>(ns) * 1e-3); }

// What is behind the units of a submission.
std::string reason(const Decided& decided) {
  using Why = sched::Submitted::Why;
  switch (decided.why) {
    case Why::alone: return "no grant: as without a daemon";
    case Why::whole: return "whole";
    case Why::part: return "a part, so that units can change hands";
    case Why::measure: return "its time is measured";
    case Why::waited: return "a thread waits for it";
  }
  return {};
}

double milliseconds_since(std::uint64_t then_ns, std::uint64_t now_ns) {
  return now_ns > then_ns ? static_cast<double>(now_ns - then_ns) * 1e-6 : 0;
}

std::string line(const Moment& moment, std::uint64_t now_ns) {
  std::string when = fmt::format("-{:.3f} ms", milliseconds_since(moment.now_ns, now_ns));
  if (!moment.decided) return when + "  granted: " + moment.text + '\n';
  const Decided& decided = *moment.decided;
  std::string times, waited = microseconds(decided.waited_ns), predicted;
  if (moment.times > 1) {
    when = fmt::format("-{:.3f} to -{:.3f} ms", milliseconds_since(moment.now_ns, now_ns),
                       milliseconds_since(moment.last_ns, now_ns));
    times = fmt::format(", {} times", moment.times);
    if (microseconds(moment.longest_wait_ns) != waited)
      waited = fmt::format("{:.0f} to {}", static_cast<double>(decided.waited_ns) * 1e-3,
                           microseconds(moment.longest_wait_ns));
  }
  if (decided.predicted_ns) predicted = fmt::format(", {} predicted", microseconds(*decided.predicted_ns));
  return fmt::format("{}  {}: blocks {} to {} of {} on {} of {} units{}, {} after its launch{}; {}\n", when,
                     moment.kernel.empty() ? "a launch" : moment.kernel, decided.begin,
                     decided.end == decided.begin ? decided.end : decided.end - 1, decided.of_blocks, decided.units,
                     decided.of_units, times, waited, predicted, reason(decided));
}

// One metric, with a value for each tenant.
template <class Value>
void add_metric(std::string& text, const NodeStatus& node, const char* name, const char* type, const char* help,
                Value&& value) {
  text += fmt::format("# HELP heddle_tenant_{} {}\n# TYPE heddle_tenant_{} {}\n", name, help, name, type);
  for (const Status& tenant : node.tenants)
    text += fmt::format("heddle_tenant_{}{{tenant=\"{}\",class=\"{}\"}} {}\n", name, tenant.settings.name,
                        class_of(tenant), value(tenant));
}

}  // namespace

Status status_of(const TenantEntry& tenant, std::string why) {
  const LatencyCounts recent = tenant.recent_latencies();
  return {.settings = tenant.settings(),
          .awake = tenant.awake(),
          .broken = tenant.broken(),
          .processes = tenant.members().size(),
          .units = tenant.grant().units.count(),
          .ranges = tenant.ranges(),
          .held = tenant.held(),
          .in_flight = tenant.in_flight(),
          .lost = tenant.lost(),
          .seconds = tenant.seconds(),
          .p50_ns = latency_quantile(recent, 0.5),
          .p99_ns = latency_quantile(recent, 0.99),
          .why = std::move(why)};
}

// As many tenants as a packet has room for. Names have no characters that JSON would escape (protocol.hpp), nor have
// rules of policies.
std::string json(const NodeStatus& node) {
  std::string text = fmt::format("{{\"units\": {}, \"policy\": \"{}\", \"tenants\": [", node.units, node.policy);
  constexpr std::size_t most_bytes = 60'000;
  bool first = true;
  std::size_t left_out = 0;
  for (const Status& tenant : node.tenants) {
    if (text.size() > most_bytes) {
      ++left_out;
      continue;
    }
    text += fmt::format(
        "{}{{\"name\": \"{}\", \"class\": \"{}\", \"quota\": {:g}, \"awake\": {}, \"units\": {}, \"processes\": {}, "
        "\"held\": {}, \"in_flight\": {}, \"ranges\": {}, \"seconds\": {:g}, \"p50_ms\": {}, \"p99_ms\": {}, "
        "\"lost\": {}, \"broken\": {}, \"why\": \"{}\"}}",
        first ? "" : ", ", tenant.settings.name, class_of(tenant), tenant.settings.quota, tenant.awake, tenant.units,
        tenant.processes, tenant.held, tenant.in_flight, tenant.ranges, tenant.seconds, milliseconds(tenant.p50_ns),
        milliseconds(tenant.p99_ns), tenant.lost, tenant.broken, tenant.why);
    first = false;
  }
  return text + fmt::format("], \"left_out\": {}}}", left_out);
}

std::string prometheus(const NodeStatus& node) {
  std::string text = fmt::format(
      "# HELP heddle_units Units of the node's device.\n# TYPE heddle_units gauge\nheddle_units {}\n"
      "# HELP heddle_policy The policy that divides them.\n# TYPE heddle_policy gauge\nheddle_policy{{name=\"{}\"}} "
      "1\n",
      node.units, node.policy);
  const auto seconds = [](const std::optional<double>& ns) { return ns ? fmt::format("{:g}", *ns * 1e-9) : "NaN"; };
  add_metric(text, node, "quota", "gauge", "Part of the units that is its own.",
             [](const Status& tenant) { return fmt::format("{:g}", tenant.settings.quota); });
  add_metric(text, node, "granted_units", "gauge", "Units that it may use now.",
             [](const Status& tenant) { return tenant.units; });
  add_metric(text, node, "awake", "gauge", "Whether it has work.",
             [](const Status& tenant) { return tenant.awake ? 1 : 0; });
  add_metric(text, node, "processes", "gauge", "Its processes.", [](const Status& tenant) { return tenant.processes; });
  add_metric(text, node, "held_launches", "gauge", "Launches that are not submitted.",
             [](const Status& tenant) { return tenant.held; });
  add_metric(text, node, "ranges_in_flight", "gauge", "Ranges of blocks that are submitted.",
             [](const Status& tenant) { return tenant.in_flight; });
  add_metric(text, node, "ranges_total", "counter", "Ranges of blocks that have ended.",
             [](const Status& tenant) { return tenant.ranges; });
  add_metric(text, node, "busy_seconds_total", "counter", "Time that these took.",
             [](const Status& tenant) { return fmt::format("{:g}", tenant.seconds); });
  add_metric(text, node, "lost_messages_total", "counter", "Messages for which its ring had no room.",
             [](const Status& tenant) { return tenant.lost; });
  add_metric(text, node, "latency_p50_seconds", "gauge", "From launch to end, half of the last launches.",
             [&](const Status& tenant) { return seconds(tenant.p50_ns); });
  add_metric(text, node, "latency_p99_seconds", "gauge", "From launch to end, 99 of 100 of the last launches.",
             [&](const Status& tenant) { return seconds(tenant.p99_ns); });
  return text;
}

std::string explanation(const TenantEntry& tenant, std::uint64_t now_ns, std::uint64_t window_ns,
                        std::size_t most_bytes) {
  const std::uint64_t from = now_ns > window_ns ? now_ns - window_ns : 0;
  std::vector<std::string> lines;
  std::size_t bytes = 0, left_out = 0;
  for (auto at = tenant.moments().rbegin(); at != tenant.moments().rend(); ++at) {
    if (at->last_ns < from) continue;
    std::string text = line(*at, now_ns);
    if (left_out > 0 || bytes + text.size() > most_bytes) {
      ++left_out;
      continue;
    }
    bytes += text.size();
    lines.push_back(std::move(text));
  }
  std::string all;
  if (left_out > 0) all = fmt::format("{} earlier lines are left out\n", left_out);
  for (auto at = lines.rbegin(); at != lines.rend(); ++at) all += *at;
  return all.empty() ? "nothing has happened in that time\n" : all;
}

}  // namespace heddle::daemon
