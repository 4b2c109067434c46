#include "runtime/core.hpp"

#include <exception>
#include <utility>

#include "base/fail.hpp"
#include "base/log.hpp"
#include "runtime/buffer.hpp"

namespace heddle::runtime {

Core::Core(std::vector<std::unique_ptr<device::Device>> devices, bool check, std::uint64_t slice,
           std::unique_ptr<TraceFile> trace, const Scheduling& policy, bool ranges)
    : trace_(std::move(trace)), pinned_(devices.size()), check_(check), slice_(slice), ranges_(ranges) {
  std::vector<device::Device*> all;
  for (auto& device : devices) {
    all.push_back(device.get());
    if (trace_) trace_->name_device(device->info().id, device->info().name);
    Place& place = places_.emplace_back();
    place.verifies = check || device->info().verifies;
    place.device = std::move(device);
  }
  engine_ = std::make_unique<Engine>(all, policy, mutex_, trace_.get());
  placer_ = Placer::make(*this, policy);
  // A trace tells of each launch, which a graph does not.
  const bool replays = policy.replay && policy.execution == Scheduling::Execution::async && !trace_;
  replayer_ = std::make_unique<Replayer>(*this, replays);
}

bool Core::idle() {
  const std::lock_guard lock(mutex());
  return engine_->dag().active() == 0;
}

void Core::synchronize() {
  {
    const std::lock_guard lock(mutex());
    replayer_->settle();
  }
  engine_->synchronize();
}

Core::~Core() {
  try {
    synchronize();
  } catch (const Error& error) {
    base::log_warn("an error that nobody asked for: {}", error.what());
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

void Core::pin(std::size_t place, const std::shared_ptr<Buffer>& buffer) {
  // Not by locking those that are known, which may make this their last owner: their end takes the lock that is held.
  for (const auto& known : pinned_[place]) {
    if (!known.owner_before(buffer) && !buffer.owner_before(known)) return;
  }
  pinned_[place].push_back(buffer);
}

bool Core::pins_none(std::size_t place) {
  std::erase_if(pinned_[place], [](const auto& buffer) { return buffer.expired(); });
  return pinned_[place].empty();
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
