// Random kernels in processes of their own: each runs a range of seeds on every device and says how each went. One that
// dies, as a driver's compiler may make it, or that finds no end is one seed's result; the rest of its range goes on.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "random/comparison.hpp"

namespace heddle::test::random_kernel {

// A process says on its standard output, a line each:
//   begin SEED DEVICE                       from here on it is this kernel on this device
//   stage WORDS                             what it is doing with it
//   end SEED DEVICE VERDICT TEXT            VERDICT is a number; in TEXT a newline is \n and a backslash is twice
//   itself
// and ends when its range is done, or earlier when a device is of no more use.
std::string escaped(const std::string& text);
std::string unescaped(const std::string& text);

struct Result {
  std::uint64_t seed = 0;
  Comparison comparison;
};

struct DeviceTally {
  std::uint64_t counts[verdict_count] = {};
  std::vector<Result> remarkable;  // what is not equal, by seed
  std::uint64_t kernels() const;
  std::uint64_t count(Verdict verdict) const { return counts[static_cast<int>(verdict)]; }
};

struct Tally {
  std::map<std::string, DeviceTally> devices;
  std::uint64_t seeds_done = 0;
  double seconds = 0;
  std::string broken;  // no process can do the work: why; the tally is then not complete
};

struct Plan {
  std::uint64_t begin = 0, end = 0;   // seeds
  std::uint64_t range = 20;           // seeds of a process
  unsigned jobs = 1;                  // processes at a time
  std::chrono::seconds patience{60};  // for one kernel on one device
  // The command that runs seeds [begin, end).
  std::function<std::vector<std::string>(std::uint64_t begin, std::uint64_t end)> command;
  // Called about once a second.
  std::function<void(const Tally&)> progress;
};

Tally run_all(const Plan& plan);

}  // namespace heddle::test::random_kernel
