// Words in which copies to a GPU tell how far they have come.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "device/arrival.hpp"
#include "device/cuda/state.hpp"
#include "device/memory.hpp"

namespace heddle::device::cuda {

class ArrivalTable;

class CudaArrival final : public Arrival {
 public:
  CudaArrival(std::shared_ptr<ArrivalTable> table, std::uint64_t address)
      : table_(std::move(table)), address_(address) {}
  ~CudaArrival() override;
  CudaArrival(const CudaArrival&) = delete;
  CudaArrival& operator=(const CudaArrival&) = delete;
  std::uint64_t address() const override { return address_; }
  const ArrivalTable* table() const { return table_.get(); }

 private:
  std::shared_ptr<ArrivalTable> table_;
  std::uint64_t address_;
};

// All words of a GPU, in its own memory: kernels look at them often. Any thread.
class ArrivalTable : public std::enable_shared_from_this<ArrivalTable> {
 public:
  ArrivalTable(Device& device, std::shared_ptr<DeviceState> state) : device_(device), state_(std::move(state)) {}
  // Null where the driver cannot write words in stream order. Throws out_of_memory.
  std::unique_ptr<Arrival> take();

 private:
  friend class CudaArrival;
  static constexpr std::size_t chunk_words = 256, word_bytes = 256;
  bool possible();
  void grow();

  Device& device_;
  std::shared_ptr<DeviceState> state_;
  std::mutex mutex_;
  int possible_ = -1;  // not asked yet
  std::vector<std::unique_ptr<Memory>> chunks_;
  std::vector<std::uint64_t> spare_;  // they hold ~0
};

}  // namespace heddle::device::cuda
