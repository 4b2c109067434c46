// Which functions of NVIDIA's driver are called, how often, and how long they take.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace heddle::bench {

struct DriverCall {
  std::string name;  // "cuEventRecord"
  std::uint64_t calls = 0;
  double nanoseconds = 0;  // of all calls together, with some 40 ns for each that the measuring takes
};

// What this process's Heddle calls while `work` runs, in any thread, most often called first. Heddle must be linked
// into the program itself and not as libheddle.so, which has a table of the driver's functions of its own. No other
// thread may be calling the driver when this begins or ends. One at a time.
std::vector<DriverCall> count_driver_calls(const std::function<void()>& work);

// "cuLaunchKernel 1.00 (2140 ns), cuEventRecord 0.98 (210 ns)": for each of `launches`, what is called at least once in
// 200 of them.
std::string text_of(const std::vector<DriverCall>& calls, int launches);

}  // namespace heddle::bench
