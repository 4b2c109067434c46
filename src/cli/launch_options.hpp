// Options of the commands that launch kernels: --timeout, --check, and the kernel that --entry or a job file names.
#pragma once

#include <CLI/CLI.hpp>
#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "heddle/checks.hpp"

namespace heddle::cli {

// Seconds that a launch may run; 0: for ever.
void add_timeout_option(CLI::App& command, double& seconds);
std::uint64_t milliseconds_of(double seconds);

// Of batch and profile, which use one device and report of no launch of a simulated GPU. Throws UsageError for several
// devices, and for report= and trace=. `command` is for the message.
void check_device_of(std::string_view command, std::string_view device);

// Throws what is wrong with a simulated GPU among ids of devices: a program would only see that there is no device.
void check_simulated(std::string_view devices);

// The same for --device of a command: UsageError, if that is whatever files there are. A machine may be one.
void check_device_option(std::string_view devices);
// The same for a command that uses one device: also for several.
void check_one_device(std::string_view command, std::string_view device);
// Throws what is wrong with the files that simulated GPUs are to write, before a program starts.
void check_records(std::string_view devices);

// Throws UsageError, with --policy, for one that sched::make_policy does not take.
void check_policy_option(const std::string& policy);

void check_block_limits(const std::string& block, std::uint32_t shared, const std::string& device,
                        unsigned most_threads, std::uint64_t most_shared);
// Throws UsageError for a block that no kernel has on the device: of too many threads, or of too much dynamic shared
// memory. `device`: its heddle::DeviceInfo or device::DeviceInfo.
void check_block_limits(const std::string& block, std::uint32_t shared, const auto& device) {
  check_block_limits(block, shared, device.id, device.max_threads_per_block, device.max_shared_per_block);
}

void add_check_option(CLI::App& command, std::string& kinds);
// Empty: none. Throws UsageError for others than --check takes.
Checks checks_of(const std::string& kinds);

// What --check finds, on stderr. Any thread.
class Findings {
 public:
  void note(const std::string& text);
  // Throws FoundMistakes if there were any.
  void throw_if_any() const;

 private:
  std::atomic<unsigned> count_{0};
};

// `wanted`, a name of the source or of PTX, among the kernels of `file`; or, where it is empty, the only one there is.
// `option` is what says which is wanted, for the message. Throws UsageError if it is missing, and as base::find_kernel.
const std::string& entry_of(std::span<const std::string> kernels, const std::string& wanted, const std::string& file,
                            const std::string& option);

}  // namespace heddle::cli
