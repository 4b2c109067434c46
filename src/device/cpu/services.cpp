#include "device/cpu/services.hpp"

#include "device/cpu/topology.hpp"
#include "device/kernel_printf.hpp"

namespace heddle::device::cpu {

Services::Services(const CpuOptions& device_options, std::uint64_t memory_limit, const RuntimeTable& runtime_table)
    : options(device_options),
      allocator(std::make_shared<Allocator>(memory_limit, device_options.heap_bytes,
                                            device_options.check.memory || device_options.check.leak,
                                            device_options.check)),
      runtime(runtime_table),
      host_calls(device_options.watcher->clock(), device_options.pin, device_options.idle_spin / 5),
      cache_bytes(last_level_cache_bytes()) {}

int Services::print(const char* text, std::size_t size) {
  std::FILE* out = options.printf_output != nullptr ? options.printf_output : stdout;
  const int error = write_kernel_output(out, {text, size});
  printed_.store(true, std::memory_order_release);
  return error;
}

void Services::flush() {
  if (!printed_.load(std::memory_order_acquire) || !printed_.exchange(false)) return;
  std::fflush(options.printf_output != nullptr ? options.printf_output : stdout);
}

}  // namespace heddle::device::cpu
