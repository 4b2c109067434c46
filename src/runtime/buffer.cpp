#include "runtime/buffer.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "base/log.hpp"
#include "core/core.hpp"
#include "heddle/error.hpp"
#include "sched/turn.hpp"

namespace heddle::runtime {

using graph::Access;
using graph::Mode;
using memory::Space;

Buffer::Buffer(std::shared_ptr<core::Core> core, std::size_t bytes)
    : core_(std::move(core)), array_(core_->places() + 1, bytes, core_->changes()) {}

// Until nothing uses the array: while this thread waits for its users, others may evict it, which adds one.
Buffer::~Buffer() {
  base::Lock lock(core_->mutex_at_end());
  core_->pinned().unpin(array_);
  for (;;) {
    core_->wait_until_submitted(array_, Mode::write, 0, array_.bytes(), lock);
    core_->memory().wait_for_eviction(array_, lock);
    core_->replayer().flush();
    graph::TaskRefs users;
    for (Space space = 0; space < array_.spaces(); ++space) {
      if (!array_.allocated(space)) continue;
      const graph::TaskRefs here =
          core_->scheduler().dag().hazards(array_.access(space, Mode::write, 0, array_.bytes()));
      users.insert(users.end(), here.begin(), here.end());
    }
    if (users.empty()) break;
    lock.unlock();
    try {
      core_->scheduler().wait(users);
    } catch (const Error& error) {
      base::log_warn("an error of a launch with an array that is gone: {}", error.what());
    }
    lock.lock();
  }
  for (Space space = 0; space < array_.spaces(); ++space) core_->memory().release(array_, space);
  if (array_.logical) core_->dispatcher()->dag().remove_object(*array_.logical);
}

// Has a copy made where the host finds the bytes, or has them copied to.
Space Buffer::make_space_for_host(std::uint64_t begin, std::uint64_t end, bool reaches_first, base::Lock& lock) {
  memory::Array* const own[] = {&array_};
  sched::MemoryManager::Pressure pressure;
  // Nothing has used it: memory of the first device, if the host reaches that and it is not full.
  if (!array_.allocated_anywhere() && reaches_first) {
    try {
      core_->memory().allocate(own, 0, lock, pressure, "an array");
    } catch (const Error& error) {
      if (error.code() != ErrorCode::out_of_memory) throw;
    }
  }
  for (;;) {
    core_->calls().wait(lock, own);  // one may have been opened while the lock was released
    const Space space = core_->transfers().space_for_host(array_, begin, end);
    if (!core_->memory().allocate(own, space, lock, pressure, "an array")) return space;
  }
}

// The host's access gets its place among held tasks. Then no call is open that uses the array.
void Buffer::take_turn(std::optional<sched::Turn>& turn, Mode mode, std::uint64_t begin, std::uint64_t end,
                       base::Lock& lock) {
  if (auto* const dispatcher = core_->dispatcher()) {
    const Access access{core_->logical_object(array_), mode, begin, end};
    turn.emplace(*dispatcher, std::span(&access, 1), lock);
  }
  memory::Array* const own[] = {&array_};
  core_->calls().wait(lock, own);
}

std::byte* Buffer::access(bool writes, std::uint64_t begin, std::uint64_t end) {
  const bool reaches_first = !core_->memory().limited(0) && core_->memory().host_reaches(0);
  base::Lock lock(core_->mutex());
  const graph::Dag& dag = core_->scheduler().dag();
  std::optional<sched::Turn> turn;
  take_turn(turn, writes ? Mode::read_write : Mode::read, begin, end, lock);
  if (array_.failure) [[unlikely]]
    std::rethrow_exception(std::exchange(array_.failure, nullptr));
  core_->replayer().flush();
  const Space space = make_space_for_host(begin, end, reaches_first, lock);
  array_.host_reads(begin, end);
  core_->transfers().copy_missing(array_, space, begin, end, true);
  const Access wanted = array_.access(space, writes ? Mode::write : Mode::read, begin, end);
  for (graph::TaskRefs users = dag.hazards(wanted); !users.empty(); users = dag.hazards(wanted)) {
    lock.unlock();
    core_->scheduler().wait(users);
    lock.lock();
    memory::Array* const own[] = {&array_};
    core_->calls().wait(lock, own);
    core_->replayer().flush_others();
  }
  if (writes) array_.host_modified(space, begin, end);
  turn.reset();
  const bool whole = begin == 0 && end == array_.bytes();
  if (whole && array_.residence().current(space, 0, end)) {
    const bool used = !writes && (!dag.hazards(array_.access(space, Mode::write, 0, end)).empty() ||
                                  core_->is_held(array_, Mode::write, 0, end));
    array_.let_host(space, !used && array_.residence().having_some(0, end) == memory::only(space));
  }
  return static_cast<std::byte*>(array_.reachable(space)) + begin;
}

// Failures of launches are left to read().
void Buffer::prefetch(std::uint64_t begin, std::uint64_t end) {
  if (array_.host_readable() != nullptr || begin >= end) return;
  const bool reaches_first = !core_->memory().limited(0) && core_->memory().host_reaches(0);
  base::Lock lock(core_->mutex());
  const auto is_busy = [&] { return array_.failure || array_.open_uses > 0 || array_.partial_uses > 0; };
  if (core_->dispatcher() != nullptr || is_busy()) return;
  core_->replayer().flush();
  try {
    const Space space = make_space_for_host(begin, end, reaches_first, lock);
    if (!is_busy()) core_->transfers().copy_missing(array_, space, begin, end, true);
  } catch (const Error& error) {
    base::log_debug("an array is not copied to the host before it is read: {}", error.what());
  }
}

const void* Buffer::read_page(std::uint64_t begin, std::uint64_t end) {
  constexpr std::uint64_t page = 64 * 1024;
  const std::uint64_t from = begin / page * page,
                      to = std::min<std::uint64_t>((end + page - 1) / page * page, array_.bytes());
  bool more = false;  // the page has writers that the bytes asked for do not have
  {
    base::Lock lock(core_->mutex());
    std::optional<sched::Turn> turn;
    take_turn(turn, Mode::read, begin, end, lock);
    core_->replayer().flush();
    const graph::Dag& dag = core_->scheduler().dag();
    for (Space space = 0; space < array_.spaces(); ++space) {
      if (!array_.allocated(space)) continue;
      const graph::TaskRefs wanted = dag.hazards(array_.access(space, Mode::read, begin, end));
      more = more || dag.hazards(array_.access(space, Mode::read, from, to)) != wanted;
    }
  }
  if (more) return access(false, begin, end);
  return access(false, from, to) + (begin - from);
}

bool Buffer::host_only() {
  const base::Lock lock(core_->mutex());
  const memory::Spaces current = array_.residence().having_some(0, array_.bytes());
  for (Space space = 0; space < array_.host(); ++space)
    if ((current & memory::only(space)) != 0 && array_.reachable(space) == nullptr) return false;
  return true;
}

std::uint64_t Buffer::pin(std::size_t place) {
  const auto space = static_cast<Space>(place);
  memory::Array* const own[] = {&array_};
  sched::MemoryManager::Pressure pressure;
  base::Lock lock(core_->mutex());
  core_->wait_until_all_submitted(lock);
  std::optional<sched::Turn> turn;
  do {
    if (!turn)
      take_turn(turn, Mode::read_write, 0, array_.bytes(), lock);
    else
      core_->calls().wait(lock, own);
  } while (core_->memory().allocate(own, space, lock, pressure, "an array whose address is taken"));
  core_->replayer().flush();
  core_->transfers().acquire(array_, place, 0, array_.bytes(), Mode::read);
  core_->pinned().pin(place, array_);
  return array_.address(space);
}

}  // namespace heddle::runtime
