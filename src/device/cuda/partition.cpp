#include "device/cuda/partition.hpp"

#include <algorithm>

#include "base/fail.hpp"

namespace heddle::device::cuda {

using driver::Resource;

namespace {

constexpr unsigned smallest_group = 2;

}  // namespace

PartitionTable::~PartitionTable() {
  if (state_->gone()) return;
  const DeviceState::Current current(*state_);
  for (const auto& [groups, context] : contexts_) state_->driver().green_destroy(context);
}

// The driver's order of groups is kept; what is left over is one more group.
void PartitionTable::split() {
  if (!groups_.empty()) return;
  const Driver& cuda = state_->driver();
  if (!cuda.has_green_contexts())
    base::fail(ErrorCode::unsupported, "{}: partitions need green contexts, which this NVIDIA driver does not have",
               state_->info().id);
  Resource all, rest;
  state_->check(cuda.device_resource(state_->number(), &all, driver::resource_sm), "asking for the SMs",
                ErrorCode::unsupported);
  unsigned count = 0;
  state_->check(cuda.split_sms(nullptr, &count, &all, nullptr, driver::split_ignore_coscheduling, smallest_group),
                "splitting the SMs", ErrorCode::unsupported);
  std::vector<Resource> groups(count);
  state_->check(cuda.split_sms(groups.data(), &count, &all, &rest, driver::split_ignore_coscheduling, smallest_group),
                "splitting the SMs", ErrorCode::unsupported);
  groups.resize(count);
  if (rest.type == driver::resource_sm && rest.sm.count > 0) groups.push_back(rest);
  first_.assign(1, 0);
  for (const Resource& group : groups) first_.push_back(first_.back() + group.sm.count);
  groups_ = std::move(groups);
}

std::unique_ptr<Partition> PartitionTable::partition(const ProcessorSet& processors) {
  state_->check_lost();
  const DeviceState::Current current(*state_);
  const base::Lock lock(mutex_);
  split();
  const std::string& id = state_->info().id;
  if (processors.ids.empty()) base::fail(ErrorCode::invalid_argument, "{}: a partition without SMs", id);
  std::set<std::size_t> chosen;
  for (std::size_t i = 0; i < processors.ids.size(); ++i) {
    const unsigned sm = processors.ids[i];
    if (i > 0 && sm <= processors.ids[i - 1])
      base::fail(ErrorCode::invalid_argument, "{}: the SMs of a partition must ascend; {} follows {}", id, sm,
                 processors.ids[i - 1]);
    if (sm >= first_.back())
      base::fail(ErrorCode::invalid_argument, "{}: there is no SM {}; there are 0 to {}", id, sm, first_.back() - 1);
    chosen.insert(static_cast<std::size_t>(std::upper_bound(first_.begin(), first_.end(), sm) - first_.begin()) - 1);
  }
  std::size_t all = 0;
  for (std::size_t group : chosen) all += first_[group + 1] - first_[group];
  if (all != processors.ids.size())
    base::fail(ErrorCode::invalid_argument,
               "{}: a partition has whole groups of {} SMs (0-1, 2-3, ...); {} SMs of groups with {} were asked for",
               id, smallest_group, processors.ids.size(), all);
  auto& context = contexts_[chosen];
  if (!context) {
    std::vector<Resource> resources;
    for (std::size_t group : chosen) resources.push_back(groups_[group]);
    driver::ResourceDescriptor description = nullptr;
    state_->check(
        state_->driver().describe_resources(&description, resources.data(), static_cast<unsigned>(resources.size())),
        "describing a partition", ErrorCode::unsupported);
    state_->check(state_->driver().green_create(&context, description, state_->number(), driver::green_default_stream),
                  "making a partition", ErrorCode::unsupported);
  }
  return std::make_unique<CudaPartition>(shared_from_this(), processors, context);
}

}  // namespace heddle::device::cuda
