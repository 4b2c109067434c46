// The contract of src/device/ in executable form. A device joins with a file of three lines:
//
//   #include "conformance/conformance.hpp"
//   #include "device/cpu/cpu.hpp"
//   HEDDLE_CONFORMANCE(cpu, [] { return heddle::device::cpu::make_cpu_device(); })
//
// and passes all of it, or is not supported. Only the device interface is used here, and PTX.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "device/device.hpp"
#include "heddle/error.hpp"
#include "heddle/texture.hpp"

namespace heddle::conformance {

using device::Device;
using device::Event;
using device::Function;
using device::LaunchConfig;
using device::Memory;
using device::Queue;
using device::Span;

using DeviceMaker = std::function<std::unique_ptr<Device>()>;

// A device memory of n values of T.
template <class T>
class Buffer {
 public:
  Buffer(Device& device, std::size_t n) : memory_(device.allocate(n * sizeof(T))), n_(n) {}
  Span span() const { return memory_->span(); }
  std::uint64_t address() const { return span().address; }
  void write(Queue& queue, const std::vector<T>& values) const {
    queue.copy(span(), Span::host(values.data(), values.size() * sizeof(T)));
    queue.synchronize();
  }
  std::vector<T> read(Queue& queue) const {
    std::vector<T> values(n_);
    queue.copy(Span::host(values.data(), n_ * sizeof(T)), span());
    queue.synchronize();
    return values;
  }
  void fill(Queue& queue, std::uint32_t value = 0) const { queue.fill(span(), value, 4); }

 private:
  std::unique_ptr<Memory> memory_;
  std::size_t n_;
};

class Conformance : public testing::TestWithParam<DeviceMaker> {
 protected:
  void SetUp() override;
  // The module of kernels.cpp, loaded once for each test.
  device::Module& module();
  std::shared_ptr<device::Module> load(std::string_view ptx);
  Function& kernel(std::string_view name) { return module().function(name); }

  // Packs the arguments by the kernel's layout and launches.
  template <class... Arguments>
  void launch(Queue& to, Function& function, const LaunchConfig& config, Arguments... arguments) {
    launch_range(to, function, config, {0, config.grid.count()}, arguments...);
  }
  template <class... Arguments>
  void launch(Queue& to, std::string_view name, const LaunchConfig& config, Arguments... arguments) {
    launch(to, kernel(name), config, arguments...);
  }
  template <class... Arguments>
  void launch_range(Queue& to, Function& function, const LaunchConfig& config, BlockRange range,
                    Arguments... arguments) {
    std::vector<std::byte> packed(function.parameter_bytes());
    ASSERT_EQ(function.parameters().size(), sizeof...(Arguments));
    std::size_t i = 0;
    [[maybe_unused]] const auto pack = [&](const auto& value) {
      const device::ParameterLayout& at = function.parameters()[i++];
      ASSERT_EQ(at.size, sizeof value);
      std::memcpy(packed.data() + at.offset, &value, sizeof value);
    };
    (pack(arguments), ...);
    to.launch(function, config, range, packed);
  }

  std::unique_ptr<Device> device;

 private:
  std::shared_ptr<device::Module> module_;  // outlives the launches in the queue

 public:
  std::unique_ptr<Queue> queue;
};

// Skipped on devices without textures.
class Textures : public Conformance {
 protected:
  void SetUp() override;
  Function& function(std::string_view name) { return loaded_->function(name); }
  TextureTable& table() { return *table_; }

 private:
  TextureTable* table_ = nullptr;
  std::shared_ptr<device::Module> loaded_;
};

// Expects that f throws an Error of this code, and gives its message.
template <class F>
std::string expect_error(ErrorCode code, F&& f) {
  try {
    f();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "no error";
  return {};
}

// The same for faults of kernels.
template <class F>
std::string expect_fault(KernelFault fault, F&& f) {
  try {
    f();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kernel_fault) << error.what();
    EXPECT_EQ(error.fault(), fault) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "no error";
  return {};
}

// Waits until so much time of the device's clock has passed.
void let_pass(const Device& device, std::uint64_t nanoseconds);

extern const char* const kernels;      // PTX
extern const char* const much_shared;  // PTX of a kernel with more static shared memory than any block may have

#define HEDDLE_CONFORMANCE(name, ...)                                                     \
  namespace heddle::conformance {                                                         \
  INSTANTIATE_TEST_SUITE_P(name, Conformance, testing::Values(DeviceMaker(__VA_ARGS__))); \
  INSTANTIATE_TEST_SUITE_P(name, Textures, testing::Values(DeviceMaker(__VA_ARGS__)));    \
  }

}  // namespace heddle::conformance
