// heddle top: what the tenants of this node do, live.
#include <fmt/core.h>
#include <unistd.h>

#include <cstdio>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "base/clock.hpp"
#include "base/format.hpp"
#include "base/table.hpp"
#include "cli/command.hpp"
#include "daemon/client.hpp"
#include "daemon/pause.hpp"
#include "daemon/place.hpp"

namespace heddle::cli {
namespace {

struct Options {
  bool json = false, once = false;
};

std::string milliseconds(const nlohmann::json& value) {
  return value.is_null() ? "-" : base::format_duration(value.get<double>() * 1e-3);
}

std::string state_of(const nlohmann::json& tenant) {
  if (tenant["broken"].get<bool>()) return "garbled";
  return tenant["awake"].get<bool>() ? "works" : "sleeps";
}

std::string table_of(const nlohmann::json& status) {
  using base::Align;
  base::Table table({{"tenant"},
                     {"class"},
                     {"quota", Align::right},
                     {"state"},
                     {"units", Align::right},
                     {"held", Align::right},
                     {"in flight", Align::right},
                     {"ranges", Align::right},
                     {"P50", Align::right},
                     {"P99", Align::right},
                     {"why"}});
  for (const auto& tenant : status["tenants"]) {
    const auto number = [&](const char* name) { return std::to_string(tenant[name].get<std::uint64_t>()); };
    table.add_row({tenant["name"], tenant["class"], fmt::format("{:g} %", 100 * tenant["quota"].get<double>()),
                   state_of(tenant), number("units"), number("held"), number("in_flight"), number("ranges"),
                   milliseconds(tenant["p50_ms"]), milliseconds(tenant["p99_ms"]), tenant["why"]});
  }
  return fmt::format("{}, policy {}\n{}", base::counted(status["units"].get<std::size_t>(), "unit"),
                     status["policy"].get<std::string>(), table.text());
}

// Each second, until the program is interrupted or the daemon ends.
void show(const Options& options) {
  const base::SteadyClock clock;
  const bool clears = !options.json && !options.once && ::isatty(STDOUT_FILENO) != 0;
  for (;;) {
    const std::string text = daemon::ask(daemon::socket_path(), {});
    if (clears) fmt::print("\x1b[H\x1b[J");
    fmt::print("{}", options.json ? text + "\n" : table_of(nlohmann::json::parse(text)));
    if (options.once) return;
    if (std::fflush(stdout) != 0) return;
    daemon::pause(clock, 1'000'000'000);
  }
}

}  // namespace

void add_top(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("top", "what the tenants of this node do: units, queues, latencies, and why");
  command->add_flag("--json", options->json, "one line of JSON each second");
  command->add_flag("--once", options->once, "once, not each second");
  command->callback([options] { show(*options); });
}

}  // namespace heddle::cli
