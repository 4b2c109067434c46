// A CUDA source, compiled and loaded on a device, with buffers made on the way.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "device/device.hpp"

namespace heddle::compile::testing {

struct DeviceChoice {
  std::string name;
  std::unique_ptr<device::Device> (*make)();
};

class Program {
 public:
  // `file` is a path in tests/compile/values; `architecture` as 80 for sm_80.
  Program(device::Device& device, const std::string& file, int architecture = 80);

  template <typename T>
  struct Buffer {
    std::unique_ptr<device::Memory> memory;
    std::size_t count;
    std::uint64_t address() const { return memory->span().address; }
  };
  template <typename T>
  Buffer<T> buffer(const std::vector<T>& values) {
    Buffer<T> b{device_.allocate(values.size() * sizeof(T)), values.size()};
    queue_->copy(b.memory->span(), device::Span::host(values.data(), values.size() * sizeof(T)));
    queue_->synchronize();
    return b;
  }
  template <typename T>
  std::vector<T> read(const Buffer<T>& b) {
    std::vector<T> values(b.count);
    queue_->copy(device::Span::host(values.data(), values.size() * sizeof(T)), b.memory->span());
    queue_->synchronize();
    return values;
  }

  // Arguments are numbers and addresses.
  template <typename... Arguments>
  void run(const std::string& kernel, const device::LaunchConfig& config, Arguments... arguments) {
    device::Function& function = module_->function(kernel);
    std::vector<std::byte> packed(function.parameter_bytes());
    ASSERT_EQ(function.parameters().size(), sizeof...(Arguments));
    std::size_t i = 0;
    (std::memcpy(packed.data() + function.parameters()[i++].offset, &arguments, sizeof arguments), ...);
    queue_->launch(function, config, {0, config.grid.count()}, packed);
    queue_->synchronize();
  }

 private:
  device::Device& device_;
  std::unique_ptr<device::Queue> queue_;
  std::shared_ptr<device::Module> module_;
};

}  // namespace heddle::compile::testing
