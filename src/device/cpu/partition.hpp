// A subset of the workers.
#pragma once

#include "base/fail.hpp"
#include "device/cpu/job.hpp"
#include "device/partition.hpp"

namespace heddle::device::cpu {

class CpuPartition final : public Partition {
 public:
  explicit CpuPartition(const ProcessorSet& processors) : processors_(processors), workers_(processors) {}
  const ProcessorSet& processors() const override { return processors_; }
  const WorkerSet& workers() const { return workers_; }

 private:
  ProcessorSet processors_;
  WorkerSet workers_;
};

// All workers for null. Throws invalid_argument for partitions of other devices.
inline WorkerSet workers_of(const Partition* partition) {
  if (partition == nullptr) return {};
  const auto* own = dynamic_cast<const CpuPartition*>(partition);
  if (own == nullptr) base::fail(ErrorCode::invalid_argument, "cpu: the partition is of another device");
  return own->workers();
}

}  // namespace heddle::device::cpu
