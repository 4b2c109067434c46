#include "conformance/conformance.hpp"

#include "ptx/parser.hpp"

namespace heddle::conformance {

void Conformance::SetUp() {
  device = GetParam()();
  if (!device) GTEST_SKIP() << "NOT RUN: this machine has no such device";
  queue = device->queue({});
}

std::shared_ptr<device::Module> Conformance::load(std::string_view ptx) {
  return device->load(std::make_shared<ptx::Module>(ptx::parse(ptx, "conformance.ptx")), {});
}

void let_pass(const Device& device, std::uint64_t nanoseconds) {
  const std::uint64_t end = device.clock().now_ns() + nanoseconds;
  base::Mutex mutex;
  std::condition_variable nobody_notifies;
  base::Lock lock(mutex);
  while (device.clock().now_ns() < end) device.clock().wait_until(lock, nobody_notifies, end);
}

device::Module& Conformance::module() {
  if (module_ == nullptr) module_ = load(kernels);
  return *module_;
}

}  // namespace heddle::conformance
