// The models of src/tenancy/models.hpp as launches of real kernels, with the times that they have on this device.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gpu/machine.hpp"

namespace heddle::bench::lithos_gpu {

struct Sequence {
  std::string name;
  std::vector<Step> steps;
  double seconds = 0;           // of one request or iteration, launched one after the other on the idle device
  double limit = 0;             // of the service level; 0: none
  std::uint64_t warps() const;  // of the largest launch
};

// Seconds of a turn of each kernel, in blocks of so many threads that fill the device.
class Calibration {
 public:
  // Measures; some 100 ms.
  explicit Calibration(const Machine& machine);
  double turn(Kind kind, unsigned threads) const { return turns_.at({kind, threads}); }
  // So many turns take so long.
  std::uint32_t turns(Kind kind, unsigned threads, double seconds) const;

 private:
  std::map<std::pair<Kind, unsigned>, double> turns_;
};

// Of the model of this name; all times multiplied by `scale`. Measures each launch alone and corrects its turns, so
// that it takes as long as the model says.
Sequence make_sequence(const Machine& machine, const Calibration& calibration, std::string_view name, double scale);
// One launch that fills the device and takes so long, of blocks that take so long.
Step make_step(const Machine& machine, const Calibration& calibration, double seconds, double block_seconds);
// Seconds of each step alone on the device, one after the other; the least of so many rounds.
std::vector<double> times_of(const Machine& machine, const Queue& queue, const std::vector<Step>& steps,
                             const Buffers& buffers, int rounds);

}  // namespace heddle::bench::lithos_gpu
