// The eight kernels of Kernelet's evaluation (table III), of our own: their data, and what they must compute.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "batch/kernel.hpp"

namespace heddle::bench::kernelet {

struct Workload {
  batch::KernelSpec spec;
  // The largest deviation of what it computed from the reference of the host, in units of what is permitted: at most 1.
  std::function<double(batch::Kernel&)> check;
};

struct Size {
  unsigned blocks = 1;  // of each launch, nearly
  unsigned work = 1;    // how many times as much a block does as the least that it can do
  bool large = false;   // data that no cache of a GPU holds
};

// PC, SAD, SPMV, ST, MM, MRIQ, BS, TEA, in that order. `size`: by name, as in "pc". `folder` has the kernels as
// NAME.ptx. Data are the same in every run.
std::vector<Workload> make_workloads(const std::string& folder, const std::function<Size(const std::string&)>& size);

// The four mixes of table V, by indices into the workloads.
struct Mix {
  std::string name;
  std::vector<std::size_t> kernels;
};
std::vector<Mix> mixes();

}  // namespace heddle::bench::kernelet
