// The checks of `heddle doctor`. Each looks at one thing and throws nothing. What a check judges is its arguments, so
// that tests can show it any machine; doctor.cpp asks this one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "doctor/finding.hpp"

namespace heddle::doctor {

// What mends a lack of memory.
constexpr const char* more_memory = "Raise the limit (ulimit -v or -d), or make memory free.";

// devices.cpp. Runs a small kernel on the device and compares its result. `subject` is the finding's.
Finding check_device(const std::string& id, const std::string& subject);

// cache.cpp. Rights and space of the folder; makes and removes a file in it.
Finding check_cache(const std::filesystem::path& folder);

// compiler.cpp. Finds clang and compiles a small kernel with it.
Finding check_compiler();
// compiler.cpp. Finds the clang for host code, which heddle cc and heddle run FILE.cu need, and has it compile a
// header.
Finding check_host_compiler();
// The same with NVRTC, which is needed only by those who choose it; `chosen` says that $HEDDLE_COMPILER does.
Finding check_nvrtc(bool chosen);

// nvidia.cpp
struct NvidiaDriver {
  bool hardware = false;  // a GPU of NVIDIA is on the PCI bus
  bool usable = false;
  int cuda_version = 0;           // 13000 for CUDA 13.0
  std::string kernel_module;      // "580.65.06"; empty when not known
  std::string why;                // not usable: a sentence's part, as Driver::why gives it
  std::vector<std::string> gpus;  // ids: "cuda:0"
};
NvidiaDriver find_nvidia_driver();
Finding check_nvidia_driver(const NvidiaDriver& driver);
// A program of the CUDA toolkit: `chosen` (a path; may be empty), else in the folders of `search_path`, else in
// /usr/local/cuda.
std::optional<std::filesystem::path> find_tool(std::string_view program, const char* chosen,
                                               std::string_view search_path);
Finding check_ptxas();

// sharing.cpp
struct Mps {
  std::filesystem::path folder;  // of its pipes
  bool running = false;
};
// `pipe_folder`: $CUDA_MPS_PIPE_DIRECTORY, which may be null. `processes`: /proc.
Mps find_mps(const char* pipe_folder, const std::filesystem::path& processes);
// Whether kernels of several programs run on a GPU at the same time, or by turns. `can_start`: MPS is installed.
Finding check_sharing(const Mps& mps, bool has_gpu, bool can_start);

// limits.cpp. `limit` is in bytes or a count; RLIM_INFINITY when there is none.
Finding check_locked_memory(std::uint64_t limit, bool has_gpu);
Finding check_descriptors(std::uint64_t limit);
Finding check_stack(std::uint64_t limit);
struct ThreadLimits {
  std::uint64_t user = 0, group = 0,
                system = 0;  // ulimit -u, the control group's pids.max, threads-max; RLIM_INFINITY: none
};
ThreadLimits find_thread_limits();
Finding check_threads(const ThreadLimits& limits, unsigned workers);

// environment.cpp
// `environment`: "NAME=value", of which those that begin with HEDDLE_ count.
Finding check_environment(const std::vector<std::string>& environment);

}  // namespace heddle::doctor
