#include "device/cuda/state.hpp"
#include "device/process_limit.hpp"

#include <algorithm>
#include <cmath>

#include "base/clock.hpp"
#include "base/fail.hpp"

namespace heddle::device::cuda {

using driver::DeviceAttribute;
using driver::EventHandle;
using driver::Result;

namespace {

constexpr std::uint64_t reference_period_ns = 2'000'000'000;

// The context that the innermost Current of this thread has made the thread's; null outside of them.
thread_local driver::Context chosen = nullptr;

}  // namespace

DeviceState::DeviceState(std::shared_ptr<const Driver> driver, int ordinal, base::TraceSink* trace,
                         std::shared_ptr<base::Watcher> watcher)
    : driver_(std::move(driver)), is_first_(ordinal == 0), trace_(trace), watcher_(std::move(watcher)) {
  info_.id = fmt::format("cuda:{}", ordinal);
  if (const Result result = driver_->device_get(&number_, ordinal); result != driver::success)
    base::fail(ErrorCode::not_found, "{}: opening the GPU failed: {}", info_.id, driver_->describe(result));
  context_ = PrimaryContext::open(driver_, number_, info_.id);
  pinned_ = std::make_unique<PinnedPool>(driver_, context_);
  const Current current(*this);
  int lowest = 0, highest = 0;
  check(driver_->context_priorities(&lowest, &highest), "asking for the priorities of streams");
  check(driver_->stream_create(&service_, driver::stream_non_blocking, highest), "making a stream");
  find_peers(ordinal);
  describe();
  start_clock();
}

void DeviceState::find_peers(int own) {
  int count = 0;
  check(driver_->device_count(&count), "counting the GPUs");
  for (int other = 0; other < count; ++other) {
    driver::DeviceNumber number = 0;
    int reachable = 0;
    if (other == own || driver_->device_get(&number, other) != driver::success) continue;
    if (driver_->can_access_peer(&reachable, number, number_) == driver::success && reachable) peers_.push_back(number);
  }
}

void DeviceState::start_pool() const {
  std::call_once(pool_started_, [this] {
    driver::MemoryPool pool = nullptr;
    check(driver_->default_pool(&pool, number_), "asking for the memory pool");
    // Memory that was given back stays with the process: allocating is then a matter of microseconds.
    std::uint64_t keep = ~std::uint64_t{0};
    check(driver_->pool_set(pool, driver::pool_release_threshold, &keep), "setting up the memory pool");
    // Kernels and copies of the process's other GPUs reach it, where the links allow it.
    for (const driver::DeviceNumber peer : peers_) {
      const driver::MemoryAccess access{driver::location_device, peer, driver::access_read_write};
      check(driver_->pool_set_access(pool, &access, 1), "letting another GPU reach the memory");
    }
    has_pool_.store(true, std::memory_order_release);
  });
}

// What the pool keeps for later.
std::uint64_t DeviceState::pool_reserve() const {
  if (!has_pool_.load(std::memory_order_acquire)) return 0;
  driver::MemoryPool pool = nullptr;
  std::uint64_t reserved = 0, used = 0;
  check(driver_->default_pool(&pool, number_), "asking for the memory pool");
  check(driver_->pool_get(pool, driver::pool_reserved_bytes, &reserved), "asking for the memory pool's size");
  check(driver_->pool_get(pool, driver::pool_used_bytes, &used), "asking for the memory pool's use");
  return reserved - std::min(used, reserved);
}

bool DeviceState::gone() const {
  if (lost()) return true;
  if (chosen == context()) return false;  // this thread is in calls of the driver
  driver::Context current = nullptr;
  return driver_->context_get(&current) == driver::error_deinitialized;
}

DeviceState::~DeviceState() {
  if (gone()) return;
  const Current current(*this);
  pinned_->unregister();
  for (const auto& events : spare_events_)
    for (EventHandle event : events) driver_->event_destroy(event);
  for (const Reference& reference : references_) driver_->event_destroy(reference.event);
  if (service_) driver_->stream_destroy(service_);
}

int DeviceState::attribute(DeviceAttribute attribute) const {
  int value = 0;
  check(driver_->device_attribute(&value, static_cast<int>(attribute), number_), "asking for a limit of the GPU");
  return value;
}

void DeviceState::describe() {
  char name[256] = {};
  check(driver_->device_name(name, sizeof name, number_), "asking for the GPU's name");
  info_.name = name;
  std::size_t bytes = 0;
  check(driver_->device_memory(&bytes, number_), "asking for the GPU's memory");
  info_.memory_bytes = std::min<std::uint64_t>(bytes, process_memory_limit());
  const auto limit = [&](DeviceAttribute which) { return static_cast<std::uint32_t>(attribute(which)); };
  info_.processors = limit(DeviceAttribute::multiprocessors);
  info_.warp_size = limit(DeviceAttribute::warp_size);
  info_.max_threads_per_block = limit(DeviceAttribute::max_threads_per_block);
  const DeviceAttribute block[] = {DeviceAttribute::max_block_x, DeviceAttribute::max_block_y,
                                   DeviceAttribute::max_block_z};
  const DeviceAttribute grid[] = {DeviceAttribute::max_grid_x, DeviceAttribute::max_grid_y,
                                  DeviceAttribute::max_grid_z};
  for (unsigned i = 0; i < 3; ++i) {
    info_.max_block[i] = limit(block[i]);
    info_.max_grid[i] = limit(grid[i]);
  }
  info_.max_shared_per_block = limit(DeviceAttribute::max_shared_per_block);
  max_resident_threads_ = limit(DeviceAttribute::max_threads_per_multiprocessor);
  info_.capability = 10 * limit(DeviceAttribute::capability_major) + limit(DeviceAttribute::capability_minor);
  launches_early_ = info_.capability >= 90;
  info_.partition_grain = 2;
  info_.has_streams = true;
  info_.launch_seconds = 4e-6;  // of the driver's call, measured (docs/performance.md)
  info_.survives_faults = false;
}

// A thread without a context works with the first GPU as far as CUDA's runtime is concerned: there that GPU's context
// may stay, which makes what comes next cheaper.
DeviceState::Current::Current(const DeviceState& state) : state_(state), outer_(chosen) {
  if (outer_ == state_.context()) return;
  state_.driver_->context_get(&before_);
  if (before_ != state_.context()) {
    state_.check(state_.driver_->context_set(state_.context()), "choosing the GPU");
    if (!before_ && state_.is_first_) before_ = state_.context();
  }
  chosen = state_.context();
}

DeviceState::Current::~Current() {
  if (outer_ == state_.context()) return;
  if (before_ != state_.context()) state_.driver_->context_set(before_);
  chosen = outer_;
}

DeviceState::Foreign::Foreign(const DeviceState& state) : state_(state) { chosen = nullptr; }

DeviceState::Foreign::~Foreign() {
  state_.driver_->context_set(state_.context());
  chosen = state_.context();
}

void DeviceState::check(Result result, std::string_view what, ErrorCode code) const {
  if (result == driver::success) return;
  if (is_sticky(result)) {
    check_lost();
    lose(result, std::string(what));
  }
  base::fail(code, "{}: {} failed: {}", info_.id, what, driver_->describe(result));
}

namespace {

KernelFault kind_of(Result result) {
  switch (result) {
    case driver::error_illegal_address:
    case driver::error_invalid_address_space: return KernelFault::memory_access;
    case driver::error_misaligned_address: return KernelFault::misaligned;
    case driver::error_assert: return KernelFault::assertion;
    case driver::error_launch_failed: return KernelFault::trap;
    default: return KernelFault::other;
  }
}

}  // namespace

void DeviceState::lose(Result result, const std::string& suspects) const {
  const std::string loss = fmt::format("{} in {}", driver_->describe(result), suspects);
  if (!context_->lose(loss)) check_lost();
  throw Error(
      kind_of(result),
      fmt::format("{}: {}; the GPU's context is lost with all that it held. Running the kernel with --device cpu "
                  "--check tells the thread and the address",
                  info_.id, loss));
}

void DeviceState::check_lost() const {
  if (lost()) base::fail(ErrorCode::device_lost, "{} is lost since an earlier failure: {}", info_.id, context_->loss());
}

EventHandle DeviceState::acquire_event(bool timed) const {
  {
    const base::Lock lock(mutex_);
    auto& spare = spare_events_[timed ? 1 : 0];
    if (!spare.empty()) {
      EventHandle event = spare.back();
      spare.pop_back();
      return event;
    }
  }
  EventHandle event = nullptr;
  check(driver_->event_create(&event, timed ? driver::event_default : driver::event_no_timing), "making an event");
  return event;
}

void DeviceState::release_event(EventHandle event, bool timed) const {
  const base::Lock lock(mutex_);
  spare_events_[timed ? 1 : 0].push_back(event);
}

void DeviceState::start_clock() {
  EventHandle event = nullptr;
  check(driver_->event_create(&event, driver::event_default), "making an event");
  check(driver_->event_record(event, service_), "recording an event");
  check(driver_->event_synchronize(event), "waiting for an event");
  const std::uint64_t now = clock().now_ns();
  const base::Lock lock(clock_mutex_);
  references_.push_back({event, now, true});
  next_reference_ns_ = now + reference_period_ns;
}

void DeviceState::keep_time() const {
  const std::uint64_t now = clock().now_ns();
  std::uint64_t due = next_reference_ns_.load(std::memory_order_relaxed);
  if (now < due || !next_reference_ns_.compare_exchange_strong(due, now + reference_period_ns)) return;
  EventHandle event = acquire_event(true);
  if (driver_->event_record(event, service_) != driver::success) return release_event(event, true);
  const base::Lock lock(clock_mutex_);
  references_.push_back({event, 0, false});
}

std::uint64_t DeviceState::time_of(EventHandle event) const {
  const base::Lock lock(clock_mutex_);
  for (std::size_t i = 1; i < references_.size() && !references_[i].known; ++i) {
    float ms = 0;
    if (driver_->event_elapsed(&ms, references_[i - 1].event, references_[i].event) != driver::success) break;
    references_[i].ns = references_[i - 1].ns + static_cast<std::uint64_t>(std::llround(double{ms} * 1e6));
    references_[i].known = true;
  }
  // The newest known reference, and one before it for events that are a little older.
  while (references_.size() > 3 && references_[2].known) {
    release_event(references_.front().event, true);
    references_.erase(references_.begin());
  }
  std::size_t newest = 0;
  while (newest + 1 < references_.size() && references_[newest + 1].known) ++newest;
  float ms = 0;
  if (driver_->event_elapsed(&ms, references_[newest].event, event) != driver::success) return 0;
  const auto away = static_cast<std::int64_t>(std::llround(double{ms} * 1e6));
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(references_[newest].ns) + away);
}

}  // namespace heddle::device::cuda
