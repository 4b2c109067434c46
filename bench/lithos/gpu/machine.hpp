// A runtime with one device and one policy, and the kernels of the sequences on it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "gpu/settings.hpp"
#include "heddle/heddle.hpp"

namespace heddle::bench::lithos_gpu {

enum class Kind : std::uint8_t { compute, stream };

// A launch of a sequence.
struct Step {
  Kind kind = Kind::compute;
  unsigned threads = 256;
  std::uint64_t blocks = 1;
  std::uint32_t turns = 1;
  double seconds = 0;  // alone on the device
};

// Memory that the launches of one tenant use.
struct Buffers {
  Memory data;  // what the bandwidth kernel reads
  Memory out;   // a number for each warp
  std::uint32_t mask = 0;
};

class Machine {
 public:
  // `policy`: as RuntimeOptions::policy; empty: none.
  Machine(const Settings& settings, const std::string& policy);

  Runtime& runtime() { return runtime_; }
  const Runtime& runtime() const { return runtime_; }
  const Device& device() const { return device_; }
  const DeviceInfo& info() const { return info_; }
  unsigned grain() const { return info_.capability != 0 ? 2 : 1; }
  unsigned units() const { return (info_.processors + grain() - 1) / grain(); }
  // Blocks of so many threads that a processor holds at a time.
  unsigned resident(Kind kind, unsigned threads) const;
  // For launches of at most so many warps.
  Buffers buffers(std::uint64_t warps) const;

  void launch(const Queue& queue, const Step& step, const Buffers& buffers) const;
  // The compute kernel, of which each block writes its processor to that address: a number for each block.
  void launch_where(const Queue& queue, const Step& step, const Buffers& buffers, std::uint64_t where) const;
  // What a memory of the device has now.
  std::vector<std::uint32_t> read(const Memory& memory, std::size_t count) const;
  void clear(const Memory& memory) const;

 private:
  Runtime runtime_;
  Device device_;
  DeviceInfo info_;
  Module module_;
  LoadedKernel compute_, stream_, where_;
};

// Throws an Error where the settings' device is not there.
void check_device(const Settings& settings);
// The folder of the kernels, beside the program.
std::filesystem::path kernels();
// The host's steady clock, in seconds.
double now();
// Sleeps, and spins for the rest, so that it returns within a few microseconds after that time.
void wait_until(double time);

}  // namespace heddle::bench::lithos_gpu
