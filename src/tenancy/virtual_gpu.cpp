#include "tenancy/virtual_gpu.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace heddle::tenancy {
namespace {

// Work that is left by rounding, in unit-seconds.
constexpr double nothing = 1e-12;

std::uint64_t hash_of(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

}  // namespace

double VirtualGpu::speed(const KernelModel& kernel) const {
  return 1 / (1 + kernel.sensitivity * (static_cast<double>(shape_.highest_mhz) / mhz_ - 1));
}

void VirtualGpu::submit(Range range) {
  Stream& stream = streams_[range.stream];
  if (stream.running || !stream.waiting.empty()) {
    stream.waiting.push_back(std::move(range));
    return;
  }
  start(stream, std::move(range));
  share();
}

void VirtualGpu::start(Stream& stream, Range range) {
  auto running = std::make_unique<Running>();
  const KernelModel& kernel = *range.kernel;
  const double resident = static_cast<double>(kernel.resident_blocks) * shape_.grain;
  const double blocks = static_cast<double>(range.blocks);
  running->left = blocks * kernel.block_seconds / resident;
  // Some units have nothing to do in the last wave.
  const double units = static_cast<double>(range.units.count());
  const double waves = std::ceil(blocks / (resident * units));
  running->demand = std::ceil(blocks / resident) / (units * waves);
  running->started_ns = now_ns_;
  running->phase = hash_of(++started_);
  running->range = std::move(range);
  enter_units(*running);
  active_.push_back(running.get());
  // Higher priorities first, among equal ones those that started first.
  const auto at = std::upper_bound(order_.begin(), order_.end(), running.get(), [](const Running* a, const Running* b) {
    return a->range.priority > b->range.priority;
  });
  order_.insert(at, running.get());
  stream.running = std::move(running);
}

// When a block of a running range ends on a unit: blocks of successive waves end apart.
std::uint64_t VirtualGpu::block_end(const Running& running, unsigned unit) const {
  const auto block =
      static_cast<std::uint64_t>(running.range.kernel->block_seconds * 1e9 / speed(*running.range.kernel));
  if (block == 0) return now_ns_;
  const std::uint64_t offset = hash_of(running.phase + unit) % block;
  const std::uint64_t into = (now_ns_ - running.started_ns + block - offset) % block;
  return now_ns_ + (into == 0 ? 0 : block - into);
}

void VirtualGpu::enter_units(Running& running) {
  running.enters_ns.assign(shape_.units, now_ns_);
  for (unsigned unit = 0; unit < shape_.units; ++unit) {
    if (!running.range.units[unit]) continue;
    double used = 0;
    std::uint64_t first = never;
    for (const Running* other : active_) {
      if (!other->range.units[unit] || other->left <= nothing || other->enters_ns[unit] > now_ns_) continue;
      used += other->demand;
      first = std::min(first, block_end(*other, unit));
    }
    if (used + running.demand > 1 + 1e-9) running.enters_ns[unit] = first;
  }
}

void VirtualGpu::share_unit(unsigned unit) {
  constexpr double no_room = 1e-9;  // what sums of fractions leave over
  double room = 1;
  for (std::size_t i = 0; i < order_.size() && room > no_room;) {
    const int priority = order_[i]->range.priority;
    double wanted = 0;
    std::size_t end = i;
    const auto uses = [&](const Running& running) {
      return running.range.units[unit] && running.left > nothing && running.enters_ns[unit] <= now_ns_;
    };
    for (; end < order_.size() && order_[end]->range.priority == priority; ++end)
      if (uses(*order_[end])) wanted += order_[end]->demand;
    const double part = wanted > room ? room / wanted : 1;
    for (; i < end; ++i)
      if (uses(*order_[i])) order_[i]->used += order_[i]->demand * part;
    room -= wanted * part;
  }
}

// Memory that all want together, as far as it exceeds what there is.
void VirtualGpu::slow_down() {
  double wanted = 0;
  for (const Running* running : active_) wanted += running->range.kernel->memory_share * running->used / shape_.units;
  for (Running* running : active_) {
    const double memory = running->range.kernel->memory_share;
    const double slower = wanted > 1 ? 1 - memory + memory * wanted : 1;
    running->rate = running->used / slower * speed(*running->range.kernel);
  }
}

void VirtualGpu::share() {
  for (Running* running : active_) running->used = 0;
  for (unsigned unit = 0; unit < shape_.units; ++unit) share_unit(unit);
  slow_down();
  find_next();
}

void VirtualGpu::find_next() {
  next_ns_ = never;
  for (const Running* running : active_) {
    if (running->end_ns != never) {
      next_ns_ = std::min(next_ns_, running->end_ns);
      continue;
    }
    if (running->rate > 0)
      next_ns_ =
          std::min(next_ns_, now_ns_ + static_cast<std::uint64_t>(std::ceil(running->left / running->rate * 1e9)));
    for (const std::uint64_t enters : running->enters_ns)
      if (enters > now_ns_) next_ns_ = std::min(next_ns_, enters);
  }
}

// Returns whether anything has changed that others notice.
bool VirtualGpu::finish_due() {
  bool any = false;
  std::vector<Running*> ended;
  for (Running* running : active_) {
    if (running->end_ns == never && running->left <= nothing) {
      running->left = 0;
      running->end_ns = now_ns_ + static_cast<std::uint64_t>(running->range.kernel->fixed_seconds * 1e9);
      any = true;
    }
    if (running->end_ns <= now_ns_) ended.push_back(running);
  }
  for (Running* running : ended) {
    std::erase(active_, running);
    std::erase(order_, running);
  }
  for (Running* running : ended) {
    Stream& stream = streams_[running->range.stream];
    const auto done = std::exchange(stream.running, nullptr);
    if (!stream.waiting.empty()) {
      Range next = std::move(stream.waiting.front());
      stream.waiting.pop_front();
      start(stream, std::move(next));
    }
    done->range.ended(now_ns_);  // it may submit more
    any = true;
  }
  return any;
}

void VirtualGpu::advance(std::uint64_t to_ns) {
  const double seconds = static_cast<double>(to_ns - now_ns_) * 1e-9;
  double used = 0;
  for (Running* running : active_) {
    used += running->used;
    running->left = std::max(0.0, running->left - running->rate * seconds);
  }
  unit_seconds_ += used * seconds;
  // Power rises with the third power of the frequency, as the voltage falls with it.
  const double relative = static_cast<double>(mhz_) / shape_.highest_mhz;
  joules_ += seconds * (shape_.idle_watts + shape_.busy_watts * used / shape_.units * relative * relative * relative);
  now_ns_ = to_ns;
  if (now_ns_ < next_ns_) return;
  finish_due();
  share();
}

void VirtualGpu::set_frequency(unsigned mhz) {
  mhz_ = mhz;
  share();
}

}  // namespace heddle::tenancy
