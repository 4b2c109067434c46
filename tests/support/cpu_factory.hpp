// Makes CPU devices for tests: two workers, no cache on disk, a short patience with deadlocks.
#pragma once

#include <memory>

#include "support/ptx_test.hpp"

namespace heddle::test {

// A DeviceFactory. The stream that takes the last device's printf lives as long as the factory.
class CpuFactory {
 public:
  CpuFactory();
  std::unique_ptr<device::Device> operator()(const TestDeviceOptions& options) const;

 private:
  struct Stream;
  std::shared_ptr<std::unique_ptr<Stream>> stream_;
};

}  // namespace heddle::test
