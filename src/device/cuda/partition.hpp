// Subsets of a GPU's SMs: green contexts.
//
// The SMs are split once into the smallest groups that the driver makes (on compute capability 9.0: 66 groups of two,
// one TPC each); a partition is any union of groups of this one split, since only those may be put together. Contexts
// are made when first asked for and kept. The driver does not promise that disjoint partitions run at once, only that
// each runs on its own SMs.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <vector>

#include "base/thread_safety.hpp"
#include "device/cuda/state.hpp"
#include "device/partition.hpp"

namespace heddle::device::cuda {

class PartitionTable;

class CudaPartition final : public Partition {
 public:
  CudaPartition(std::shared_ptr<PartitionTable> table, ProcessorSet set, driver::GreenContext context)
      : table_(std::move(table)), set_(std::move(set)), context_(context) {}
  // SMs by number within the split: 2 g and 2 g + 1 are group g. %smid, which the driver numbers, may be another.
  const ProcessorSet& processors() const override { return set_; }
  driver::GreenContext context() const { return context_; }
  const PartitionTable* table() const { return table_.get(); }

 private:
  std::shared_ptr<PartitionTable> table_;
  ProcessorSet set_;
  driver::GreenContext context_;
};

class PartitionTable : public std::enable_shared_from_this<PartitionTable> {
 public:
  explicit PartitionTable(std::shared_ptr<DeviceState> state) : state_(std::move(state)) {}
  ~PartitionTable();
  PartitionTable(const PartitionTable&) = delete;
  PartitionTable& operator=(const PartitionTable&) = delete;
  // Throws invalid_argument for numbers that do not exist or split a group; unsupported where the driver has no
  // green contexts. Any thread.
  std::unique_ptr<Partition> partition(const ProcessorSet& processors);

 private:
  void split() HEDDLE_REQUIRES(mutex_);

  std::shared_ptr<DeviceState> state_;
  base::Mutex mutex_;
  std::vector<driver::Resource> groups_ HEDDLE_GUARDED_BY(mutex_);
  std::vector<unsigned> first_ HEDDLE_GUARDED_BY(mutex_);  // number of each group's first SM; one more at the end
  std::map<std::set<std::size_t>, driver::GreenContext> contexts_ HEDDLE_GUARDED_BY(mutex_);
};

}  // namespace heddle::device::cuda
