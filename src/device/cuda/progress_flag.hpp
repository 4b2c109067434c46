// Flags in which copies to a GPU report their progress.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/thread_safety.hpp"
#include "device/cuda/state.hpp"
#include "device/memory.hpp"
#include "device/progress_flag.hpp"

namespace heddle::device::cuda {

class ProgressFlagTable;

class CudaProgressFlag final : public ProgressFlag {
 public:
  CudaProgressFlag(std::shared_ptr<ProgressFlagTable> table, std::uint64_t address)
      : table_(std::move(table)), address_(address) {}
  ~CudaProgressFlag() override;
  CudaProgressFlag(const CudaProgressFlag&) = delete;
  CudaProgressFlag& operator=(const CudaProgressFlag&) = delete;
  std::uint64_t address() const override { return address_; }
  const ProgressFlagTable* table() const { return table_.get(); }

 private:
  std::shared_ptr<ProgressFlagTable> table_;
  std::uint64_t address_;
};

// All flags of a GPU, in its own memory: kernels poll them. Any thread.
class ProgressFlagTable : public std::enable_shared_from_this<ProgressFlagTable> {
 public:
  ProgressFlagTable(Device& device, std::shared_ptr<DeviceState> state) : device_(device), state_(std::move(state)) {}
  // Null where the driver cannot write words in stream order. Throws out_of_memory.
  std::unique_ptr<ProgressFlag> acquire();

 private:
  friend class CudaProgressFlag;
  static constexpr std::size_t chunk_words = 256, word_bytes = 256;
  bool possible() HEDDLE_REQUIRES(mutex_);
  void grow() HEDDLE_REQUIRES(mutex_);

  Device& device_;
  std::shared_ptr<DeviceState> state_;
  base::Mutex mutex_;
  int possible_ HEDDLE_GUARDED_BY(mutex_) = -1;  // not queried yet
  std::vector<std::unique_ptr<Memory>> chunks_ HEDDLE_GUARDED_BY(mutex_);
  std::vector<std::uint64_t> spare_ HEDDLE_GUARDED_BY(mutex_);  // they hold ~0
};

}  // namespace heddle::device::cuda
