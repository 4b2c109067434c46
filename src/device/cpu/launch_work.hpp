// How workers execute a launch: direct kernels in chunks of blocks, others block by block with fibers.
#pragma once

#include "device/cpu/launch_job.hpp"

namespace heddle::device::cpu {

class LaunchWork final : public LaunchJob {
 public:
  using LaunchJob::LaunchJob;

  void work(Worker& worker) noexcept override;
  bool fits(const Worker& worker) const override;

 private:
  // Hands out what the checks have found.
  void on_complete() noexcept override;
  void report_findings();
};

}  // namespace heddle::device::cpu
