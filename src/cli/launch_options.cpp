#include "cli/launch_options.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstdio>

#include "base/find_kernel.hpp"
#include "base/format.hpp"
#include "base/print_error.hpp"
#include "base/printable.hpp"
#include "base/variables.hpp"
#include "cli/command.hpp"
#include "device/sim/sim.hpp"
#include "heddle/error.hpp"
#include "heddle/runtime.hpp"

namespace heddle::cli {

void add_timeout_option(CLI::App& command, double& seconds) {
  command
      .add_option("--timeout", seconds,
                  "seconds after which a launch that still runs is ended, with where its warps stood (not on GPUs)")
      ->check([](const std::string& text) {
        double value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        const bool good = error == std::errc{} && end == text.data() + text.size() && value >= 0.001 && value <= 1e9;
        return good ? "" : "expected a number of seconds from 0.001 to 1e9";
      });
}

std::uint64_t milliseconds_of(double seconds) { return static_cast<std::uint64_t>(seconds * 1e3); }

void check_device_of(std::string_view command, std::string_view device) {
  if (base::split_devices(device).size() > 1)
    throw UsageError(fmt::format("--device {}: {} uses one device", device, command));
  if (!device.starts_with("sim:")) return;
  for (std::string_view rest = device; rest.find(',') != rest.npos;) {
    rest.remove_prefix(rest.find(',') + 1);
    const std::string_view option = rest.substr(0, rest.find(','));
    if (option.starts_with("trace=") || (option.starts_with("report=") && option != "report=none"))
      throw UsageError(
          fmt::format("--device {}: {} has no {}, which is of launches: heddle launch and heddle run "
                      "write it",
                      device, command, option.substr(0, option.find('=') + 1)));
  }
  check_device_option(device);
}

void check_simulated(std::string_view devices) {
  for (const std::string_view device : base::split_devices(devices))
    if (device.starts_with("sim:")) device::sim::parse_sim_options(device);
}

void check_device_option(std::string_view devices) {
  for (const std::string_view device : base::split_devices(devices)) {
    const std::string_view machine = device.substr(0, device.find(','));
    const bool is_file = machine.find('/') != machine.npos || machine.ends_with(".toml");
    try {
      check_simulated(device);
    } catch (const Error& error) {
      if (is_file) throw;
      throw UsageError(error.what());
    }
  }
}

void check_records(std::string_view devices) {
  for (const std::string_view device : base::split_devices(devices))
    if (device.starts_with("sim:")) device::sim::check_records(device::sim::parse_sim_options(device).record);
}

void check_policy_option(const std::string& policy) {
  try {
    check_policy(policy);
  } catch (const Error& error) {
    throw UsageError(fmt::format("--policy {}: {}", policy, error.what()));
  }
}

void add_check_option(CLI::App& command, std::string& kinds) {
  command
      .add_flag("--check{memory}", kinds,
                "look for mistakes: memory (bad accesses; the default), race, init, sync, leak, as in "
                "--check=memory,race, or all")
      ->multi_option_policy(CLI::MultiOptionPolicy::Throw);
}

Checks checks_of(const std::string& kinds) {
  if (kinds.empty()) return false;
  try {
    return Checks::parse(kinds);
  } catch (const Error& error) {
    throw UsageError(std::string("--check: ") + error.what());
  }
}

void Findings::note(const std::string& text) {
  ++count_;
  base::print_error("heddle: {}\n", base::printable(text, "\n\t"));  // which may be closed
}

void Findings::throw_if_any() const {
  if (count_ != 0) throw FoundMistakes("--check has found " + base::counted(count_, "mistake"));
}

const std::string& entry_of(std::span<const std::string> kernels, const std::string& wanted, const std::string& file,
                            const std::string& option) {
  if (!wanted.empty()) return kernels[base::find_kernel(kernels, wanted, file)];
  if (kernels.size() == 1) return kernels.front();
  throw UsageError(fmt::format("{} is missing; {} has {}", option, file, base::list_of_kernels(kernels)));
}

}  // namespace heddle::cli
