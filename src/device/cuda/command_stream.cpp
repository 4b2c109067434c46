#include "device/cuda/command_stream.hpp"

#include <atomic>

namespace heddle::device::cuda {
namespace {

std::uint64_t next_queue_id() {
  static std::atomic<std::uint64_t> next{1};
  return next++;
}

}  // namespace

CommandStream::CommandStream(std::shared_ptr<DeviceState> state, Tracer* tracer, int priority,
                             const StreamTarget& target)
    : state_(std::move(state)),
      tracer_(tracer),
      id_(next_queue_id()),
      streams_(state_, priority, target),
      chain_(state_) {}

void CommandStream::check(driver::Result result, std::string_view what) const {
  if (result == driver::success) return;
  if (is_sticky(result)) {
    state_->check_lost();
    state_->lose(result, kernels_.describe());
  }
  state_->check(result, what);
}

void CommandStream::record(const std::shared_ptr<CudaPoint>& point) {
  if (!held_back()) return record_now(*point);
  held_->hold_back([this, point] { record_now(*point); },
                   [point](std::exception_ptr failure) { point->fail(std::move(failure)); });
}

void CommandStream::record_now(CudaPoint& point) {
  chain_.end();
  check(state_->driver().event_record(point.handle(), current()), "recording an event");
  point.submit();
}

std::shared_ptr<CudaPoint> CommandStream::late_point() {
  chain_.end();
  if (!late_ || !late_->join(current())) {
    late_ = std::make_shared<LateRecord>(state_, current());
    late_point_ = std::make_shared<CudaPoint>(state_, late_);
  }
  return late_point_;
}

void CommandStream::wait(const std::shared_ptr<const CudaPoint>& point) {
  if (!point->submitted()) return wait_on_host(point);
  if (held_back()) return put([this, point] { wait_now(*point); });
  chain_.end();
  wait_now(*point);
}

void CommandStream::wait_now(const CudaPoint& point) {
  check(state_->driver().stream_wait_event(current(), point.handle(), 0), "waiting for an event");
}

void CommandStream::wait_on_host(std::shared_ptr<const EventPoint> point) { held().wait(std::move(point)); }

void CommandStream::set_target(const StreamTarget& target) {
  put([this, target] {
    const driver::Stream before = current(), next = streams_.of(target);
    if (next != before) {
      const CudaPoint end(state_, false);
      check(state_->driver().event_record(end.handle(), before), "recording an event");
      check(state_->driver().stream_wait_event(next, end.handle(), 0), "waiting for an event");
    }
    streams_.select(target);
  });
}

void CommandStream::call(std::function<void()> function) {
  held().call([this, task = Tracer::task(tracer_), function = std::move(function)] {
    const Tracer::TaskScope scope(task);
    const Tracer::Scope traced = trace(base::TraceEvent::Kind::call);
    function();
  });
}

HeldCommands& CommandStream::held() {
  const auto mark = [this] {
    auto end = std::make_shared<CudaPoint>(state_, false);
    record_now(*end);
    return end;
  };
  const auto synchronize = [this] {
    chain_.end();
    check(state_->driver().stream_synchronize(current()), "waiting for a queue");
  };
  if (!held_) held_ = std::make_shared<HeldCommands>(state_, HeldCommands::Stream{mark, synchronize});
  return *held_;
}

bool CommandStream::idle() {
  chain_.end();  // ranges in other streams count too
  return state_->driver().stream_query(current()) == driver::success;
}

void CommandStream::synchronize() {
  if (held_) {
    held_->drain();
    if (const std::exception_ptr failure = held_->take_failure()) std::rethrow_exception(failure);
  }
  state_->check_lost();
  const DeviceState::Current scope(*state_);
  chain_.end();
  check(state_->driver().stream_synchronize(current()), "waiting for a queue");
  kernels_.clear();
}

void CommandStream::close() {
  if (held_) held_->drain();  // on a lost device too: what is held back refers to this object
  if (state_->gone()) return;
  const DeviceState::Current scope(*state_);
  streams_.destroy();
  if (late_) late_->end();
}

}  // namespace heddle::device::cuda
