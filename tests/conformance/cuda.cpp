#include "device/cuda/cuda.hpp"

#include "conformance/conformance.hpp"

namespace heddle::conformance {
namespace {

// $HEDDLE_TEST_GPU chooses one; without a GPU the suite is skipped, and says so.
int ordinal() {
  const char* number = std::getenv("HEDDLE_TEST_GPU");
  return number ? std::atoi(number) : 0;
}

std::unique_ptr<Device> open() {
  if (device::cuda::cuda_device_count() == 0) return nullptr;
  return device::cuda::make_cuda_device({.ordinal = ordinal()});
}

}  // namespace
}  // namespace heddle::conformance

HEDDLE_CONFORMANCE(cuda, open)
