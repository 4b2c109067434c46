#include "runtime/links.hpp"

#include <algorithm>
#include <memory>
#include <optional>

#include "base/clock.hpp"
#include "base/fail.hpp"

namespace heddle::runtime {
namespace {

constexpr std::size_t bytes = std::size_t{128} << 20;
constexpr int rounds = 6;  // the first brings everything into place

// The place whose own memory the end of a link is; none for the host's.
std::optional<std::size_t> own_memory(const Core& core, Core& places, std::string_view id) {
  if (id == "host") return std::nullopt;
  const std::size_t place = core.find(id);
  if (places.place(place).device->info().host_memory) return std::nullopt;
  return place;
}

}  // namespace

double measure_link(Core& core, std::string_view from, std::string_view to) {
  const auto source = own_memory(core, core, from), destination = own_memory(core, core, to);
  if (source == destination)
    base::fail(ErrorCode::invalid_argument, "there is no link from {} to {}: both are the same memory", from, to);
  // The device that has the data pushes them.
  device::Device& by = *core.place(source ? *source : *destination).device;
  const auto allocate = [&](const std::optional<std::size_t>& place) {
    return place ? core.place(*place).device->allocate(bytes) : by.allocate_host(bytes);
  };
  const std::unique_ptr<device::Memory> data = allocate(source), there = allocate(destination);
  const auto queue = by.queue({});
  double best = 0;
  for (int round = 0; round < rounds; ++round) {
    const base::Stopwatch watch;
    queue->copy(there->span(), data->span());
    queue->synchronize();
    if (round > 0) best = std::max(best, static_cast<double>(bytes) / watch.seconds());
  }
  return best;
}

}  // namespace heddle::runtime
