// The jobs of `heddle batch`: kernels with their launches, in TOML.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "batch/kernel.hpp"
#include "cli/launch_text.hpp"
#include "heddle/compile.hpp"

namespace heddle::cli {

// How messages name what the user wrote.
struct JobWords {
  std::string kernel = "kernel =", grid = "grid =", block = "block =", argument = "args:";
};

// A kernel, and its launches.
struct JobText {
  std::string name, file, kernel;
  std::string place;  // "jobs.toml:12, job 'x'", for messages
  std::string added;  // " (line 12)" behind the kernel's name, where several jobs without a name have one kernel
  unsigned line = 0;
  JobWords words;
  std::string grid = "1", block = "1";
  std::uint32_t shared = 0;
  std::vector<std::string> arguments;
  std::filesystem::path folder;  // of the job file, to which the names of arrays are relative
  std::uint64_t count = 1;
  double arrival = 0;  // seconds, of the first launch
  double rate = 0;     // launches a second, as a Poisson process; 0: all arrive at `arrival`
  std::uint64_t seed = 1;
  bool any_type = false;        // arrays whose elements are of another type than the kernel's are meant
  std::optional<bool> ordered;  // nothing: as batch::KernelSpec has it
};

// Throws parse_error with file, line and key; not_found. Names of files are relative to the folder of the job file. All
// jobs together have at most a million launches.
std::vector<JobText> read_job_file(const std::filesystem::path& file);

// A launch as a batch runs it. CUDA C++ is compiled. Throws UsageError for texts that are no arguments,
// invalid_argument for arguments that the kernel does not take, and what compiling throws.
struct KernelText {
  batch::KernelSpec spec;
  std::vector<ArgumentText> arguments;
  std::vector<std::filesystem::path> inputs;   // the source, and the arrays that are read
  std::vector<std::filesystem::path> results;  // for each argument; empty: none
};
KernelText read_kernel(const JobText& job, const CompileOptions& options);

}  // namespace heddle::cli
