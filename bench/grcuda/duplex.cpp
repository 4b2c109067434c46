#include "duplex.hpp"

#include <fmt/format.h>

#include <cstring>
#include <deque>
#include <span>
#include <vector>

#include "support/statistics.hpp"

namespace heddle::bench::grcuda {
namespace {

constexpr unsigned warm_ups = 3;
constexpr unsigned copies = 4;  // one after the other, so that beginnings and ends count little

// One direction of one device.
class Lane {
 public:
  Lane(const Device& device, std::size_t bytes, bool to_device)
      : host_(device.allocate_host(bytes)),
        there_(device.allocate(bytes)),
        queue_(device.queue()),
        to_(to_device ? there_.span() : host_span(bytes)),
        from_(to_device ? host_span(bytes) : there_.span()) {
    std::memset(host_.host(), 1, bytes);  // pages that nobody has written are no memory yet
    queue_.fill(there_.span(), 2, 1);
    queue_.synchronize();
  }
  void begin() {
    for (unsigned i = 0; i < copies; ++i) queue_.copy(to_, from_);
  }
  void end() { queue_.synchronize(); }
  double bytes() const { return static_cast<double>(copies) * static_cast<double>(to_.size); }

 private:
  MemorySpan host_span(std::size_t bytes) const { return MemorySpan::of_host(host_.host(), bytes); }

  Memory host_, there_;
  Queue queue_;
  MemorySpan to_, from_;
};

// Of all these at once.
double rate(std::span<Lane* const> lanes, unsigned rounds) {
  double bytes = 0;
  for (const Lane* lane : lanes) bytes += lane->bytes();
  std::vector<double> times;
  for (unsigned round = 0; round < warm_ups + rounds; ++round) {
    const double seconds = time_once([&] {
      for (Lane* lane : lanes) lane->begin();
      for (Lane* lane : lanes) lane->end();
    });
    if (round >= warm_ups) times.push_back(seconds);
  }
  return bytes / median(times);
}

}  // namespace

DuplexRates measure_duplex(const Runtime& runtime, std::size_t bytes, unsigned rounds) {
  DuplexRates made;
  made.devices = runtime.devices().size();
  std::deque<Lane> lanes;  // to a device, and from it
  for (std::size_t i = 0; i < made.devices; ++i)
    for (const bool to_device : {true, false})
      lanes.emplace_back(runtime.device(static_cast<int>(i)), bytes, to_device);
  std::vector<Lane*> all;
  for (Lane& lane : lanes) all.push_back(&lane);
  const std::span<Lane* const> every = all;
  made.to_device = rate(every.first(1), rounds);
  made.to_host = rate(every.subspan(1, 1), rounds);
  made.first = rate(every.first(2), rounds);
  made.all = rate(every, rounds);
  return made;
}

std::string text(const DuplexRates& rates) {
  const auto gigabytes = [](double rate) { return rate * 1e-9; };
  return fmt::format(
      "duplex: {:.1f} GB/s to the first device, {:.1f} from it, {:.1f} both ways at once; {:.1f} both ways on all {} "
      "devices: B&S there can be {:.2f} times as fast as on the first",
      gigabytes(rates.to_device), gigabytes(rates.to_host), gigabytes(rates.first), gigabytes(rates.all), rates.devices,
      rates.limit());
}

void add_results(const DuplexRates& rates, Results& results) {
  const auto add = [&](const char* name, double rate) { results.add({name, rate * 1e-9, "GB/s", {}, ""}); };
  add("duplex.to_device", rates.to_device);
  add("duplex.to_host", rates.to_host);
  add("duplex.first", rates.first);
  add("duplex.all", rates.all);
  results.add({"duplex.limit", rates.limit(), "x", {}, "one device"});
}

}  // namespace heddle::bench::grcuda
