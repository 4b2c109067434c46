#include "device/cuda/pinned.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <utility>

#include "base/fail.hpp"
#include "base/format.hpp"
#include "base/log.hpp"
#include "device/cuda/state.hpp"
#include "device/host_memory.hpp"

namespace heddle::device::cuda {
namespace {

constexpr std::size_t mebibyte = std::size_t{1} << 20, slab_bytes = 2 * mebibyte, smallest = 256;
// Kept for later, of the large blocks.
constexpr std::size_t most_spare = std::size_t{4} << 30;

class PinnedMemory final : public Memory {
 public:
  PinnedMemory(std::shared_ptr<DeviceState> state, void* data, std::size_t bytes)
      : state_(std::move(state)), data_(data), bytes_(bytes) {}
  ~PinnedMemory() override { state_->pinned.give(data_, bytes_); }
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

std::size_t PinnedPool::rounded(std::size_t bytes) {
  if (bytes <= mebibyte) return std::bit_ceil(std::max(bytes, smallest));
  return (bytes + mebibyte - 1) / mebibyte * mebibyte;
}

PinnedPool::~PinnedPool() {
  for (const auto& [mapping, bytes] : mappings_) munmap(mapping, bytes);
}

void PinnedPool::unregister() {
  const std::lock_guard lock(mutex_);
  for (const auto& [mapping, bytes] : mappings_) state_.driver().host_unregister(mapping);
}

void* PinnedPool::pin(std::size_t bytes) {
  void* const mapping = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapping == MAP_FAILED) return nullptr;
  madvise(mapping, bytes, MADV_HUGEPAGE);  // fewer pages to pin; a hint
  const driver::Result result =
      state_.driver().host_register(mapping, bytes, driver::host_portable | driver::host_device_mapped);
  if (result != driver::success) {
    munmap(mapping, bytes);
    if (result != driver::error_out_of_memory) state_.check(result, "pinning host memory");
    return nullptr;
  }
  mappings_.emplace(mapping, bytes);
  return mapping;
}

void PinnedPool::unmap(void* mapping) {
  const auto found = mappings_.find(mapping);
  if (!state_.lost()) state_.driver().host_unregister(mapping);
  munmap(mapping, found->second);
  mappings_.erase(found);
}

void* PinnedPool::take(std::size_t bytes) {
  bytes = rounded(bytes);
  const bool small = bytes <= mebibyte;
  const std::lock_guard lock(mutex_);
  auto& spare = small ? spare_small_ : spare_large_;
  if (const auto found = spare.find(bytes); found != spare.end()) {
    void* const block = found->second;
    if (!small) spare_large_bytes_ -= bytes;
    spare.erase(found);
    return block;
  }
  if (!small) {
    if (void* const block = pin(bytes)) return block;
    trim(0);  // there may be too much of the wrong size
    return pin(bytes);
  }
  Rest& rest = rests_[bytes];
  if (rest.next == rest.end) {
    auto* const slab = static_cast<std::byte*>(pin(slab_bytes));
    if (!slab) return nullptr;
    rest = {slab, slab + slab_bytes};
  }
  return std::exchange(rest.next, rest.next + bytes);
}

void PinnedPool::give(void* block, std::size_t bytes) noexcept {
  bytes = rounded(bytes);
  const std::lock_guard lock(mutex_);
  if (bytes <= mebibyte) {
    spare_small_.emplace(bytes, block);
    return;
  }
  spare_large_.emplace(bytes, block);
  spare_large_bytes_ += bytes;
  if (spare_large_bytes_ > most_spare) trim(most_spare / 2);
}

void PinnedPool::trim(std::size_t to) {
  while (spare_large_bytes_ > to) {
    const auto largest = std::prev(spare_large_.end());
    unmap(largest->second);
    spare_large_bytes_ -= largest->first;
    spare_large_.erase(largest);
  }
}

std::unique_ptr<Memory> make_pinned_memory(std::shared_ptr<DeviceState> state, std::size_t bytes) {
  state->check_lost();
  void* data = nullptr;
  {
    const DeviceState::Current current(*state);
    data = state->pinned.take(bytes);
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
    if (state_->lost()) return;
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
