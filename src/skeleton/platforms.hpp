// The devices of a runtime as execution platforms: the CPU, which is split into sub-devices, and GPUs, which run
// several parts at once (Marrow, section 2.13 of its paper's runtime layer).
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/thread_safety.hpp"
#include "heddle/skeleton.hpp"
#include "knowledge/profile.hpp"

namespace heddle::skeleton {

// One parallel execution: a part of every run.
struct Execution {
  std::string device;                // id
  std::vector<unsigned> processors;  // workers of a CPU's sub-device; empty: all
  bool gpu = false;
  bool simulated = false;       // its times are its own clock's
  double weight = 0;            // of all executions of its type together: 1
  unsigned max_threads = 1024;  // of a block
};

// Workers of a CPU device that share a cache or a memory of this kind, worker i being the process's i-th core; from the
// files that Linux shows of its processors under `root`. One domain with all where Linux shows nothing.
std::vector<std::vector<unsigned>> cache_domains(knowledge::Fission fission, unsigned workers,
                                                 const std::string& root = "/sys/devices/system");

// The same, read once for each level and number of workers: every run asks, and there are hundreds of files. Any
// thread.
class CacheDomains {
 public:
  explicit CacheDomains(std::string root = "/sys/devices/system") : root_(std::move(root)) {}
  std::vector<std::vector<unsigned>> of(knowledge::Fission fission, unsigned workers) const;

 private:
  const std::string root_;
  mutable base::Mutex mutex_;
  mutable std::map<std::pair<knowledge::Fission, unsigned>, std::vector<std::vector<unsigned>>> known_
      HEDDLE_GUARDED_BY(mutex_);
};

class Platforms {
 public:
  Platforms(Runtime& runtime, const ExecutorOptions& options);

  bool has_cpu() const { return !cpus_.empty(); }
  bool has_gpu() const { return !gpus_.empty(); }
  // Levels of fission that differ, with their number of sub-devices; in the order of search.
  std::vector<knowledge::Fission> fissions() const;
  // The parallel executions: `overlap` for each GPU, then the sub-devices of the CPUs.
  std::vector<Execution> executions(knowledge::Fission fission, unsigned overlap) const;
  // All GPUs' speed against all devices': what is assumed where nothing is known.
  double static_gpu_share() const { return static_gpu_share_; }
  // For keys: "AMD EPYC, 2 workers + NVIDIA H200".
  const std::string& machine() const { return machine_; }

 private:
  struct Device {
    DeviceInfo info;
    double speed = 1;
  };
  using Domains = std::vector<std::vector<unsigned>>;
  Domains domains_of(knowledge::Fission fission, const DeviceInfo& cpu) const;

  const CacheDomains cache_domains_;
  std::vector<Device> cpus_, gpus_;
  std::vector<std::vector<unsigned>> given_domains_;
  double static_gpu_share_ = 1;
  std::string machine_;
};

// Operations per second of a device with a kernel of integer and floating-point arithmetic: the geometric mean of both.
// Of a simulated device by its own clock.
double measure_speed(Runtime& runtime, const DeviceInfo& device);

}  // namespace heddle::skeleton
