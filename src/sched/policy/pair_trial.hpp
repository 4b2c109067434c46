// What two kernels that run together gain in fact, seen from the blocks that end.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

namespace heddle::sched {

// Two kernels in slices. Numbers of blocks are by kernel.
class PairTrial {
 public:
  using Blocks = std::array<std::uint64_t, 2>;
  using Rates = std::array<double, 2>;

  // `in_flight`: when the pair was chosen. `round`: blocks that are to be on the device. `alone`: blocks that end in a
  // nanosecond while the kernel has the device for itself.
  PairTrial(Blocks in_flight, Blocks round, Rates alone) : issued_(in_flight), round_(round), alone_(alone) {}

  void issue(std::size_t kernel, std::uint64_t blocks) { issued_[kernel] += blocks; }
  // The part of the time that is saved (Kernelet, equation 1; below 0: they take longer), once, when enough has ended:
  // a round of each kernel before the measurement, two rounds and some milliseconds in it.
  std::optional<double> profit(std::uint64_t now_ns, Blocks in_flight);

 private:
  Blocks issued_, round_, first_ = {};
  Rates alone_;
  std::uint64_t begin_ns_ = 0;
  bool begun_ = false, ended_ = false;
};

}  // namespace heddle::sched
