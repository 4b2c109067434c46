// heddle daemon and heddle policy: who divides this node's devices between tenants, and by which rule.
#include <fmt/core.h>

#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/fail.hpp"
#include "base/format.hpp"
#include "base/printable.hpp"
#include "base/table.hpp"
#include "cli/command.hpp"
#include "cli/daemon_process.hpp"
#include "cli/launch_options.hpp"
#include "cli/usage.hpp"
#include "daemon/arbiter.hpp"
#include "daemon/client.hpp"
#include "daemon/kept_policy.hpp"
#include "daemon/listener.hpp"
#include "daemon/place.hpp"
#include "daemon/policies.hpp"
#include "daemon/server.hpp"
#include "daemon/socket.hpp"
#include "heddle/error.hpp"
#include "heddle/runtime.hpp"
#include "sched/make_policy.hpp"

namespace heddle::cli {
namespace {

using daemon::Request;

struct StartOptions {
  std::string device, policy;
  unsigned units = 0;
  int metrics_port = -1;
  bool foreground = false;
};

// SMs of a GPU come in pairs, its TPCs.
unsigned units_of(const std::string& device) {
  const Runtime runtime({.devices = device});
  const DeviceInfo first = runtime.devices().front();
  const unsigned processors = first.processors;
  return first.capability > 0 ? (processors + 1) / 2 : processors;
}

void check_policy_between_processes(const std::string& given, const std::string& name) {
  of_option(given + name, [&] { daemon::make_arbiter(name); });
}

void serve(const StartOptions& options, unsigned units) {
  const base::SteadyClock clock;
  daemon::ServerOptions chosen{
      .units = units, .policy = options.policy, .policy_file = daemon::policy_file(daemon::socket_path())};
  if (options.metrics_port >= 0) chosen.metrics_port = static_cast<std::uint16_t>(options.metrics_port);
  daemon::Server server(daemon::socket_path(), chosen, clock);
  fmt::print("heddle daemon: {}, policy {}, at {}\n", base::counted(units, "unit"), server.policy(),
             base::printable(daemon::socket_path().string()));
  if (const auto port = server.metrics_port()) fmt::print("metrics: http://127.0.0.1:{}/metrics\n", *port);
  std::fflush(stdout);
  // Rings of tenants are read at each step, also if nobody knocks.
  constexpr int step_ms = 10, idle_step_ms = 200;
  while (!server.stopped()) server.step(server.has_tenants() ? step_ms : idle_step_ms);
}

void start(const StartOptions& options) {
  if (options.units > daemon::most_units)
    throw UsageError(fmt::format("--units {}: at most {}", options.units, daemon::most_units));
  check_one_device("heddle daemon start", options.device);
  if (!options.policy.empty()) check_policy_between_processes("--policy ", options.policy);
  const auto socket = daemon::socket_path();
  daemon::require_no_daemon(socket);
  const unsigned units = options.units != 0 ? options.units : units_of(options.device);
  if (options.foreground) return serve(options, units);
  daemon::make_own_folder(socket.parent_path());
  std::vector<std::string> arguments{"daemon", "start", "--foreground", "--units", std::to_string(units)};
  if (!options.policy.empty()) arguments.insert(arguments.end(), {"--policy", options.policy});
  if (options.metrics_port >= 0)
    arguments.insert(arguments.end(), {"--metrics-port", std::to_string(options.metrics_port)});
  start_in_background(arguments, socket, socket.string() + ".log");
  fmt::print("the daemon runs: {}, at {}\n", base::counted(units, "unit"), base::printable(socket.string()));
}

void status(bool json) {
  const auto socket = daemon::socket_path();
  const std::string text = daemon::ask(socket, {});
  if (json) return fmt::print("{}\n", text);
  const nlohmann::json parsed = nlohmann::json::parse(text);
  fmt::print("the daemon runs: {}, policy {}, {}, at {}\n", base::counted(parsed["units"].get<std::size_t>(), "unit"),
             parsed["policy"].get<std::string>(), base::counted(parsed["tenants"].size(), "tenant"),
             base::printable(socket.string()));
}

void stop() {
  const auto socket = daemon::socket_path();
  daemon::ask(socket, {.kind = Request::Kind::stop});
  wait_until_gone(socket);
}

// Which policy a daemon has, and what others there are.
void show_policies() {
  const auto socket = daemon::socket_path();
  if (daemon::runs_at(socket)) {
    const nlohmann::json status = nlohmann::json::parse(daemon::ask(socket, {}));
    fmt::print("the daemon divides {} by the policy {}\n", base::counted(status["units"].get<std::size_t>(), "unit"),
               status["policy"].get<std::string>());
  } else if (std::string hindrance; !daemon::connect_to(socket, &hindrance) && !hindrance.empty()) {
    fmt::print("{}\n", hindrance);
  } else {
    const std::string kept = daemon::kept_policy(daemon::policy_file(socket));
    fmt::print("no daemon runs at {}, so no policy is in force; heddle daemon start starts one, with the policy {}\n",
               base::printable(socket.string()), kept.empty() ? daemon::default_policy : base::printable(kept));
  }
  base::Table table({{"heddle policy"}, {"who gets which units"}});
  for (const daemon::KnownPolicy& policy : daemon::known_policies())
    table.add_row({fmt::format("{}{}{}", policy.name, policy.parameter.empty() ? "" : ":", policy.parameter),
                   std::string(policy.rule)});
  fmt::print("\n{}\nwithin one program (heddle run --policy): {}\n", table.text(), sched::names_of_policies());
}

void add_start(CLI::App& command) {
  auto options = std::make_shared<StartOptions>();
  CLI::App* start_it = command.add_subcommand("start", "starts the daemon in the background");
  start_it->add_option("--device", options->device, "whose processors are divided (default: the first that is found)");
  start_it->add_option("--units", options->units, "processors to divide, or pairs of SMs (default: the device's)")
      ->check(CLI::Range(std::size_t{1}, daemon::most_units));
  start_it->add_option("--policy", options->policy,
                       "lithos, static, mps-like, priority, reef or timeslice:MICROSECONDS (default: the last one)");
  start_it
      ->add_option("--metrics-port", options->metrics_port,
                   "figures for Prometheus at this port of this machine; 0: any that is free")
      ->check(CLI::Range(0, 65535));
  start_it->add_flag("--foreground", options->foreground, "does not go to the background");
  start_it->callback([options] { start(*options); });
}

}  // namespace

void add_daemon(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("daemon", "divides the devices of this node between tenants: start, stop, status");
  command->require_subcommand(1);
  add_start(*command);
  command->add_subcommand("stop", "ends the daemon; programs run on as if they were alone")->callback([] { stop(); });
  auto json = std::make_shared<bool>(false);
  CLI::App* look = command->add_subcommand("status", "whether a daemon runs, and with which policy");
  look->add_flag("--json", *json, "as JSON, with the tenants");
  look->callback([json] { status(*json); });

  auto name = std::make_shared<std::string>();
  CLI::App* policy = app.add_subcommand("policy", "by which rule the daemon divides the devices");
  policy->add_option("name", *name,
                     "lithos, static, mps-like, priority, reef or timeslice:MICROSECONDS; without one, the policy in "
                     "force is shown, and all that there are");
  policy->callback([name] {
    if (name->empty()) return show_policies();
    check_policy_between_processes("", *name);
    daemon::ask(daemon::socket_path(), {.kind = Request::Kind::policy, .settings = {.name = *name}});
  });
}

}  // namespace heddle::cli
