// Random programs on devices of threads.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "heddle/scheduling.hpp"
#include "random_programs/program.hpp"

namespace heddle::test::random_programs {

// Devices whose id contains "far" keep their memory from the host.
std::unique_ptr<Machine> make_threads_machine(const std::vector<std::string>& ids, const Scheduling& policy);
// The same, for programs most of whose launches name no device. `seed` decides how fast links count.
std::unique_ptr<Machine> make_placing_machine(const std::vector<std::string>& ids, const Scheduling& policy,
                                              std::uint64_t seed);

// Launches so far, of all programs, that began before an array was known to be there.
std::uint64_t count_early_launches();
// Of programs [begin, end), each on a machine that fits its seed: one or two devices, all policies. Prints those that
// differ; returns how many. Stops after `enough`.
int count_differences(std::uint64_t begin, std::uint64_t end, int enough);
// The same on two or three devices, with each policy of placement in turn.
int count_placed_differences(std::uint64_t begin, std::uint64_t end, int enough);
// The same with policies that hold launches and submit them in ranges of blocks (managed mode).
int count_managed_differences(std::uint64_t begin, std::uint64_t end, int enough);
// The same with more arrays than the devices' memory has room for, by four times, in direct and managed mode.
int count_small_memory_differences(std::uint64_t begin, std::uint64_t end, int enough);

}  // namespace heddle::test::random_programs
