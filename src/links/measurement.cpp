#include "links/measurement.hpp"

#include <algorithm>
#include <memory>

#include "base/clock.hpp"

namespace heddle::links {
namespace {

constexpr std::size_t bytes_of_one = std::size_t{128} << 20;
constexpr std::size_t bytes_of_many = std::size_t{32} << 20;
constexpr int rounds = 6;  // the first warms up

double measure(device::Device& by, const device::Memory& from, const device::Memory& to) {
  const std::size_t bytes = from.span().size;
  const auto queue = by.queue({});
  double best = 0;
  for (int round = 0; round < rounds; ++round) {
    const base::Stopwatch watch(by.clock());
    queue->copy(to.span(), from.span());
    queue->synchronize();
    if (round > 0) best = std::max(best, static_cast<double>(bytes) / std::max(watch.seconds(), 1e-9));
  }
  return best;
}

double measure(std::span<device::Device* const> devices, std::size_t from, std::size_t to, device::Device& by,
               std::size_t bytes) {
  const auto allocate = [&](std::size_t memory) {
    return memory == devices.size() ? by.allocate_host(bytes) : devices[memory]->allocate(bytes);
  };
  const std::unique_ptr<device::Memory> data = allocate(from), there = allocate(to);
  return measure(by, *data, *there);
}

}  // namespace

// The device that has the data pushes them.
double measure_link(std::span<device::Device* const> devices, std::size_t from, std::size_t to) {
  return measure(devices, from, to, *devices[from != devices.size() ? from : to], bytes_of_one);
}

std::vector<std::vector<double>> measure_all_links(std::span<device::Device* const> devices) {
  const std::size_t host = devices.size();
  const auto own = [&](std::size_t memory) { return memory != host && !devices[memory]->info().host_memory; };
  std::vector<std::vector<double>> measured(host + 1, std::vector<double>(host + 1));
  for (std::size_t from = 0; from <= host; ++from) {
    for (std::size_t to = 0; to <= host; ++to) {
      if (from == to) continue;
      // As when an array is moved: the one that has its own memory, or the one that gets the bytes.
      const std::size_t place = to == host || (own(from) && !own(to)) ? from : to;
      measured[from][to] = measure(devices, from, to, *devices[place], bytes_of_many);
    }
  }
  return measured;
}

}  // namespace heddle::links
