#include "device/sim/gpu.hpp"

#include <algorithm>
#include <atomic>
#include <limits>

namespace heddle::device::sim {
namespace {

constexpr std::uint64_t quiet_after = 50'000;  // thread instructions without a change of memory
constexpr Cycle long_idle = 100'000;           // shorter times are simulated, with what is sampled in them

}  // namespace

std::uint64_t GpuLaunch::take() {
  const std::uint64_t block = next++;
  if (next == parts[part].end && ++part < parts.size()) next = parts[part].begin;
  return block;
}

void GpuLaunch::sample(std::vector<BlockRange> simulated, std::vector<BlockRange> others) {
  parts = std::move(simulated);
  rest = std::move(others);
  next = parts.front().begin;
}

void GpuLaunch::take_rest() {
  if (rest.empty()) return;
  const bool at_end = part == parts.size();
  parts.insert(parts.end(), rest.begin(), rest.end());
  if (at_end) next = parts[part].begin;
  rest.clear();
}

Gpu::Gpu(const MachineDescription& machine, bool ideal_memory, unsigned host_threads)
    : machine_(machine), memory_(ideal_memory ? make_ideal_memory(machine) : make_full_memory(machine)) {
  epoch_length_ = std::max<Cycle>(memory_->longest_epoch(), 1);
  for (unsigned i = 0; i < machine.sms; ++i) sms_.push_back(std::make_unique<Sm>(machine, i, memory_->sm(i)));
  reached_.resize(sms_.size());
  for (unsigned i = 1; i < host_threads; ++i) helpers_.push_back(std::make_unique<base::WorkerThread>("heddle-sim"));
}

void Gpu::add(GpuLaunch& launch, Cycle cycle) {
  if (launches_.empty() && cycle > now_) {
    now_ = cycle;
    for (auto& sm : sms_) sm->skip_to(now_);
  }
  if (launches_.empty()) {
    for (auto& sm : sms_) sm->invalidate_caches();
    memory_->reset_counters(now_);
    if (observer_) observer_->begin(now_);
  }
  if (!launches_.empty()) launch.take_rest();
  for (GpuLaunch* other : launches_) other->take_rest();
  launch.start = std::max(cycle, now_);
  launch.end = launch.start;
  launch.statistics.sm = totals();
  if (observer_) launch.statistics.by_sm = by_sm();
  const auto behind = std::find_if(launches_.begin(), launches_.end(),
                                   [&](const GpuLaunch* other) { return other->priority < launch.priority; });
  launches_.insert(behind, &launch);
  seen_instructions_ = instructions_;
}

void Gpu::cancel(GpuLaunch& launch) {
  for (auto& sm : sms_) sm->drop(launch.work);
  take_statistics(launch, now_);
  std::erase(launches_, &launch);
}

void Gpu::advance() {
  distribute();
  const Cycle end = now_ + epoch_length_ * idle_epochs();
  run_sms(end);
  run_ordered(end);
  memory_->exchange(end);
  now_ = end;
  if (observer_) observer_->epoch(now_, *memory_);
  take_ended();
  look_for_loops();
}

// How many epochs from now on are as one: where nothing happens for long, as before a block that starts late, but at
// least 1.
Cycle Gpu::idle_epochs() const {
  if (launches_.empty() || !memory_->idle()) return 1;
  Cycle next = never;
  for (const auto& sm : sms_) {
    next = std::min(next, sm->next_event());
    if (next <= now_ + long_idle) return 1;
  }
  return next == never ? 1 : (next - now_) / epoch_length_;
}

// Starts blocks on the SMs that have room, in turn.
void Gpu::distribute() {
  for (GpuLaunch* launch : launches_)
    while (launch->more() && start_block(*launch)) {
    }
  for (std::size_t i = 0; i < launches_.size();) {
    GpuLaunch& launch = *launches_[i];
    if (launch.live == 0 && !launch.more())
      finish(launch);  // nothing to do, or stopped
    else
      ++i;
  }
}

bool Gpu::start_block(GpuLaunch& launch) {
  for (unsigned i = 0; i < sms_.size(); ++i) {
    const auto index = static_cast<unsigned>((cursor_ + i) % sms_.size());
    Sm& sm = *sms_[index];
    if (!launch.sms[index] || !sm.admits(launch.work.needs)) continue;
    const double first = static_cast<double>(std::max(now_, launch.start + machine_.launching.kernel_cycles));
    next_start_ = std::max(next_start_, first);
    sm.admit(launch.work, launch.take(), static_cast<Cycle>(next_start_) + machine_.launching.block_cycles);
    next_start_ += 1.0 / machine_.launching.blocks_per_cycle;
    ++launch.live;
    cursor_ = index + 1;
    return true;
  }
  return false;
}

// Each SM as far as it comes alone.
void Gpu::run_sms(Cycle end) {
  const bool alone = sms_.size() == 1;
  std::atomic<std::size_t> next{0};
  const auto run = [&] {
    for (std::size_t i = next++; i < sms_.size(); i = next++)
      reached_[i] = sms_[i]->run(end, alone ? std::numeric_limits<std::uint64_t>::max() : 0);
  };
  const bool any = std::any_of(sms_.begin(), sms_.end(), [](const auto& sm) { return !sm->empty(); });
  if (any)
    for (auto& helper : helpers_) helper->post(run);
  run();
  if (any)
    for (auto& helper : helpers_) helper->drain();
}

// Of the SMs that stand before an operation with an order, the first in that order executes it and goes on.
void Gpu::run_ordered(Cycle end) {
  while (true) {
    std::size_t first = sms_.size();
    for (std::size_t i = 0; i < sms_.size(); ++i)
      if (!reached_[i] && (first == sms_.size() || sms_[i]->now() < sms_[first]->now())) first = i;
    if (first == sms_.size()) return;
    reached_[first] = sms_[first]->run(end, 1);
  }
}

void Gpu::take_ended() {
  for (auto& sm : sms_) {
    for (const Sm::Ended& ended : sm->ended()) {
      const auto found = std::find_if(launches_.begin(), launches_.end(),
                                      [&](const GpuLaunch* launch) { return &launch->work == ended.work; });
      if (found == launches_.end()) continue;
      GpuLaunch& launch = **found;
      launch.end = std::max(launch.end, ended.at);
      if (ended.failure) {
        if (!launch.failure) launch.failure = ended.failure;
        continue;
      }
      --launch.live;
      if (!launch.rest.empty()) launch.ends.push_back(ended.at);
    }
    sm->ended().clear();
  }
  for (std::size_t i = 0; i < launches_.size();) {
    GpuLaunch& launch = *launches_[i];
    if (launch.failure)
      for (auto& sm : sms_) sm->drop(launch.work);
    if (launch.failure || (launch.live == 0 && !launch.more()))
      finish(launch);
    else
      ++i;
  }
}

void Gpu::finish(GpuLaunch& launch) {
  take_statistics(launch, launch.end);
  launch.done = true;
  std::erase(launches_, &launch);
}

void Gpu::take_statistics(GpuLaunch& launch, Cycle end) {
  KernelStatistics& statistics = launch.statistics;
  SmStatistics sm = totals();
  sm -= statistics.sm;
  statistics.sm = sm;
  statistics.memory = memory_->counters();
  statistics.start = launch.start;
  statistics.end = end;
  statistics.sms = machine_.sms;
  statistics.warps_per_sm = machine_.residency.warps;
  if (statistics.by_sm.empty()) return;
  const std::vector<SmStatistics> now = by_sm();
  for (std::size_t i = 0; i < statistics.by_sm.size(); ++i) {
    SmStatistics one = now[i];
    one -= statistics.by_sm[i];
    statistics.by_sm[i] = one;
  }
}

void Gpu::audit() {
  for (auto& sm : sms_) sm->audit();
}

void Gpu::observe(GpuObserver* observer) {
  observer_ = observer;
  for (unsigned i = 0; i < sms_.size(); ++i) sms_[i]->observe(observer ? &observer->sm(i) : nullptr);
}

std::vector<SmStatistics> Gpu::by_sm() {
  std::vector<SmStatistics> all;
  for (auto& sm : sms_) all.push_back(sm->statistics());
  return all;
}

SmStatistics Gpu::totals() {
  SmStatistics sum;
  for (auto& sm : sms_) sum += sm->statistics();
  return sum;
}

void Gpu::look_for_loops() {
  std::uint64_t epoch = 0;
  instructions_ = 0;
  for (const auto& sm : sms_) {
    epoch += sm->memory_epoch();
    instructions_ += sm->thread_instructions();
  }
  if (epoch != seen_epoch_) seen_instructions_ = instructions_;
  seen_epoch_ = epoch;
  for (auto& sm : sms_) sm->watch_loops(quiet_instructions() > quiet_after, epoch);
}

bool Gpu::stuck() const {
  if (!memory_->idle()) return false;
  return std::all_of(sms_.begin(), sms_.end(), [](const auto& sm) { return sm->next_event() == never; });
}

bool Gpu::spins() const {
  if (quiet_instructions() <= quiet_after) return false;
  return std::all_of(sms_.begin(), sms_.end(), [&](const auto& sm) { return sm->all_repeat(); });
}

std::vector<const BlockContext*> Gpu::blocks_of(const GpuLaunch& launch, std::size_t most) const {
  std::vector<const BlockContext*> found;
  for (const auto& sm : sms_)
    for (const auto& block : sm->blocks())
      if (found.size() < most && &block->work == &launch.work && !block->block.finished()) found.push_back(block.get());
  return found;
}

}  // namespace heddle::device::sim
