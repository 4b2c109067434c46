#include "runtime/core.hpp"

#include <utility>

#include "base/fail.hpp"
#include "base/log.hpp"

namespace heddle::runtime {
namespace {

std::vector<device::Device*> pointers(const std::vector<std::unique_ptr<device::Device>>& devices) {
  std::vector<device::Device*> all;
  for (const auto& device : devices) all.push_back(device.get());
  return all;
}

}  // namespace

Core::Core(std::vector<std::unique_ptr<device::Device>> devices, CoreOptions options)
    : watcher_(std::move(options.watcher)),
      trace_(std::move(options.trace)),
      devices_(std::move(devices)),
      check_(options.check),
      slice_(options.slice),
      ranges_(options.ranges),
      partitions_(devices_.size()),
      links_(pointers(devices_), watcher_->clock()),
      pinned_(devices_.size()) {
  const Scheduling& policy = options.scheduling;
  for (const auto& device : devices_) {
    if (trace_) trace_->name_device(device->info().id, device->info().name);
    verifies_.push_back(check_ || device->info().verifies);
  }
  scheduler_ = std::make_unique<sched::Scheduler>(pointers(devices_), policy, mutex_, trace_.get());
  early_ = std::make_unique<sched::EarlyStarts>(*scheduler_);
  std::vector<bool> guarded = verifies_;
  guarded.push_back(check_);  // the host's memory
  const auto known_links = [this] { return links_.known(); };
  transfers_ = std::make_unique<sched::Transfers>(*scheduler_, *early_, known_links, std::move(guarded));
  placer_ = sched::Placer::make(*scheduler_, pinned_, known_links);
  // A trace shows each launch, which a graph does not report.
  const bool replays = policy.replay && policy.execution == Scheduling::Execution::async && !trace_;
  replayer_ = std::make_unique<sched::Replayer>(*scheduler_, *transfers_, pinned_, mutex_, watcher_, replays);
}

std::vector<device::Device*> Core::devices() const { return pointers(devices_); }

bool Core::idle() {
  const base::Lock lock(mutex());
  return scheduler_->dag().active() == 0;
}

void Core::synchronize() {
  {
    const base::Lock lock(mutex());
    replayer_->flush();
  }
  scheduler_->synchronize();
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
  for (std::size_t i = 0; i < devices_.size(); ++i) {
    const std::string& candidate = devices_[i]->info().id;
    if (candidate == id) return i;
    there += (there.empty() ? "" : ", ") + candidate;
  }
  base::fail(ErrorCode::not_found, "this runtime has no device '{}'; it has {}", id, there);
}

const device::Partition& Core::partition(std::size_t place, const std::vector<unsigned>& processors) {
  const base::Lock lock(partitions_mutex_);
  auto found = partitions_[place].find(processors);
  if (found == partitions_[place].end())
    found = partitions_[place].emplace(processors, devices_[place]->partition({processors})).first;
  return *found->second;
}

}  // namespace heddle::runtime
