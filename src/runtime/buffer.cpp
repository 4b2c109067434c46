#include "runtime/buffer.hpp"

#include <algorithm>
#include <cstring>
#include <exception>
#include <mutex>
#include <utility>

#include "base/log.hpp"
#include "heddle/error.hpp"
#include "runtime/core.hpp"

namespace heddle::runtime {

Buffer::Buffer(std::shared_ptr<Core> core, std::size_t bytes)
    : core_(std::move(core)), bytes_(bytes), replicas_(core_->places()) {}

Buffer::~Buffer() {
  std::vector<Pending> pending;
  {
    const std::lock_guard lock(core_->mutex());
    pending = in_use_.all();
  }
  for (const Pending& use : pending) {
    try {
      use.event->wait();
    } catch (const Error& error) {
      base::log_debug("the queue holds this for whoever asks: {}", error.what());
    }
  }
}

Buffer::Replica& Buffer::allocated(std::size_t place) {
  Replica& replica = replicas_[place];
  // An empty array has an address too, so that kernels can be given it.
  if (!replica.memory) replica.memory = core_->place(place).device->allocate(bytes_);
  return replica;
}

void* Buffer::reachable(std::size_t place) const {
  return replicas_[place].memory ? replicas_[place].memory->host() : nullptr;
}

device::Span Buffer::source(std::size_t place) const {
  if (void* host = reachable(place)) return device::Span::host(host, bytes_);
  return replicas_[place].memory->span().sub(0, bytes_);
}

void Buffer::fill_or_copy(std::size_t place) {
  device::Queue& queue = *core_->place(place).queue;
  const device::Span destination = replicas_[place].memory->span().sub(0, bytes_);
  if (bytes_ == 0) return;
  const auto current = std::find_if(replicas_.begin(), replicas_.end(), [](const Replica& r) { return r.current; });
  if (host_current_) {
    queue.copy(destination, device::Span::host(host_->host(), bytes_));
  } else if (current != replicas_.end()) {
    const auto from = static_cast<std::size_t>(current - replicas_.begin());
    if (reachable(from) == nullptr && reachable(place) != nullptr) return fetch(from, place);
    queue.copy(destination, source(from));
  } else {
    queue.fill(destination, 0, 1);
  }
  // At once, since whoever asked for the bytes may yet fail to launch, and the source must stay until they are copied.
  in_use_.add(place, core_->record(place), true);
}

// From a device whose memory only its own queue reaches: that queue copies, and the other waits for it.
void Buffer::fetch(std::size_t from, std::size_t place) {
  device::Queue& copying = *core_->place(from).queue;
  in_use_.order_after(copying, from);
  copying.copy(device::Span::host(reachable(place), bytes_), source(from));
  const auto copied = core_->record(from);
  in_use_.add(from, copied, true);
  core_->place(place).queue->wait(*copied);
}

void Buffer::only_current(std::size_t place) {
  for (Replica& replica : replicas_) replica.current = false;
  host_current_ = false;
  replicas_[place].current = true;
}

void Buffer::acquire(std::size_t place, bool writes) {
  Replica& replica = allocated(place);
  in_use_.order_after(*core_->place(place).queue, place);
  if (!replica.current) fill_or_copy(place);
  replica.current = true;
  if (writes) only_current(place);
}

void Buffer::wait_for(bool writers_only) {
  std::vector<Pending> pending;
  {
    const std::lock_guard lock(core_->mutex());
    pending = writers_only ? in_use_.writers() : in_use_.all();
  }
  std::exception_ptr first;
  for (const Pending& use : pending) {
    try {
      core_->wait(*use.event, use.place);
    } catch (const Error&) {
      if (!first) first = std::current_exception();
    }
    // Only now: another thread that asks meanwhile must wait as well.
    const std::lock_guard lock(core_->mutex());
    in_use_.forget(use);
  }
  if (first) std::rethrow_exception(first);
}

// Of the device that will be copied from or to, which makes copies fast.
void* Buffer::allocated_host() {
  if (!host_) {
    std::size_t place = 0;
    while (place + 1 < replicas_.size() && core_->place(place).device->info().host_memory) ++place;
    host_ = core_->place(place).device->allocate_host(std::max<std::size_t>(bytes_, 1));
  }
  return host_->host();
}

// A current copy that the host can reach, made when there is none. Users have been waited for.
void* Buffer::host_copy() {
  std::unique_lock lock(core_->mutex());
  for (std::size_t i = 0; i < replicas_.size(); ++i) {
    if (replicas_[i].current && reachable(i) != nullptr) return reachable(i);
  }
  if (host_current_) return host_->host();
  const auto current = std::find_if(replicas_.begin(), replicas_.end(), [](const Replica& r) { return r.current; });
  if (current == replicas_.end()) {
    // Zeros so far. The host and the first device share memory where they can.
    if (allocated(0).memory->host() != nullptr) {
      std::fill_n(static_cast<std::byte*>(reachable(0)), bytes_, std::byte{0});
      replicas_[0].current = true;
      return reachable(0);
    }
    std::memset(allocated_host(), 0, bytes_);
    host_current_ = true;
    return host_->host();
  }
  const auto place = static_cast<std::size_t>(current - replicas_.begin());
  void* const host = allocated_host();
  if (bytes_ > 0) {
    core_->place(place).queue->copy(device::Span::host(host, bytes_), source(place));
    const auto event = core_->record(place);
    lock.unlock();
    core_->wait(*event, place);
    lock.lock();
  }
  host_current_ = true;
  return host;
}

const void* Buffer::read() {
  wait_for(true);
  return host_copy();
}

void* Buffer::write() {
  wait_for(false);
  void* address = host_copy();
  const std::lock_guard lock(core_->mutex());
  for (std::size_t i = 0; i < replicas_.size(); ++i) {
    replicas_[i].current = replicas_[i].current && reachable(i) == address;
  }
  host_current_ = host_ && address == host_->host();
  return address;
}

std::uint64_t Buffer::pin(std::size_t place) {
  const std::lock_guard lock(core_->mutex());
  acquire(place, false);
  core_->pin(place, shared_from_this());
  return address(place);
}

}  // namespace heddle::runtime
