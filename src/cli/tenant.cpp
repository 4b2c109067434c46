// heddle tenant and heddle explain: the programs that share this node's devices.
#include <fmt/core.h>

#include <charconv>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <system_error>

#include "base/table.hpp"
#include "cli/command.hpp"
#include "cli/tenant_run.hpp"
#include "cli/usage.hpp"
#include "daemon/client.hpp"
#include "daemon/place.hpp"
#include "daemon/tenant_variable.hpp"
#include "heddle/error.hpp"

namespace heddle::cli {
namespace {

using daemon::Request;

std::string ask(const Request& request) { return daemon::ask(daemon::socket_path(), request); }

void list(bool json) {
  const nlohmann::json status = nlohmann::json::parse(ask({}));
  if (json) return fmt::print("{}\n", status["tenants"].dump(2));
  if (status["tenants"].empty()) return fmt::print("there are no tenants\n");
  base::Table table({{"tenant"}, {"class"}, {"quota", base::Align::right}, {"processes", base::Align::right}});
  for (const auto& tenant : status["tenants"])
    table.add_row({tenant["name"], tenant["class"], fmt::format("{:g} %", 100 * tenant["quota"].get<double>()),
                   std::to_string(tenant["processes"].get<std::size_t>())});
  fmt::print("{}", table.text());
}

struct Change {
  std::string name, quota, kind;
};

// What is not named stays as it is.
void set(const Change& change) {
  if (change.quota.empty() && change.kind.empty())
    throw UsageError("heddle tenant set: --quota or --class says what is to change");
  Request request{.kind = Request::Kind::set, .settings = {.name = change.name}};
  if (!change.quota.empty())
    request.settings.quota = of_option("--quota " + change.quota, [&] { return daemon::parse_quota(change.quota); });
  if (!change.kind.empty())
    request.settings.kind = of_option("--class " + change.kind, [&] { return daemon::parse_class(change.kind); });
  const nlohmann::json status = nlohmann::json::parse(ask({}));
  for (const auto& tenant : status["tenants"]) {
    if (tenant["name"] != change.name) continue;
    if (change.quota.empty()) request.settings.quota = tenant["quota"];
    if (change.kind.empty()) request.settings.kind = daemon::parse_class(tenant["class"].get<std::string>());
  }
  ask(request);
}

// "1s", "250ms", "2m", or seconds without a unit.
std::uint64_t nanoseconds_of(const std::string& text) {
  double value = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  const double scale = unit == "ms"                  ? 1e6
                       : unit == "us"                ? 1e3
                       : unit == "m"                 ? 60e9
                       : unit.empty() || unit == "s" ? 1e9
                                                     : 0;
  constexpr double longest = 86'400e9;
  if (error != std::errc() || scale == 0 || !(value > 0 && value * scale <= longest))
    throw UsageError("--last " + text + ": expected a time up to a day, as 1s, 250ms or 2m");
  return static_cast<std::uint64_t>(std::llround(value * scale));
}

}  // namespace

void add_tenant(CLI::App& app) {
  CLI::App* tenant = app.add_subcommand("tenant", "programs that share the devices: run, list, set");
  tenant->require_subcommand(1);
  describe_tenant_run(*tenant);
  auto json = std::make_shared<bool>(false);
  CLI::App* listing = tenant->add_subcommand("list", "the tenants of this node");
  listing->add_flag("--json", *json, "as JSON, with all that is known of them");
  listing->callback([json] { list(*json); });
  auto change = std::make_shared<Change>();
  CLI::App* setting = tenant->add_subcommand("set", "changes a tenant while it runs");
  setting->add_option("name", change->name, "the tenant")->required();
  setting->add_option("--quota", change->quota, "the part of the device that is its own, as 75%");
  setting->add_option("--class", change->kind, "latency or batch");
  setting->callback([change] { set(*change); });

  struct Options {
    std::string name, last = "1s";
  };
  auto options = std::make_shared<Options>();
  CLI::App* explain = app.add_subcommand("explain", "why a tenant's launches ran where and when they did");
  explain->add_option("name", options->name, "the tenant")->required();
  explain->add_option("--last", options->last, "how far back, as 1s, 250ms or 2m (default 1s)");
  explain->callback([options] {
    fmt::print("{}", ask({.kind = Request::Kind::explain,
                          .settings = {.name = options->name},
                          .window_ns = nanoseconds_of(options->last)}));
  });
}

}  // namespace heddle::cli
