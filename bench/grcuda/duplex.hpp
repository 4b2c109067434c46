// What the links between the host and devices carry when copies go both ways at once: as fast as programs can be whose
// time is that of their copies.
#pragma once

#include <cstddef>
#include <string>

#include "heddle/heddle.hpp"
#include "support/results.hpp"

namespace heddle::bench::grcuda {

// Bytes per second, medians.
struct DuplexRates {
  std::size_t devices = 0;
  double to_device = 0, to_host = 0;  // of the first device, one way alone
  double first = 0, all = 0;          // both ways at once, together: of the first device, of all of them
  // How much faster all devices can be than the first at B&S, which moves as many bytes to a device as back from it.
  double limit() const { return all / first; }
};

// With so many bytes in each copy, from and to pinned memory. `rounds`: measured, after three that are not.
DuplexRates measure_duplex(const Runtime& runtime, std::size_t bytes, unsigned rounds);

std::string text(const DuplexRates& rates);
// Rows are named "duplex.to_device", "duplex.to_host", "duplex.first", "duplex.all" (GB/s), "duplex.limit" (x).
void add_results(const DuplexRates& rates, Results& results);

}  // namespace heddle::bench::grcuda
