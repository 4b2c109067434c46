// What runs the ranges of a batch, and lets its time pass.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>

#include "base/watcher.hpp"
#include "batch/kernel.hpp"
#include "heddle/error.hpp"

namespace heddle::batch {

// One thread at a time. Times are nanoseconds since the executor was made.
class Executor {
 public:
  // Called by wait(), with the time at which the range has ended.
  using Done = std::function<void(std::uint64_t end_ns)>;

  virtual ~Executor() = default;
  virtual unsigned processors() const = 0;
  virtual std::uint64_t now_ns() const = 0;
  // Begins blocks of a kernel. Throws what Queue::launch throws.
  virtual void submit(Kernel& kernel, BlockRange range, Done done) = 0;
  // Lets time pass until a range has ended or, if it is given, until that time. Throws the error of a kernel, with
  // KernelSpec::place; with several where it may be any of them.
  virtual void wait(std::optional<std::uint64_t> until_ns) = 0;
  virtual bool idle() const = 0;
  // Whether a launch of a kernel that is ordered() may be submitted once all blocks of the one before have been, as its
  // blocks begin when those have ended. Else it may be submitted when they have.
  virtual bool keeps_order() const { return false; }
};

// `error` with the place of the kernel in front. If it is not known which of the kernels has failed, those are named
// that the message can be about.
Error with_place(const Error& error, const std::set<const Kernel*>& kernels);

// On a simulated GPU, cycle by cycle, the same in every run. The device outlives it; nothing else may use it meanwhile.
std::unique_ptr<Executor> make_simulated_executor(device::Device& device);
// On any device, in its own queues. A whole launch goes into one that is empty, else into the one with the fewest
// launches. Slices of a kernel take turns in `lanes_of_slices` queues. Launches of a kernel that is ordered() follow
// each other on the device: in one queue, or behind events of the other.
constexpr unsigned lanes_of_slices = 2;
std::unique_ptr<Executor> make_queue_executor(device::Device& device, std::shared_ptr<base::Watcher> watcher);
// The one for the device.
std::unique_ptr<Executor> make_executor(device::Device& device, std::shared_ptr<base::Watcher> watcher);

}  // namespace heddle::batch
