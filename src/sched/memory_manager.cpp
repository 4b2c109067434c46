#include "sched/memory_manager.hpp"

#include <algorithm>
#include <utility>

#include "base/fail.hpp"
#include "base/format.hpp"
#include "base/log.hpp"
#include "base/memory_limit.hpp"

namespace heddle::sched {

using memory::Array;
using memory::EvictionCandidate;
using memory::Space;

MemoryManager::MemoryManager(Scheduler& scheduler, Transfers& transfers, const PinnedArrays& pinned, Options options)
    : scheduler_(scheduler),
      transfers_(transfers),
      pinned_(pinned),
      guarded_(std::move(options.guarded)),
      eviction_(std::move(options.eviction)),
      wait_for_users_(std::move(options.wait_for_users)),
      submit_held_(std::move(options.submit_held)),
      reaches_(scheduler.places()),
      registry_(std::move(options.budgets)) {
  for (std::size_t place = 0; place < scheduler_.places(); ++place)
    if (limited(place)) transfers_.keep_from_host(static_cast<Space>(place));
}

namespace {

// Memory of the CPU device that another device copies from and to at its full rate.
class RegisteredMemory final : public device::Memory {
 public:
  RegisteredMemory(std::unique_ptr<device::Memory> memory, std::unique_ptr<device::Memory> registration)
      : memory_(std::move(memory)), registration_(std::move(registration)) {}
  device::Span span() const override { return memory_->span(); }
  void* host() const override { return memory_->host(); }
  void guard() override { memory_->guard(); }

