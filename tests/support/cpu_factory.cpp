#include "support/cpu_factory.hpp"

#include <cstdio>
#include <utility>

#include "device/cpu/cpu.hpp"

namespace heddle::test {

// A stream into a function, for the device's printf.
struct CpuFactory::Stream {
  explicit Stream(std::function<void(std::string_view)> chosen) : sink(std::move(chosen)) {
    file = fopencookie(this, "w", {nullptr, write, nullptr, nullptr});
    std::setvbuf(file, nullptr, _IONBF, 0);
  }
  ~Stream() { std::fclose(file); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  static ssize_t write(void* cookie, const char* text, std::size_t size) {
    const auto& sink = static_cast<Stream*>(cookie)->sink;
    if (sink) sink(std::string_view(text, size));
    return static_cast<ssize_t>(size);
  }

  std::function<void(std::string_view)> sink;
  std::FILE* file = nullptr;
};

CpuFactory::CpuFactory() : stream_(std::make_shared<std::unique_ptr<Stream>>()) {}

std::unique_ptr<device::Device> CpuFactory::operator()(const TestDeviceOptions& options) const {
  *stream_ = std::make_unique<Stream>(options.print);
  device::cpu::CpuOptions chosen;
  chosen.workers = 2;
  chosen.pin = false;
  chosen.cache = false;
  chosen.poison_shared = options.poison;
  chosen.deadlock_timeout = std::chrono::milliseconds(500);
  chosen.printf_output = (*stream_)->file;
  return device::cpu::make_cpu_device(chosen);
}

}  // namespace heddle::test
