#include "device/cuda/progress_flag.hpp"

#include "device/cuda/memory.hpp"

namespace heddle::device::cuda {

CudaProgressFlag::~CudaProgressFlag() {
  const base::Lock lock(table_->mutex_);
  table_->spare_.push_back(address_);
}

bool ProgressFlagTable::possible() {
  constexpr int can_write_words = 122;  // CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS
  if (possible_ < 0) {
    int value = 0;
    const Driver& cuda = state_->driver();
    const bool known = cuda.device_attribute(&value, can_write_words, state_->number()) == driver::success;
    possible_ = known && value != 0 && cuda.stream_write64 != nullptr ? 1 : 0;
  }
  return possible_ == 1;
}

void ProgressFlagTable::grow() {
  constexpr unsigned char all_ones = 0xff;
  const DeviceState::Current current(*state_);
  // The driver does not write words in stream order into memory of a pool.
  auto chunk = std::make_unique<CudaMemory>(device_, state_, chunk_words * word_bytes, false);
  const std::uint64_t first = chunk->span().address;
  const driver::Stream stream = state_->service_stream();
  state_->check(state_->driver().fill8_async(first, all_ones, chunk_words * word_bytes, stream), "filling memory");
  state_->check(state_->driver().stream_synchronize(stream), "filling memory");
  chunks_.push_back(std::move(chunk));
  for (std::size_t i = 0; i < chunk_words; ++i) spare_.push_back(first + i * word_bytes);
}

std::unique_ptr<ProgressFlag> ProgressFlagTable::acquire() {
  const base::Lock lock(mutex_);
  if (!possible()) return nullptr;
  if (spare_.empty()) grow();
  const std::uint64_t address = spare_.back();
  spare_.pop_back();
  return std::make_unique<CudaProgressFlag>(shared_from_this(), address);
}

}  // namespace heddle::device::cuda
