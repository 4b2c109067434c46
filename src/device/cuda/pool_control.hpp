// Words through which the host and a pool of persistent blocks communicate: the next block, and the request to stop.
#pragma once

#include <memory>
#include <vector>

#include "base/thread_safety.hpp"
#include "device/cuda/state.hpp"
#include "device/memory.hpp"
#include "device/stoppable_launch.hpp"

namespace heddle::device::cuda {

class PoolTable;

// One launch's words, and the StoppableLaunch of it.
class PoolControl final : public StoppableLaunch {
 public:
  PoolControl(std::shared_ptr<PoolTable> table, std::size_t slot, BlockRange range);
  ~PoolControl() override;
  PoolControl(const PoolControl&) = delete;
  PoolControl& operator=(const PoolControl&) = delete;
  // A copy engine writes the word, since no SM may be free to do it. Failures are those of a lost device, which
  // waits for the launch report.
  void stop() override;
  BlockRange rest() const override;

  driver::Address counter() const;
  driver::Address control() const;
  // Where the host finds the counter after the launch, 4 bytes.
  void* result() const;

 private:
  std::shared_ptr<PoolTable> table_;
  std::size_t slot_;
  BlockRange range_;
  base::Mutex mutex_;
  bool stopped_ HEDDLE_GUARDED_BY(mutex_) = false;
};

// The words of all launches that can be stopped, in memory of the GPU: a control word in host memory would have each
// block wait for the link. Any thread.
class PoolTable : public std::enable_shared_from_this<PoolTable> {
 public:
  PoolTable(Device& device, std::shared_ptr<DeviceState> state) : device_(device), state_(std::move(state)) {}
  ~PoolTable();
  PoolTable(const PoolTable&) = delete;
  PoolTable& operator=(const PoolTable&) = delete;
  // Needs the GPU's context, as everything here.
  std::shared_ptr<PoolControl> acquire(BlockRange range);

 private:
  friend class PoolControl;
  struct Chunk {
    std::unique_ptr<Memory> words, results;
  };
  static constexpr std::size_t chunk_slots = 64, slot_bytes = 256;
  void start();
  void grow() HEDDLE_REQUIRES(mutex_);
  driver::Result write(driver::Address control, bool stop);
  void release(std::size_t slot, bool stopped);
  void stop(std::size_t slot);
  driver::Address words(std::size_t slot) const;

  Device& device_;
  std::shared_ptr<DeviceState> state_;
  driver::Stream stream_ = nullptr;  // for stop words alone, so that none waits for other commands
  mutable base::Mutex mutex_;
  std::unique_ptr<Memory> values_;  // pinned: 0 and 1, to copy from; made before the first slot
  std::vector<Chunk> chunks_ HEDDLE_GUARDED_BY(mutex_);
  std::vector<std::size_t> free_,
      stopped_ HEDDLE_GUARDED_BY(mutex_);  // the stop words of the latter must be reset first
};

}  // namespace heddle::device::cuda
