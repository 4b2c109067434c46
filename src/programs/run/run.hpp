// `heddle run`: runs a CUDA program on Heddle.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "heddle/checks.hpp"
#include "programs/run/inspection.hpp"

namespace heddle::programs {

struct RunOptions {
  std::string device;            // ids; empty: GPUs that are found, else the CPU
  std::uint64_t slice = 0;       // blocks in a range; 0: launches stay whole
  std::uint64_t timeout_ms = 0;  // that a launch may run; 0: for ever
  std::string policy;            // when launches are submitted (RuntimeOptions::policy); empty: at once
  std::string trace;             // a file for the timeline
  Checks check = false;
  bool help = false;
  std::string program;
  std::vector<std::string> arguments;
};

// Words without "heddle run"; the program's own words are left as they are. Throws invalid_argument.
RunOptions parse_run_options(const std::vector<std::string>& words);

std::string run_help();

// Whether the program runs on NVIDIA's own libraries, with only the driver's behind Heddle's interposer: on a machine
// with GPUs, where these options ask for nothing else, if the program's runtime cannot be or need not be replaced.
bool runs_through_driver(const RunOptions& options, const Inspection& inspection, bool has_gpus);

// CUDA_VISIBLE_DEVICES for --device, within what `present` makes visible; empty: as it is. Throws invalid_argument for
// a device that is not visible.
std::string visible_devices(const std::string& ids, const std::string& present);

// The environment for the program: `present` with Heddle's libraries in front.
std::vector<std::string> run_environment(const RunOptions& options, std::vector<std::string> present,
                                         const std::filesystem::path& libraries,
                                         const std::vector<std::string>& to_preload);

// Becomes the program; does not return. Calls `compiled` before that, when a .cu file has been compiled, and
// `before_start` at the very end. Throws Error when it cannot be run.
[[noreturn]] void run_program(const RunOptions& options, const std::function<void()>& compiled = {},
                              const std::function<void()>& before_start = {});

// The program that a .cu file compiles to, from the cache where nothing that it was made of has changed. A name from
// the current folder on is kept as it is; __FILE__ and messages have it.
std::filesystem::path compiled_program(const std::filesystem::path& source);

}  // namespace heddle::programs
