// CUDA programs that are measured through Heddle and bare, on NVIDIA's own libraries: the same binary, which holds the
// path of neither.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace heddle::bench {

struct ProgramOptions {
  std::filesystem::path heddle;   // empty: of this build or archive
  std::filesystem::path bare;     // a folder with NVIDIA's libcudart; empty: not measured
  std::filesystem::path nvcc;     // what builds the program; empty: heddle cc
  std::filesystem::path program;  // built already; empty: built
  std::string device;             // as of heddle run; empty: what is found
  int rounds = 0;
};
// As options of the command line. `rounds`: how many there are by default.
void add_options(CLI::App& app, ProgramOptions& options, int rounds);

// One way of running the program.
struct Way {
  std::string name;  // "through Heddle"
  std::vector<std::string> words;
  std::string library_path;  // in front of $LD_LIBRARY_PATH
};

struct Run {
  std::string output;                // of standard output
  std::uint64_t begin = 0, end = 0;  // nanoseconds of CLOCK_MONOTONIC, before it was started and when it had ended
};

// Builds bench/cuda_api/programs/NAME.cu in `folder`, unless a program is named: the ways to run it, through Heddle
// first, and bare where that is asked for. Throws not_found or invalid_argument with a sentence.
std::vector<Way> ways_of(const ProgramOptions& options, const std::string& name, const std::filesystem::path& folder);

// Nothing where the program fails, which has said why on standard error.
std::optional<Run> run(const Way& way);

}  // namespace heddle::bench
