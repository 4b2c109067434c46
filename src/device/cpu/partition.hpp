// A subset of the workers.
#pragma once

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

}  // namespace heddle::device::cpu
