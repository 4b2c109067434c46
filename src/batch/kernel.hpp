// A kernel of a batch: loaded on a device, with its arguments and what is known of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "device/launch_config.hpp"
#include "heddle/checks.hpp"
#include "ptx/ir.hpp"
#include "sched/kernel_traits.hpp"

namespace heddle::batch {

// The bytes of a scalar, or the first content of an array, whose address the kernel gets.
struct ArgumentData {
  std::vector<std::byte> bytes;
  bool is_array = false;
};

struct KernelSpec {
  std::string name;  // in reports
  std::shared_ptr<const ptx::Module> module;
  std::string entry;
  device::LaunchConfig config;
  std::vector<ArgumentData> arguments;  // one for each parameter
  Checks check = false;                 // what the device looks for
  // Whether a launch waits for the end of the one before it. Nothing: where the results could differ otherwise
  // (batch/launch_order.hpp).
  std::optional<bool> ordered = std::nullopt;
  std::string place = {};  // where somebody has asked for it, as "jobs.toml:12"; for messages about its launches
};

// All launches of it use the same arrays. The device outlives it.
class Kernel {
 public:
  // Throws invalid_argument for arguments that the kernel does not take, and what loading throws.
  Kernel(device::Device& device, KernelSpec spec);

  const KernelSpec& spec() const { return spec_; }
  const std::string& name() const { return spec_.name; }
  const std::string& entry() const { return spec_.entry; }
  // Of the code, the block's shape and the dynamic shared memory.
  std::uint64_t id() const { return id_; }
  device::Function& function() const { return *function_; }
  const device::LaunchConfig& config() const { return spec_.config; }
  std::uint64_t blocks() const { return config().grid.count(); }
  const std::vector<std::byte>& arguments() const { return packed_; }
  // Whether ranges of its blocks may run at the same time and in any order; else why not.
  bool divisible() const { return why_whole_.empty(); }
  const std::string& why_whole() const { return why_whole_; }
  // Whether its launches run one after the other, and why; else empty.
  bool ordered() const { return !why_ordered_.empty(); }
  const std::string& why_ordered() const { return why_ordered_; }
  device::Device& device() const { return device_; }

  // What the array of a parameter holds now; nothing may run on the device.
  std::vector<std::byte> read(std::size_t argument);
  // Gives all arrays, and the variables of the module, their first content; nothing may run on the device.
  void reset();

  std::optional<sched::KernelTraits> traits;  // once it has a profile

 private:
  void load();
  void fill();
  void copy(device::Span to, device::Span from);

  device::Device& device_;
  const KernelSpec spec_;
  std::shared_ptr<device::Module> loaded_;
  device::Function* function_ = nullptr;
  std::vector<std::unique_ptr<device::Memory>> memory_;  // by argument; null: a scalar
  std::vector<std::byte> packed_;
  std::uint64_t id_ = 0;
  std::string why_whole_, why_ordered_;
};

}  // namespace heddle::batch
