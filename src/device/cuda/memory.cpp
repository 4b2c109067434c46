#include "device/cuda/memory.hpp"

#include <algorithm>

#include "base/fail.hpp"
#include "base/format.hpp"

namespace heddle::device::cuda {
namespace {

[[noreturn]] void no_memory(const DeviceState& state, std::size_t bytes) {
  std::size_t free = 0, total = 0;
  state.driver().memory_info(&free, &total);
  const std::uint64_t own = state.allocated_bytes, used = total - std::min(free, total);
  if (state.info().memory_bytes < total)
    base::fail(
        ErrorCode::out_of_memory,
        "{}: no memory for an allocation of {}: this process may take {} (HEDDLE_MEMORY_LIMIT), and holds {} in {} "
        "allocations",
        state.info().id, base::format_bytes(bytes), base::format_bytes(state.info().memory_bytes),
        base::format_bytes(own), state.allocations.load());
  base::fail(ErrorCode::out_of_memory,
             "{}: no memory for an allocation of {}: of {}, {} are free; this process holds {} in {} allocations, "
             "contexts and other programs {}",
             state.info().id, base::format_bytes(bytes), base::format_bytes(total), base::format_bytes(free),
             base::format_bytes(own), state.allocations.load(), base::format_bytes(used - std::min(own, used)));
}

}  // namespace

CudaMemory::CudaMemory(Device& device, std::shared_ptr<DeviceState> state, std::size_t bytes, bool pooled)
    : device_(device), state_(std::move(state)), bytes_(bytes), pooled_(pooled) {
  state_->check_lost();
  const DeviceState::Current current(*state_);
  const Driver& cuda = state_->driver();
  if (bytes > state_->info().memory_bytes || state_->allocated_bytes > state_->info().memory_bytes - bytes)
    no_memory(*state_, bytes);
  const std::size_t wanted = std::max<std::size_t>(bytes, 1);
  driver::Result result = driver::success;
  if (pooled_) {
    state_->start_pool();
    // The stream has nothing else to do: the memory is there once it is idle.
    result = cuda.memory_alloc_async(&address_, wanted, state_->service_stream());
    if (result == driver::success) result = cuda.stream_synchronize(state_->service_stream());
  } else {
    result = cuda.memory_alloc(&address_, wanted);
  }
  if (result == driver::error_out_of_memory) no_memory(*state_, bytes);
  state_->check(result, fmt::format("allocating {}", base::format_bytes(bytes)));
  state_->spans.add(address_, bytes);
  ++state_->allocations;
  state_->allocated_bytes += bytes;
}

CudaMemory::~CudaMemory() {
  if (!state_->gone()) {
    const DeviceState::Current current(*state_);
    if (pooled_)
      state_->driver().memory_free_async(address_, state_->service_stream());
    else
      state_->driver().memory_free(address_);
  }
  state_->spans.remove(address_);
  --state_->allocations;
  state_->allocated_bytes -= bytes_;
}

}  // namespace heddle::device::cuda
