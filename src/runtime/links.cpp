#include "runtime/links.hpp"

#include <algorithm>
#include <memory>
#include <optional>

#include "base/clock.hpp"
#include "base/fail.hpp"

namespace heddle::runtime {
namespace {

constexpr std::size_t bytes_of_one = std::size_t{128} << 20;
constexpr std::size_t bytes_of_many = std::size_t{32} << 20;
constexpr int rounds = 6;  // the first brings everything into place

// The place whose own memory the end of a link is; none for the host's.
std::optional<std::size_t> own_memory(const Core& core, Core& places, std::string_view id) {
  if (id == "host") return std::nullopt;
  const std::size_t place = core.find(id);
  if (places.place(place).device->info().host_memory) return std::nullopt;
  return place;
}

double measure(device::Device& by, const device::Memory& from, const device::Memory& to) {
  const std::size_t bytes = from.span().size;
  const auto queue = by.queue({});
  double best = 0;
  for (int round = 0; round < rounds; ++round) {
    const base::Stopwatch watch;
    queue->copy(to.span(), from.span());
    queue->synchronize();
    if (round > 0) best = std::max(best, static_cast<double>(bytes) / std::max(watch.seconds(), 1e-9));
  }
  return best;
}

}  // namespace

double measure_link(Core& core, std::string_view from, std::string_view to) {
  const auto source = own_memory(core, core, from), destination = own_memory(core, core, to);
  if (source == destination)
    base::fail(ErrorCode::invalid_argument, "there is no link from {} to {}: both are the same memory", from, to);
  // The device that has the data pushes them.
  device::Device& by = *core.place(source ? *source : *destination).device;
  const auto allocate = [&](const std::optional<std::size_t>& place) {
    return place ? core.place(*place).device->allocate(bytes_of_one) : by.allocate_host(bytes_of_one);
  };
  const std::unique_ptr<device::Memory> data = allocate(source), there = allocate(destination);
  return measure(by, *data, *there);
}

std::vector<std::vector<double>> measure_all_links(Core& core) {
  const std::size_t host = core.places();
  const auto own = [&](std::size_t memory) { return memory != host && !core.place(memory).device->info().host_memory; };
  std::vector<std::vector<double>> measured(host + 1, std::vector<double>(host + 1));
  for (std::size_t from = 0; from <= host; ++from) {
    for (std::size_t to = 0; to <= host; ++to) {
      if (from == to) continue;
      // As when an array is moved: the one that has its own memory, or the one that gets the bytes.
      const std::size_t place = to == host || (own(from) && !own(to)) ? from : to;
      device::Device& by = *core.place(place).device;
      const auto allocate = [&](std::size_t memory) {
        return memory == host ? by.allocate_host(bytes_of_many) : core.place(memory).device->allocate(bytes_of_many);
      };
      const std::unique_ptr<device::Memory> data = allocate(from), there = allocate(to);
      measured[from][to] = measure(by, *data, *there);
    }
  }
  return measured;
}

}  // namespace heddle::runtime
