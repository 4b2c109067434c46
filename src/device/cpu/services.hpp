// What running code may need from its device: memory, output, time, trace.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "base/clock.hpp"
#include "base/trace.hpp"
#include "base/watcher.hpp"
#include "device/cpu/abi.hpp"
#include "device/cpu/fiber.hpp"
#include "device/cpu/host_calls.hpp"
#include "device/cpu/memory.hpp"
#include "device/cpu/options.hpp"
#include "texture/table.hpp"

namespace heddle::device::cpu {

class Services {
 public:
  Services(const CpuOptions& device_options, std::uint64_t memory_limit, const RuntimeTable& runtime_table);

  const CpuOptions options;
  const std::shared_ptr<Allocator> allocator;
  const RuntimeTable runtime;  // what generated code calls
  StackPool stacks;
  HostCalls host_calls;
  texture::Table textures;
  const std::uint64_t cache_bytes;  // of the last level

  std::uint64_t next_number() { return numbers_.fetch_add(1, std::memory_order_relaxed) + 1; }
  const std::shared_ptr<base::Watcher>& watcher() const { return options.watcher; }
  const base::Clock& clock() const { return options.watcher->clock(); }
  std::uint64_t now_ns() const { return clock().now_ns(); }

  // Writes what a kernel printed; see write_kernel_output().
  int print(const char* text, std::size_t size);
  // Brings what was printed to the reader.
  void flush();

  base::TraceSink* trace() const { return options.trace; }

 private:
  std::atomic<std::uint64_t> numbers_{0};
  std::atomic<bool> printed_{false};
};

}  // namespace heddle::device::cpu
