// Random host programs: launches on arrays and parts of them, reads and writes by the host, arrays that end, loops.
// Each runs on a machine that overlaps what it can, and beside that, line by line, on plain vectors; wherever the host
// reads, both must be the same. (GrCUDA's checklist, harder check H1.)
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "heddle/array.hpp"
#include "heddle/launch.hpp"

namespace heddle::test::random_programs {

// What a program runs on.
class Machine {
 public:
  virtual ~Machine() = default;
  virtual Array<std::uint32_t> array(std::size_t count) = 0;
  virtual void launch(const char* kernel, const LaunchOptions& options, std::span<const Argument> arguments) = 0;
  virtual void synchronize() = 0;
  virtual const std::vector<std::string>& devices() const = 0;
  // How many arrays a program has at the least.
  virtual std::size_t least_arrays() const { return 4; }
};

// PTX of the kernels; each thread of the grid does one element, after `delay` turns of a loop.
//   copy(delay, in, out)           out[i] = 3 in[i] + 1
//   mix(delay, a, data)            data[i] = 5 data[i] + a
//   cross(delay, in, other, out)   out[i] = in[i] + 7 other[n - 1 - i]
//   sum(delay, in, total)          total[0] += all in[i]
extern const char* const kernels;

constexpr std::size_t most_elements = 256;

// Runs the program of a seed. Empty: all was the same; else the first difference.
std::string run(Machine& machine, std::uint64_t seed);

}  // namespace heddle::test::random_programs
