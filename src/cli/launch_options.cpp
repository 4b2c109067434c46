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
#include "cli/launch_text.hpp"
#include "cli/usage.hpp"
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
        if (!good) throw UsageError("--timeout " + text + ": expected a number of seconds from 0.001 to 1e9");
        return std::string();
      });
}

std::uint64_t milliseconds_of(double seconds) { return static_cast<std::uint64_t>(seconds * 1e3); }

static void refuse_several(std::string_view command, std::string_view device) {
  if (base::split_devices(device).size() > 1)
    throw UsageError(fmt::format("--device {}: {} uses one device", device, command));
}

void check_one_device(std::string_view command, std::string_view device) {
  check_device_option(device);
  refuse_several(command, device);
}

void check_device_of(std::string_view command, std::string_view device) {
  refuse_several(command, device);
  if (!device.starts_with("sim:")) return check_device_option(device);
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
  if (devices.empty()) return;  // not given
  if (const std::string why = base::complaint_of_devices(devices); !why.empty())
    throw UsageError(fmt::format("--device {}: {}", devices, why));
  for (const std::string_view device : base::split_devices(devices)) {
    const std::string_view machine = device.substr(0, device.find(','));
    const bool is_file = machine.find('/') != machine.npos || machine.ends_with(".toml");
    if (is_file)
      check_simulated(device);
    else
      of_option(fmt::format("--device {}", devices), [&] { check_simulated(device); });
  }
}

void check_records(std::string_view devices) {
  for (const std::string_view device : base::split_devices(devices))
    if (device.starts_with("sim:")) device::sim::check_records(device::sim::parse_sim_options(device).record);
}

void check_policy_option(const std::string& policy) {
  of_option("--policy " + policy, [&] { check_policy(policy); });
}

void check_block_limits(const std::string& block, std::uint32_t shared, const std::string& device,
                        unsigned most_threads, std::uint64_t most_shared) {
  const std::uint64_t threads = parse_shape(block, "--block", largest_block).count();
  if (threads > most_threads)
    throw UsageError(fmt::format("--block {}: a block of {} threads; on {} it has {} at most", block, threads, device,
                                 most_threads));
  if (shared > most_shared)
    throw UsageError(fmt::format("--shared {}: a block on {} has {} of shared memory at most", shared, device,
                                 base::counted(most_shared, "byte")));
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
  return of_option("--check=" + kinds, [&] { return Checks::parse(kinds); });
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
