#include "runtime/core.hpp"

#include <exception>
#include <utility>

#include "base/fail.hpp"
#include "base/log.hpp"
#include "runtime/buffer.hpp"

namespace heddle::runtime {

Core::Core(std::vector<std::unique_ptr<device::Device>> devices, bool check, std::uint64_t slice,
           std::unique_ptr<TraceFile> trace)
    : trace_(std::move(trace)), pinned_(devices.size()), check_(check), slice_(slice) {
  for (auto& device : devices) {
    auto queue = device->queue({});
    Place& place = places_.emplace_back();
    place.device = std::move(device);
    place.queue = std::move(queue);
  }
}

Core::~Core() {
  for (Place& place : places_) {
    try {
      place.queue->synchronize();
    } catch (const Error& error) {
      base::log_warn("an error that nobody asked for: {}", error.what());
    }
  }
}

std::size_t Core::find(std::string_view id) const {
  if (id.empty()) return 0;
  std::string there;
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const std::string& candidate = places_[i].device->info().id;
    if (candidate == id) return i;
    there += (there.empty() ? "" : ", ") + candidate;
  }
  base::fail(ErrorCode::not_found, "this runtime has no device '{}'; it has {}", id, there);
}

const device::Partition& Core::partition(std::size_t index, const std::vector<unsigned>& processors) {
  Place& place = places_[index];
  auto found = place.partitions.find(processors);
  if (found == place.partitions.end())
    found = place.partitions.emplace(processors, place.device->partition({processors})).first;
  return *found->second;
}

void Core::use_processors(std::size_t index, const std::vector<unsigned>& processors) {
  Place& place = places_[index];
  const device::Partition* wanted = processors.empty() ? nullptr : &partition(index, processors);
  if (wanted == place.partition) return;
  place.queue->set_partition(wanted);
  place.partition = wanted;
}

std::shared_ptr<device::Event> Core::record(std::size_t index) {
  Place& place = places_[index];
  while (!place.in_flight.empty() && place.in_flight.front()->done()) {
    if (place.in_flight.front().use_count() == 1) place.spare.push_back(std::move(place.in_flight.front()));
    place.in_flight.pop_front();
  }
  std::shared_ptr<device::Event> event;
  if (place.spare.empty()) {
    event = place.device->event();
  } else {
    event = std::move(place.spare.back());
    place.spare.pop_back();
  }
  place.queue->record(*event);
  place.in_flight.push_back(event);
  return event;
}

void Core::wait(device::Event& event, std::size_t place) {
  try {
    event.wait();
  } catch (const Error&) {
    // The failure is being told now; later commands must not be skipped for it.
    const std::lock_guard lock(mutex_);
    try {
      places_[place].queue->synchronize();
    } catch (const Error& error) {
      base::log_debug("the failure that is being told: {}", error.what());
    }
    throw;
  }
}

void Core::synchronize() {
  std::vector<std::shared_ptr<device::Event>> events;
  {
    const std::lock_guard lock(mutex_);
    for (std::size_t i = 0; i < places_.size(); ++i) events.push_back(record(i));
  }
  std::exception_ptr first;
  for (std::size_t i = 0; i < events.size(); ++i) {
    try {
      wait(*events[i], i);
    } catch (const Error&) {
      if (!first) first = std::current_exception();
    }
  }
  if (first) std::rethrow_exception(first);
}

void Core::pin(std::size_t place, const std::shared_ptr<Buffer>& buffer) {
  for (const auto& known : pinned_[place]) {
    if (known.lock() == buffer) return;
  }
  pinned_[place].push_back(buffer);
}

std::vector<std::shared_ptr<Buffer>> Core::pinned(std::size_t place) {
  std::vector<std::shared_ptr<Buffer>> alive;
  if (pinned_[place].empty()) return alive;
  std::erase_if(pinned_[place], [](const auto& buffer) { return buffer.expired(); });
  for (const auto& buffer : pinned_[place]) {
    if (auto locked = buffer.lock()) alive.push_back(std::move(locked));
  }
  return alive;
}

}  // namespace heddle::runtime
