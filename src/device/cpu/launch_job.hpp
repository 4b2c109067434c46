// A launch while it runs: what its blocks are. How workers execute them is in launch_work.hpp.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "device/cpu/block.hpp"
#include "device/cpu/checker/launch_checker.hpp"
#include "device/cpu/job.hpp"
#include "device/cpu/kernel_code.hpp"
#include "device/cpu/kernel_unit.hpp"
#include "device/cpu/time_limit.hpp"
#include "device/cpu/written_places.hpp"
#include "device/queue.hpp"

namespace heddle::device::cpu {

class ReadyJobs;
class Services;

// What CpuOptions::poison_shared fills shared memory with.
inline constexpr std::uint8_t poison_byte = 0xA5;

class LaunchJob : public Job, public std::enable_shared_from_this<LaunchJob> {
 public:
  struct Setup {
    std::shared_ptr<const KernelCode> code;
    const ptx::Module* module = nullptr;  // for messages; kept alive by `keep`
    const ptx::Function* kernel = nullptr;
    const KernelUnit* unit = nullptr;  // null: instructions are not numbered
    std::shared_ptr<const void> keep;
    std::uint8_t* const* variables = nullptr;
    std::shared_ptr<const Footprint> footprint;  // null: it may touch everything
    Checks checks;                               // that the code is made for
    const std::string* place = nullptr;          // LoadOptions::place, which lives as the kernel; null: none
    const WrittenPlaces* written = nullptr;      // by the kernel; null: not known
    LaunchConfig config;
    Dim3 asked_block;  // of which config has the threads that are to run
    BlockRange range;
    std::span<const std::byte> arguments;  // copied
    std::uint64_t queue_id = 0;
    std::uint64_t command = 0;
  };
  LaunchJob(const Setup& setup, Services& services);
  ~LaunchJob() override;

  const KernelCode& code() const { return *code_; }
  const LaunchContext& context() const { return context_; }
  const LaunchConfig& config() const { return config_; }
  const Dim3& asked_block() const { return asked_block_; }
  const ptx::Module& module() const { return *module_; }
  const ptx::Function& kernel() const { return *kernel_; }
  const KernelUnit* unit() const { return unit_; }
  const Footprint* footprint() const { return footprint_.get(); }
  // Null where neither races, nor uninitialised memory, nor synchronisation is looked at.
  LaunchChecker* checker() const { return checker_.get(); }
  // That the code is made for.
  const Checks& checks() const { return checks_; }
  std::string_view place() const { return place_ == nullptr ? std::string_view() : *place_; }
  // Before a block's code runs: sets what code that is made for checks looks at.
  void begin_checks(Block& block) const;
  std::uint32_t block_threads() const { return block_threads_; }
  std::uint32_t shared_bytes() const { return context_.static_shared_bytes + context_.dynamic_shared_bytes; }
  Services& services() const { return services_; }
  std::uint64_t command() const { return command_; }

  // Bytes of one fiber's stack: what the code needs and room for the runtime's calls.
  std::size_t stack_bytes() const;
  std::size_t argument_bytes() const { return argument_bytes_; }
  // Fibers of one resident block.
  unsigned fibers_per_block() const { return (block_threads_ + code_->width - 1) / code_->width; }
  void block_index(std::uint64_t id, std::uint32_t (&index)[3]) const;
  // A worker is about to run the first block: records the start in the trace, and starts the time limit. Fails the
  // launch if that cannot be started.
  void note_start(ReadyJobs& workers) noexcept;
  // Null: the launch may run for ever.
  TimeLimit* time_limit() const { return time_limit_.get(); }

 protected:
  void on_complete() noexcept override;

 private:
  std::shared_ptr<const KernelCode> code_;
  const ptx::Module* module_;
  const ptx::Function* kernel_;
  const KernelUnit* unit_;
  std::shared_ptr<const void> keep_;
  std::shared_ptr<const Footprint> footprint_;
  Services& services_;
  LaunchConfig config_;
  Dim3 asked_block_;
  BlockRange range_;
  std::unique_ptr<LaunchChecker> checker_;
  const Checks checks_;
  const std::string* place_;
  std::uint64_t command_;
  std::uint64_t task_;  // of the trace
  std::uint32_t block_threads_;
  std::size_t argument_bytes_;
  LaunchContext context_{};
  // Parameters may ask for alignments up to that of a line pair.
  struct alignas(128) ArgumentLine {
    std::byte bytes[128];
  };
  ArgumentLine few_arguments_;
  std::vector<ArgumentLine> many_arguments_;
  std::unique_ptr<TimeLimit> time_limit_;
  std::atomic<bool> started_{false};
};

}  // namespace heddle::device::cpu
