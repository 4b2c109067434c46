// `heddle run`: runs a CUDA program on Heddle.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace heddle::programs {

struct RunOptions {
  std::string device;       // ids; empty: GPUs that are found, else the CPU
  std::uint64_t slice = 0;  // blocks in a range; 0: launches stay whole
  std::string policy;       // when launches are submitted (RuntimeOptions::policy); empty: at once
  std::string trace;        // a file for the timeline
  bool check = false;
  bool help = false;
  std::string program;
  std::vector<std::string> arguments;
};

// Words without "heddle run"; the program's own words are left as they are. Throws invalid_argument.
RunOptions parse_run_options(const std::vector<std::string>& words);

std::string run_help();

// The environment for the program: `present` with Heddle's libraries in front.
std::vector<std::string> run_environment(const RunOptions& options, std::vector<std::string> present,
                                         const std::filesystem::path& libraries,
                                         const std::vector<std::string>& to_preload);

// Becomes the program; does not return. Throws Error when it cannot be run.
[[noreturn]] void run_program(const RunOptions& options);

// The program that a .cu file compiles to, from the cache where nothing that it was made of has changed.
std::filesystem::path compiled_program(const std::filesystem::path& source);

}  // namespace heddle::programs
