#include "device/cuda/pinned.hpp"

#include <atomic>
#include <utility>

#include "base/fail.hpp"
#include "base/format.hpp"
#include "base/log.hpp"
#include "device/host_memory.hpp"

namespace heddle::device::cuda {
namespace {

class PinnedMemory final : public Memory {
 public:
  PinnedMemory(std::shared_ptr<DeviceState> state, void* data, std::size_t bytes)
      : state_(std::move(state)), data_(data), bytes_(bytes) {}
  ~PinnedMemory() override { state_->pinned().release(data_, bytes_); }
  PinnedMemory(const PinnedMemory&) = delete;
  PinnedMemory& operator=(const PinnedMemory&) = delete;
  Span span() const override { return Span::host(data_, bytes_); }
  void* host() const override { return data_; }

 private:
  std::shared_ptr<DeviceState> state_;
  void* data_;
  std::size_t bytes_;
};

}  // namespace

std::unique_ptr<Memory> make_pinned_memory(std::shared_ptr<DeviceState> state, std::size_t bytes) {
  state->check_lost();
  void* data = nullptr;
  {
    const DeviceState::Current current(*state);
    state->check(state->pinned().acquire(bytes, data), "pinning host memory");
  }
  if (data) return std::make_unique<PinnedMemory>(std::move(state), data, bytes);
  static std::atomic_flag warned;
  if (!warned.test_and_set())
    base::log_warn("{}: the system pins no {} of host memory; copies from and to ordinary memory are slower",
                   state->info().id, base::format_bytes(bytes));
  return make_host_memory(bytes);
}

namespace {

class RegisteredMemory final : public Memory {
 public:
  RegisteredMemory(std::shared_ptr<DeviceState> state, void* data, std::size_t bytes)
      : state_(std::move(state)), data_(data), bytes_(bytes) {}
  ~RegisteredMemory() override {
    if (state_->gone()) return;
    const DeviceState::Current current(*state_);
    state_->driver().host_unregister(data_);
  }
  RegisteredMemory(const RegisteredMemory&) = delete;
  RegisteredMemory& operator=(const RegisteredMemory&) = delete;
  Span span() const override { return Span::host(data_, bytes_); }
  void* host() const override { return data_; }

 private:
  std::shared_ptr<DeviceState> state_;
  void* data_;
  std::size_t bytes_;
};

}  // namespace

std::unique_ptr<Memory> register_host_memory(std::shared_ptr<DeviceState> state, void* data, std::size_t bytes) {
  state->check_lost();
  if (!data || bytes == 0) base::fail(ErrorCode::invalid_argument, "{}: no host memory to register", state->info().id);
  const DeviceState::Current current(*state);
  const driver::Result result =
      state->driver().host_register(data, bytes, driver::host_portable | driver::host_device_mapped);
  const std::string what = fmt::format("pinning {} of host memory at {}", base::counted(bytes, "byte"), data);
  const bool wrong = result == driver::error_host_memory_registered || result == driver::error_invalid_value;
  state->check(result, what,
               wrong                                   ? ErrorCode::invalid_argument
               : result == driver::error_out_of_memory ? ErrorCode::out_of_memory
                                                       : ErrorCode::internal);
  return std::make_unique<RegisteredMemory>(std::move(state), data, bytes);
}

}  // namespace heddle::device::cuda
