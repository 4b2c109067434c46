#include "device/cuda/pool_control.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "device/cuda/memory.hpp"
#include "device/cuda/pinned.hpp"

namespace heddle::device::cuda {

PoolControl::PoolControl(std::shared_ptr<PoolTable> table, std::size_t slot, BlockRange range)
    : table_(std::move(table)), slot_(slot), range_(range) {
  // As long as the launch has not ended, none of its blocks is known to have run.
  const auto first = static_cast<std::uint32_t>(range.begin);
  std::memcpy(result(), &first, sizeof first);
}

PoolControl::~PoolControl() { table_->release(slot_, stopped_); }

void PoolControl::stop() {
  const base::Lock lock(mutex_);
  if (!std::exchange(stopped_, true)) table_->stop(slot_);
}

BlockRange PoolControl::rest() const {
  // Written by the GPU.
  const std::uint32_t next = *static_cast<const volatile std::uint32_t*>(result());
  return {std::clamp<std::uint64_t>(next, range_.begin, range_.end), range_.end};
}

driver::Address PoolControl::counter() const { return table_->words(slot_); }
driver::Address PoolControl::control() const { return table_->words(slot_) + PoolTable::slot_bytes / 2; }

void* PoolControl::result() const {
  const base::Lock lock(table_->mutex_);
  const PoolTable::Chunk& chunk = table_->chunks_[slot_ / PoolTable::chunk_slots];
  return static_cast<std::uint32_t*>(chunk.results->host()) + slot_ % PoolTable::chunk_slots;
}

// Few programs stop launches: pinned memory and a stream take time to make.
void PoolTable::start() {
  int lowest = 0, highest = 0;
  state_->check(state_->driver().context_priorities(&lowest, &highest), "asking for the priorities of streams");
  if (!stream_)
    state_->check(state_->driver().stream_create(&stream_, driver::stream_non_blocking, highest), "making a stream");
  values_ = make_pinned_memory(state_, 2 * sizeof(std::uint32_t));
  auto* values = static_cast<std::uint32_t*>(values_->host());
  values[0] = 0;
  values[1] = 1;
}

PoolTable::~PoolTable() {
  if (!stream_ || state_->gone()) return;
  const DeviceState::Current current(*state_);
  state_->driver().stream_destroy(stream_);
}

driver::Address PoolTable::words(std::size_t slot) const {
  const base::Lock lock(mutex_);
  return chunks_[slot / chunk_slots].words->span().address + slot % chunk_slots * slot_bytes;
}

void PoolTable::grow() {
  if (!values_) start();
  Chunk chunk;
  chunk.words = std::make_unique<CudaMemory>(device_, state_, chunk_slots * slot_bytes);
  chunk.results = make_pinned_memory(state_, chunk_slots * sizeof(std::uint32_t));
  const driver::Address words = chunk.words->span().address;
  state_->check(state_->driver().fill32_async(words, 0, chunk_slots * slot_bytes / 4, state_->service_stream()),
                "filling memory");
  state_->check(state_->driver().stream_synchronize(state_->service_stream()), "filling memory");
  for (std::size_t i = chunk_slots; i-- > 0;) free_.push_back(chunks_.size() * chunk_slots + i);
  chunks_.push_back(std::move(chunk));
}

std::shared_ptr<PoolControl> PoolTable::acquire(BlockRange range) {
  std::size_t slot = 0;
  {
    const base::Lock lock(mutex_);
    if (free_.empty() && !stopped_.empty()) {
      for (const std::size_t used : stopped_) {
        const driver::Address word =
            chunks_[used / chunk_slots].words->span().address + used % chunk_slots * slot_bytes + slot_bytes / 2;
        state_->check(write(word, false), "resetting a stop word");
      }
      state_->check(state_->driver().stream_synchronize(stream_), "resetting a stop word");
      free_ = std::exchange(stopped_, {});
    }
    if (free_.empty()) grow();
    slot = free_.back();
    free_.pop_back();
  }
  return std::make_shared<PoolControl>(shared_from_this(), slot, range);
}

void PoolTable::release(std::size_t slot, bool stopped) {
  const base::Lock lock(mutex_);
  (stopped ? stopped_ : free_).push_back(slot);
}

void PoolTable::stop(std::size_t slot) {
  if (state_->lost()) return;
  const DeviceState::Current current(*state_);
  write(words(slot) + slot_bytes / 2, true);
}

driver::Result PoolTable::write(driver::Address control, bool stop) {
  const auto* value = static_cast<const std::uint32_t*>(values_->host()) + (stop ? 1 : 0);
  return state_->driver().copy_to_device_async(control, value, sizeof *value, stream_);
}

}  // namespace heddle::device::cuda
