// How workers execute a launch: direct kernels in chunks of blocks, others block by block with fibers.
#pragma once

#include "device/cpu/launch_job.hpp"

namespace heddle::device::cpu {

class LaunchWork final : public LaunchJob {
 public:
  using LaunchJob::LaunchJob;

  void work(Worker& worker) override;
  bool fits(const Worker& worker) const override;
};

}  // namespace heddle::device::cpu
