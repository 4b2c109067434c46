#include "runtime/buffer.hpp"

#include <algorithm>
#include <boost/container/small_vector.hpp>
#include <cstring>
#include <mutex>
#include <utility>

#include "base/log.hpp"
#include "heddle/error.hpp"
#include "runtime/core.hpp"
#include "runtime/ids.hpp"

namespace heddle::runtime {

using graph::Access;
using graph::Mode;
using memory::Space;
using memory::Spaces;

Buffer::Buffer(std::shared_ptr<Core> core, std::size_t bytes)
    : core_(std::move(core)), bytes_(bytes), id_(next_id()), copies_(core_->places() + 1), residence_(bytes) {}

Buffer::~Buffer() {
  graph::TaskRefs users;
  {
    const std::lock_guard lock(core_->mutex_at_end());
    core_->replayer().settle();
    for (Space space = 0; space < copies_.size(); ++space) {
      if (!copies_[space].memory) continue;
      const graph::TaskRefs here = core_->engine().dag().hazards(access(space, Mode::write, 0, bytes_));
      users.insert(users.end(), here.begin(), here.end());
    }
  }
  try {
    core_->engine().wait(users);
  } catch (const Error& error) {
    base::log_warn("an error of a launch with an array that is gone: {}", error.what());
  }
  const std::lock_guard lock(core_->mutex_at_end());
  for (Copy& copy : copies_)
    if (copy.memory) core_->engine().dag().remove_object(copy.object);
}

// Of the device that will be copied from or to, which makes copies fast.
std::size_t Buffer::place_for_host_memory() const {
  std::size_t place = 0;
  while (place + 1 < core_->places() && core_->place(place).device->info().host_memory) ++place;
  return place;
}

void Buffer::allocate(Space space) {
  Copy& copy = copies_[space];
  // An empty array has an address too, so that kernels can be given it.
  copy.memory = space == host_space()
                    ? core_->place(place_for_host_memory()).device->allocate_host(std::max<std::size_t>(bytes_, 1))
                    : core_->place(space).device->allocate(bytes_);
  if (core_->check() || (space != host_space() && core_->verifies(space))) copy.memory->guard();
  copy.address = copy.memory->span().address;
  copy.object = core_->engine().add_object(std::max<std::size_t>(bytes_, 1), id_);
}

void Buffer::release(Space space) {
  core_->engine().dag().remove_object(copies_[space].object);
  copies_[space].memory.reset();
  copies_[space].address = 0;
}

void* Buffer::reachable(Space space) const { return copies_[space].memory ? copies_[space].memory->host() : nullptr; }

device::Span Buffer::span(Space space, std::uint64_t begin, std::uint64_t end) const {
  if (void* host = reachable(space)) return device::Span::host(static_cast<std::byte*>(host) + begin, end - begin);
  return copies_[space].memory->span().sub(begin, end - begin);
}

Access Buffer::access(Space space, Mode mode, std::uint64_t begin, std::uint64_t end) const {
  return {copies_[space].object, mode, begin, end};
}

// By the fastest link where links are known. Else devices are nearer to each other than to the host; what the host
// reaches comes last.
Space Buffer::source(Spaces spaces, Space to) const {
  Space last = 0;
  if (const sched::LinkTable* links = core_->links().known()) {
    double least = 0;
    for (Space space = 0; space < copies_.size(); ++space) {
      if (!(spaces & memory::only(space))) continue;
      const double each = links->seconds_per_byte(space, to);
      if (least > 0 && each >= least) continue;
      least = each;
      last = space;
    }
    return last;
  }
  for (Space space = 0; space < copies_.size(); ++space) {
    if (!(spaces & memory::only(space))) continue;
    if (reachable(space) == nullptr) return space;
    last = space;
  }
  return last;
}

// Of bytes that nobody has used yet. A host that wants them fills them itself where it can.
void Buffer::fill(Space space, std::uint64_t begin, std::uint64_t end, bool by_host) {
  if (by_host && reachable(space)) {
    std::memset(static_cast<std::byte*>(reachable(space)) + begin, 0, end - begin);
    return;
  }
  const device::Span target = copies_[space].memory->span().sub(begin, end - begin);
  const Access written = access(space, Mode::write, begin, end);
  core_->engine().submit(space, {&written, 1}, [&](device::Queue& queue) { queue.fill(target, 0, 1); });
}

// The device that has its own memory copies: the other may not reach it.
void Buffer::move(Space from, Space to, std::uint64_t begin, std::uint64_t end, Arriving arriving) {
  const bool from_there = from != host_space() && (to == host_space() || (!reachable(from) && reachable(to)));
  const Access accesses[] = {access(from, Mode::read, begin, end), access(to, Mode::write, begin, end)};
  const device::Span target = span(to, begin, end), data = span(from, begin, end);
  Engine::Wanted wanted{.start = arriving != Arriving::before, .copies = true};
  if (arriving == Arriving::telling && from == host_space()) {
    wanted.arrival = core_->place(to).device->arrival();
    wanted.arrives_at = target.address;
  }
  const auto submitted = core_->engine().submit(
      from_there ? from : to, accesses,
      [&](device::Queue& queue) {
        if (wanted.arrival)
          queue.copy_telling(target, data, *wanted.arrival);
        else
          queue.copy(target, data);
      },
      wanted);
  core_->engine().dag()[submitted.task].is_move = true;
}

void Buffer::bring_missing(Space space, std::uint64_t begin, std::uint64_t end, bool for_host, Arriving arriving) {
  struct Piece {
    std::uint64_t begin, end;
    Spaces spaces;
  };
  boost::container::small_vector<Piece, 2> pieces;
  residence_.missing(space, begin, end,
                     [&](std::uint64_t b, std::uint64_t e, Spaces spaces) { pieces.push_back({b, e, spaces}); });
  for (const Piece& piece : pieces) {
    if (piece.spaces == 0)
      fill(space, piece.begin, piece.end, for_host);
    else
      move(source(piece.spaces, space), space, piece.begin, piece.end, arriving);
    residence_.copied(space, piece.begin, piece.end);
  }
}

Access Buffer::acquire(std::size_t place, std::uint64_t begin, std::uint64_t end, Mode mode, Arriving arriving) {
  const auto space = static_cast<Space>(place);
  allocated(space);
  if (mode != Mode::write) bring(space, begin, end, false, arriving);  // else all of it is overwritten
  if (modifies(mode)) {
    if (mode != Mode::write) residence_.modified(space, begin, end);
    host_may_.store(may_nothing, std::memory_order_release);
    read_back_.modify();
  } else if (host_may_.load(std::memory_order_relaxed) == may_write) {
    host_may_.store(may_read, std::memory_order_release);
  }
  return access(space, mode, begin, end);
}

void Buffer::ReadBack::modify() {
  if (made) agreed = made = false;  // it was copied for nothing
  ++modified;
  due = agreed && modified == usual;
}

void Buffer::ReadBack::read(std::uint64_t first, std::uint64_t last) {
  if (modified == 0) return;
  agreed = modified == usual && first == begin && last == end;
  begin = first;
  end = last;
  usual = modified;
  modified = 0;
  due = made = false;
}

void Buffer::copy_back() {
  read_back_.due = false;
  try {
    const Space space = space_for_host(read_back_.begin, read_back_.end);
    allocated(space);
    bring(space, read_back_.begin, read_back_.end);
    read_back_.made = true;
  } catch (const Error& error) {
    base::log_debug("the host will have to ask for its results: {}", error.what());
  }
}

// Where the host finds the bytes, or has them brought: memory of a device that it reaches, unless a device of which it
// does not reach the memory is involved, whose copies want memory that was made for them.
Space Buffer::space_for_host(std::uint64_t begin, std::uint64_t end) const {
  Space fits = host_space();
  for (Space space = 0; space < host_space(); ++space) {
    if (reachable(space) == nullptr) {
      if (copies_[space].memory && !residence_.having(begin, end)) return host_space();
      continue;
    }
    if (residence_.current(space, begin, end)) return space;
    if (fits == host_space()) fits = space;
  }
  if (residence_.current(host_space(), begin, end) && reachable(host_space())) return host_space();
  for (Space space = 0; space < host_space(); ++space)
    if (copies_[space].memory && reachable(space) == nullptr) return host_space();
  return fits;
}

void* Buffer::host_access(bool writes, std::uint64_t begin, std::uint64_t end) {
  graph::Dag& dag = core_->engine().dag();
  std::unique_lock lock(core_->mutex());
  core_->replayer().settle();
  // Nobody has used it: memory of the first device, if the host reaches that.
  const bool unused =
      std::none_of(copies_.begin(), copies_.end(), [](const Copy& copy) { return copy.memory != nullptr; });
  if (unused && allocated(0).memory->host() == nullptr) release(0);
  const Space space = space_for_host(begin, end);
  read_back_.read(begin, end);
  allocated(space);
  bring(space, begin, end, true);
  const Access wanted = access(space, writes ? Mode::write : Mode::read, begin, end);
  for (graph::TaskRefs users = dag.hazards(wanted); !users.empty(); users = dag.hazards(wanted)) {
    lock.unlock();
    core_->engine().wait(users);
    lock.lock();
    core_->replayer().give_way();
  }
  void* const pointer = reachable(space);
  if (writes) {
    residence_.modified(space, begin, end);
    if (space_of_pointer_ != space) host_may_.store(may_nothing, std::memory_order_release);
  }
  const bool whole = begin == 0 && end == bytes_;
  if (whole && residence_.current(space, 0, bytes_)) {
    const bool used = !writes && !dag.hazards(access(space, Mode::write, 0, bytes_)).empty();
    const bool alone = !used && residence_.having_some(0, bytes_) == memory::only(space);
    space_of_pointer_ = space;
    host_pointer_.store(pointer, std::memory_order_relaxed);
    host_may_.store(alone ? may_write : may_read, std::memory_order_release);
  }
  return static_cast<std::byte*>(pointer) + begin;
}

const void* Buffer::read_page(std::uint64_t begin, std::uint64_t end) {
  constexpr std::uint64_t page = 64 * 1024;
  const std::uint64_t from = begin / page * page, to = std::min<std::uint64_t>((end + page - 1) / page * page, bytes_);
  bool more = false;  // whoever writes the page is more than who must be waited for
  {
    const std::lock_guard lock(core_->mutex());
    core_->replayer().settle();
    const graph::Dag& dag = core_->engine().dag();
    for (Space space = 0; space < copies_.size(); ++space) {
      if (!copies_[space].memory) continue;
      const graph::TaskRefs wanted = dag.hazards(access(space, Mode::read, begin, end));
      more = more || dag.hazards(access(space, Mode::read, from, to)) != wanted;
    }
  }
  if (more) return host_access(false, begin, end);
  return static_cast<const std::byte*>(host_access(false, from, to)) + (begin - from);
}

std::uint64_t Buffer::pin(std::size_t place) {
  const std::lock_guard lock(core_->mutex());
  core_->replayer().settle();
  acquire(place, 0, bytes_, Mode::read);
  core_->pin(place, shared_from_this());
  return address(place);
}

}  // namespace heddle::runtime