 private:
  std::unique_ptr<device::Memory> memory_, registration_;  // the registration ends first
};

bool is_gpu(const device::DeviceInfo& info) { return info.capability != 0 && !info.simulated; }

// Registers it with the GPU that copies. Copies of few bytes are as fast without.
std::unique_ptr<device::Memory> pinned(std::unique_ptr<device::Memory> memory, device::Device& gpu) {
  constexpr std::size_t few = 64 * 1024;
  const device::Span span = memory->span();
  if (span.size < few) return memory;
  try {
    auto registration = gpu.register_host(reinterpret_cast<void*>(span.address), span.size);
    return std::make_unique<RegisteredMemory>(std::move(memory), std::move(registration));
  } catch (const Error& error) {
    base::log_debug("copies of an array of the CPU device are slower, as its memory is not pinned: {}", error.what());
    return memory;
  }
}

}  // namespace

// Of the device that will be copied from or to, which makes copies fast.
std::size_t MemoryManager::place_for_host_memory() const {
  std::size_t place = 0;
  while (place + 1 < scheduler_.places() && scheduler_.device(place).info().host_memory) ++place;
  return place;
}

std::unique_ptr<device::Memory> MemoryManager::make(const Array& array, Space space) const {
  device::Device& copier = scheduler_.device(place_for_host_memory());
  // An empty array has an address too, so that kernels can be given it.
  auto memory = space == array.host() ? copier.allocate_host(std::max<std::size_t>(array.bytes(), 1))
                                      : scheduler_.device(space).allocate(array.bytes());
  if (guarded_[space]) memory->guard();
  const bool of_cpu = space != array.host() && scheduler_.device(space).info().host_memory;
  return of_cpu && is_gpu(copier.info()) ? pinned(std::move(memory), copier) : std::move(memory);
}

bool MemoryManager::host_reaches(std::size_t place) {
  int known = reaches_[place].load(std::memory_order_relaxed);
  if (known == 0) {
    known = scheduler_.device(place).allocate(1)->host() != nullptr ? 2 : 1;
    reaches_[place].store(known, std::memory_order_relaxed);
  }
  return known == 2;
}

void MemoryManager::release(Array& array, Space space) {
  if (!array.allocated(space)) return;
  registry_.remove(space, array);
  scheduler_.dag().remove_object(array.release(space).object);
}

bool MemoryManager::try_allocate(const std::vector<Array*>& missing, Space space, base::Lock& lock) {
  std::uint64_t bytes = 0;
  for (const Array* const array : missing) bytes += array->bytes();
  if (!registry_.reserve(space, bytes)) return false;
  std::vector<std::unique_ptr<device::Memory>> made;
  lock.unlock();
  try {
    for (const Array* const array : missing) made.push_back(make(*array, space));
  } catch (const Error& error) {
    lock.lock();
    registry_.unreserve(space, bytes);
    if (error.code() != ErrorCode::out_of_memory) throw;
    // The budget would allow it, and the device has less.
    if (registry_.arrays(space).empty()) throw;
    return false;
  } catch (...) {
    lock.lock();
    registry_.unreserve(space, bytes);
    throw;
  }
  lock.lock();
  for (std::size_t i = 0; i < missing.size(); ++i) {
    Array& array = *missing[i];
    if (array.allocated(space)) {  // by another thread meanwhile
      registry_.unreserve(space, array.bytes());
      continue;
    }
    array.install(space, std::move(made[i]),
                  scheduler_.add_object(std::max<std::size_t>(array.bytes(), 1), array.id()));
    registry_.add(space, array);
  }
  return true;
}

bool MemoryManager::allocate_missing(std::span<Array* const> arrays, Space space, base::Lock& lock, Pressure& pressure,
                                     std::string_view user) {
  for (;;) {
    std::vector<Array*> missing;
    std::uint64_t bytes = 0;
    for (Array* const array : arrays) {
      if (array->allocated(space) || std::find(missing.begin(), missing.end(), array) != missing.end()) continue;
      missing.push_back(array);
      bytes += array->bytes();
    }
    if (missing.empty()) return true;
    if (!try_allocate(missing, space, lock)) make_room(arrays, space, bytes, lock, pressure, user);
  }
}

std::vector<EvictionCandidate> MemoryManager::candidates(std::span<Array* const> needed, Space space) const {
  std::vector<EvictionCandidate> all;
  const auto pinned = space < scheduler_.places() ? pinned_.at(space) : std::span<Array* const>();
  const auto contains = [](std::span<Array* const> arrays, const Array* array) {
    return std::find(arrays.begin(), arrays.end(), array) != arrays.end();
  };
  for (Array* const array : registry_.arrays(space)) {
    if (transfers_.gives_to_host(*array, space)) continue;  // it may be using it
    if (array->bytes() == 0 || array->open_uses > 0 || array->partial_uses > 0 || contains(needed, array) ||
        contains(pinned, array))
      continue;
    all.push_back({array, array->bytes(), array->dirty_bytes(space), array->last_use(space)});
  }
  eviction_->order(all);
  return all;
}

void MemoryManager::make_host_copy(Array& array, base::Lock& lock) {
  if (array.allocated(array.host())) return;
  ++array.needed_by_eviction;
  lock.unlock();
  std::unique_ptr<device::Memory> made;
  std::exception_ptr failure;
  try {
    made = make(array, array.host());
  } catch (...) {
    failure = std::current_exception();
  }
  lock.lock();
  --array.needed_by_eviction;
  eviction_ended_.notify_all();
  if (failure) std::rethrow_exception(failure);
  if (array.allocated(array.host())) return;
  static_cast<void>(registry_.reserve(array.host(), array.bytes()));
  array.install(array.host(), std::move(made),
                scheduler_.add_object(std::max<std::size_t>(array.bytes(), 1), array.id()));
  registry_.add(array.host(), array);
}

graph::TaskRefs MemoryManager::start_evicting(Array& array, Space space) {
  const std::uint64_t dirty = array.dirty_bytes(space);
  if (dirty > 0) transfers_.write_back(array, space);
  array.dropped(space);
  evicted_ += array.bytes();
  written_back_ += dirty;
  return scheduler_.dag().hazards(array.access(space, graph::Mode::write, 0, array.bytes()));
}

// Whether arrays that cannot be evicted now can be later, when what is being submitted with them is submitted.
bool MemoryManager::is_kept_for_now(std::span<Array* const> needed, Space space) const {
  const auto& arrays = registry_.arrays(space);
  return std::any_of(arrays.begin(), arrays.end(), [needed](const Array* array) {
    return (array->open_uses > 0 || array->partial_uses > 0) &&
           std::find(needed.begin(), needed.end(), array) == needed.end();
  });
}

void MemoryManager::refuse(Space space, std::uint64_t bytes, std::string_view user) const {
  const bool host = space >= scheduler_.places();
  const std::string where = host ? "the host" : scheduler_.device(space).info().id;
  const std::uint64_t budget = registry_.budget(space);
  base::fail(ErrorCode::out_of_memory, "{} needs {} more on {} for its arrays{}; {}", user, base::format_bytes(bytes),
             where,
             budget == memory::Registry::unlimited
                 ? ", which has no more memory" + base::memory_limit_note()
                 : fmt::format(", where arrays may take {} in all", base::format_bytes(budget)),
             registry_.describe(space));
}

void MemoryManager::begin_pressure(Pressure& pressure) {
  base::Lock lock(pressure_mutex_);
  while (pressure_) lock.wait(pressure_ended_);
  pressure_ = true;
  pressure.manager_ = this;
}

void MemoryManager::end_pressure() {
  const base::Lock lock(pressure_mutex_);
  pressure_ = false;
  pressure_ended_.notify_one();
}

void MemoryManager::make_room(std::span<Array* const> needed, Space space, std::uint64_t bytes, base::Lock& lock,
                              Pressure& pressure, std::string_view user) {
  if (pressure.manager_ == nullptr) {
    lock.unlock();
    begin_pressure(pressure);
    lock.lock();
    return;  // there may be room now
  }
  submit_held_();  // of other threads: the lock was released since this launch began
  const std::vector<EvictionCandidate> going = candidates(needed, space);
  std::vector<std::pair<Array*, graph::TaskRefs>> evicted;
  // Of a limit what is over it; where the device itself has no more, all that is wanted.
  const std::uint64_t limit = registry_.budget(space), wanted = registry_.used(space) + bytes;
  const std::uint64_t least = limit != memory::Registry::unlimited && wanted > limit ? wanted - limit : bytes;
  std::uint64_t room = 0;
  for (const EvictionCandidate& candidate : going) {
    if (room >= least) break;
    // Others that the lock is given back for may end.
    const bool is_there = std::find(registry_.arrays(space).begin(), registry_.arrays(space).end(), candidate.array) !=
                          registry_.arrays(space).end();
    if (!is_there) continue;
    if (candidate.dirty > 0 && !candidate.array->allocated(candidate.array->host())) {
      make_host_copy(*candidate.array, lock);
      return;  // what there is to evict may be other now
    }
    evicted.emplace_back(candidate.array, start_evicting(*candidate.array, space));
    room += candidate.bytes;
  }
  if (evicted.empty()) {
    if (!is_kept_for_now(needed, space)) refuse(space, bytes, user);
    return wait_for_users_(lock);
  }
  graph::TaskRefs all;
  for (const auto& [array, tasks] : evicted) all.insert(all.end(), tasks.begin(), tasks.end());
  lock.unlock();
  scheduler_.drain(all);
  lock.lock();
  for (const auto& [array, tasks] : evicted) {
    const auto& there = registry_.arrays(space);
    // It may have ended, or have been used again.
    if (std::find(there.begin(), there.end(), array) == there.end()) continue;
    if (array->open_uses > 0 || array->partial_uses > 0) continue;
    if (array->residence().having_some(0, array->bytes()) & memory::only(space)) continue;
    const graph::Access whole = array->access(space, graph::Mode::write, 0, array->bytes());
    if (!scheduler_.dag().hazards(whole).empty() && !scheduler_.tracker().all_done(scheduler_.dag().hazards(whole)))
      continue;
    release(*array, space);
  }
}

}  // namespace heddle::sched
