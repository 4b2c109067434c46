#include "device/emulated/memory.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "base/fail.hpp"
#include "base/format.hpp"
#include "base/memory_limit.hpp"
#include "device/device.hpp"

namespace heddle::device::emulated {
namespace {

constexpr std::size_t memory_alignment = 256;

class OwnMemory final : public Memory {
 public:
  OwnMemory(Device& device, std::shared_ptr<DeviceState> state, std::size_t bytes)
      : device_(device), state_(std::move(state)), bytes_(bytes) {
    data_ = ::operator new(std::max<std::size_t>(bytes, 1), std::align_val_t{memory_alignment}, std::nothrow);
    if (!data_)
      base::fail(ErrorCode::out_of_memory, "{}: no memory for an allocation of {}{}", device.info().id,
                 base::format_bytes(bytes), base::memory_limit_note());
    state_->machine.memory.add({machine::Allocation::Kind::memory, address(), bytes, ""});
    state_->allocated_bytes += bytes_;
  }
  ~OwnMemory() override {
    state_->allocated_bytes -= bytes_;
    state_->machine.memory.remove(address());
    ::operator delete(data_, std::align_val_t{memory_alignment});
  }
  OwnMemory(const OwnMemory&) = delete;
  OwnMemory& operator=(const OwnMemory&) = delete;
  Span span() const override { return {&device_, address(), bytes_}; }
  void* host() const override { return data_; }
  void guard() override { state_->machine.memory.guard(address()); }

 private:
  std::uint64_t address() const { return reinterpret_cast<std::uint64_t>(data_); }
  Device& device_;
  std::shared_ptr<DeviceState> state_;
  std::size_t bytes_;
  void* data_ = nullptr;
};

class AdoptedMemory final : public Memory {
 public:
  AdoptedMemory(std::shared_ptr<DeviceState> state, void* data, std::size_t bytes, std::unique_ptr<Memory> owner)
      : state_(std::move(state)), data_(data), bytes_(bytes), owner_(std::move(owner)) {
    if (!state_->machine.memory.add_if_disjoint({machine::Allocation::Kind::host, address(), bytes, ""}))
      base::fail(ErrorCode::invalid_argument,
                 "{}: part of the {} at {:#x} cannot be registered, as it is known already", state_->engine->name(),
                 base::counted(bytes, "byte"), address());
  }
  ~AdoptedMemory() override { state_->machine.memory.remove(address()); }
  AdoptedMemory(const AdoptedMemory&) = delete;
  AdoptedMemory& operator=(const AdoptedMemory&) = delete;
  Span span() const override { return Span::host(data_, bytes_); }
  void* host() const override { return data_; }
  void guard() override { state_->machine.memory.guard(address()); }

 private:
  std::uint64_t address() const { return reinterpret_cast<std::uint64_t>(data_); }
  std::shared_ptr<DeviceState> state_;
  void* data_;
  std::size_t bytes_;
  std::unique_ptr<Memory> owner_;
};

}  // namespace

std::unique_ptr<Memory> allocate(Device& device, std::shared_ptr<DeviceState> state, std::size_t bytes) {
  return std::make_unique<OwnMemory>(device, std::move(state), bytes);
}

std::unique_ptr<Memory> adopt(std::shared_ptr<DeviceState> state, void* data, std::size_t bytes,
                              std::unique_ptr<Memory> owner) {
  return std::make_unique<AdoptedMemory>(std::move(state), data, bytes, std::move(owner));
}

}  // namespace heddle::device::emulated
