// Small kernels on a simulated machine, one launch after the other on one device.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "device/sim/machine_file/reader.hpp"
#include "device/sim/sim.hpp"

namespace heddle::device::sim {

// A kernel whose parameter is an array; without a body it does nothing. `body` may use %p (its address), %q (64 bits),
// %t
// (%tid.x, 32 bits), %i, %j, %r0 to %r7, %c (a predicate), %f0 to %f31 and %d0 to %d7, and it has `shared` bytes of
// shared memory, s.
struct Launch {
  std::string body;
  unsigned threads = 32, blocks = 1;
  std::uint64_t offset = 0;  // of the array within the bench's memory
  unsigned shared = 0;
};

// `line` as often as `count` says; "#" in it is the number modulo `names`.
std::string repeated(unsigned count, const std::string& line, unsigned names = 1);

class Bench {
 public:
  // `bytes` of memory, zero, at an address that is a multiple of 2 MiB.
  explicit Bench(MachineDescription machine, std::size_t bytes = 1 << 16);
  ~Bench();
  const MachineDescription& machine() const { return machine_; }
  std::uint64_t address() const { return address_; }
  // Writes 64-bit words from `offset` on.
  void write(std::uint64_t offset, const std::vector<std::uint64_t>& words);
  KernelStatistics run(const Launch& launch);

 private:
  const MachineDescription machine_;
  std::vector<KernelStatistics> launches_;
  std::unique_ptr<Device> device_;
  std::unique_ptr<Memory> memory_;
  std::unique_ptr<Queue> queue_;
  std::uint64_t address_ = 0;
};

// Cycles of one repetition of `line` in steady state: what `more` repetitions take beyond `few`, which have the same
// launch, start and end.
double step(Bench& bench, Launch launch, const std::string& line, unsigned few, unsigned more, unsigned names = 1);

// One SM of the machine, so that all blocks are its.
MachineDescription one_sm(MachineDescription machine);

// Names of presets as names of tests.
std::string test_name(std::string preset);

}  // namespace heddle::device::sim
