// The process that supervisor.hpp speaks of.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace heddle::test::random_kernel {

struct Work {
  std::uint64_t begin = 0, end = 0;  // seeds
  std::vector<std::string> devices;  // "cpu", "cuda:0"
  bool instructions = false;         // kernels of single instructions
  bool for_gpu = false;              // without what GPUs are known to do otherwise
};

// The exit code for main.
int do_work(const Work& work);

}  // namespace heddle::test::random_kernel
