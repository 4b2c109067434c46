// Records launches of a simulated machine: their figures as lines of JSON, and events of their warps as a trace.
// docs/simulator.md describes both files.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "device/sim/record/launch_json.hpp"
#include "device/sim/record/record_file.hpp"
#include "device/sim/record/record_options.hpp"
#include "device/sim/record/sm_recorder.hpp"

namespace heddle::device::sim {

// One thread at a time.
class Recorder final : public GpuObserver {
 public:
  // Looks whether the files can be written; they are made at the end of the first launch. The description outlives it.
  // Throws not_found, io_error and invalid_argument.
  Recorder(const MachineDescription& machine, const std::string& id, const RecordOptions& options);

  SmObserver& sm(unsigned index) override { return *sms_[index]; }
  void begin(Cycle now) override;
  void epoch(Cycle now, const MemoryModel& memory) override;

  // A launch has ended, or failed with this message. Throws io_error.
  void ended(const LaunchFacts& launch, const KernelStatistics& statistics, const std::string& failure);

 private:
  void write_report(const LaunchFacts& launch, const KernelStatistics& statistics, const std::string& failure);
  void write_trace(const LaunchFacts& launch);
  std::uint64_t function_number(const LaunchFacts& launch, std::uint32_t function);
  void sample(Cycle now, const MemoryModel& memory);

  const MachineDescription& machine_;
  const RecordOptions options_;
  std::optional<RecordFile> report_, trace_;
  std::vector<std::unique_ptr<SmRecorder>> sms_;
  std::map<std::pair<const ptx::Function*, std::string>, std::uint64_t> functions_;  // that are in the report
  std::vector<MemorySample> samples_;
  Cycle begin_ = 0, next_sample_ = 0, sample_interval_ = 0;
  unsigned traced_ = 0;
  std::uint64_t launches_ = 0;
};

}  // namespace heddle::device::sim
