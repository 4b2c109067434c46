// Implements heddle::Memory.
#pragma once

#include <memory>
#include <utility>

#include "core/core.hpp"
#include "device/memory.hpp"
#include "heddle/device.hpp"

namespace heddle::queues {

class MemoryState {
 public:
  MemoryState(std::shared_ptr<core::Core> core, int device, std::unique_ptr<device::Memory> memory)
      : core_(std::move(core)), device_(device), memory_(std::move(memory)) {
    core_->memory().registry().add_explicit(space(), memory_->span().size);
  }
  ~MemoryState() { core_->memory().registry().remove_explicit(space(), memory_->span().size); }
  MemoryState(const MemoryState&) = delete;
  MemoryState& operator=(const MemoryState&) = delete;
  MemorySpan span() const {
    const device::Span span = memory_->span();
    return {span.device ? device_ : MemorySpan::host, span.address, span.size};
  }
  void* host() const { return memory_->host(); }

 private:
  // The host's is the last.
  memory::Space space() const {
    return static_cast<memory::Space>(memory_->span().device ? static_cast<std::size_t>(device_) : core_->places());
  }

  std::shared_ptr<core::Core> core_;  // the device must exist when the memory is freed
  int device_;
  std::unique_ptr<device::Memory> memory_;
};

}  // namespace heddle::queues
