// What a program may choose about the CPU device.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "base/trace.hpp"
#include "base/watcher.hpp"
#include "device/deadlock_patience.hpp"
#include "heddle/checks.hpp"

namespace heddle::device::cpu {

struct CpuOptions {
  // Threads that run blocks. 0: $HEDDLE_CPU_WORKERS, else one for each core that the process may use, less
  // `spare_cores`.
  unsigned workers = 0;
  // Cores for other threads of the process, such as those that wait for GPUs: so many at the most, and no more than an
  // eighth of all.
  unsigned spare_cores = 0;
  // Bind each worker to its core.
  bool pin = true;
  // Bytes that allocations may take in all; 0: the machine's (or control group's) memory.
  std::uint64_t memory_bytes = 0;
  // Bytes that kernels may take with malloc().
  std::uint64_t heap_bytes = 256ull << 20;
  // What deadlock_patience() is asked with.
  std::chrono::milliseconds deadlock_timeout = usual_deadlock_patience;
  // How long a launch may run, from the start of its first block; then it fails with KernelFault::timeout. 0: for ever.
  // A launch is not ended while all of its warps are in calls of the runtime.
  std::chrono::milliseconds launch_timeout{0};
  // How long a worker without work keeps its core before it sleeps; and a worker that gets work again and again after a
  // short time. In between it leaves its core to threads that want it.
  std::chrono::microseconds idle_spin{50}, longest_idle_spin{1000};
  // Mistakes that launches may be asked to look for (LoadOptions::check). With `memory`, memory that was freed is not
  // reused for a while, and its allocation is remembered: checked kernels that access it get an error that says so.
  Checks check = false;
  // Gets the text of each mistake after which a kernel can go on. Without it, the launch fails at its end.
  std::function<void(const std::string&)> on_finding = {};
  // Fill the shared memory of every block with a pattern first, so that reading what was never written shows.
  bool poison_shared = false;

  // Compiled kernels on disk.
  bool cache = true;
  std::filesystem::path cache_directory;   // empty: base::cache_directory() / "cpu"
  std::uint64_t cache_bytes = 1ull << 30;  // least recently used entries go when the cache grows beyond this

  std::FILE* printf_output = nullptr;  // null: stdout
  base::TraceSink* trace = nullptr;    // must outlive the device
  // Calls back for events; its clock is the device's. Null: base::process_watcher().
  std::shared_ptr<base::Watcher> watcher = {};
};

}  // namespace heddle::device::cpu
