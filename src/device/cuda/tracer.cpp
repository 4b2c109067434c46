#include "device/cuda/tracer.hpp"

namespace heddle::device::cuda {

using base::TraceEvent;

namespace {
thread_local std::uint64_t held_back_for = 0;
}  // namespace

std::uint64_t Tracer::task(const Tracer* tracer) {
  if (tracer == nullptr) return 0;
  return held_back_for != 0 ? held_back_for : tracer->sink_.task();
}

Tracer::TaskScope::TaskScope(std::uint64_t task) : before_(held_back_for) { held_back_for = task; }
Tracer::TaskScope::~TaskScope() { held_back_for = before_; }

Tracer::Tracer(std::shared_ptr<DeviceState> state, base::TraceSink& sink) : state_(std::move(state)), sink_(sink) {}

Tracer::Scope::Scope(Tracer* tracer, TraceEvent::Kind kind, std::uint64_t queue, driver::Stream stream,
                     std::string_view name, std::uint64_t bytes, const BlockRange& blocks, const LaunchConfig& config,
                     TraceEvent::Way way)
    : tracer_(tracer), stream_(stream) {
  if (!tracer_) return;
  event_.kind = kind;
  event_.way = way;
  event_.task = task(tracer);
  event_.queue = queue;
  event_.bytes = bytes;
  event_.blocks = blocks;
  event_.grid = config.grid;
  event_.block = config.block;
  event_.shared = config.dynamic_shared_bytes;
  name_ = name;
  tracer_->state_->keep_time();
  begin_ = std::make_shared<CudaPoint>(tracer_->state_, true);
  if (tracer_->state_->driver().event_record(begin_->handle(), stream_) != driver::success) tracer_ = nullptr;
  begin_->submit();
}

Tracer::Scope::~Scope() {
  if (!tracer_) return;
  try {
    auto end = std::make_shared<CudaPoint>(tracer_->state_, true);
    if (tracer_->state_->driver().event_record(end->handle(), stream_) != driver::success) return;
    end->submit();
    tracer_->add({event_, std::move(name_), std::move(begin_), std::move(end)});
  } catch (const Error&) {
    // The device is lost; whoever put the command in hears of it.
  }
}

// Numbers are in the order in which the worker gets the commands.
void Tracer::add(Command command) {
  const base::Lock lock(mutex_);
  command.event.command = next_++;
  worker_.post([this, command = std::move(command)] { report(command); });
}

void Tracer::report(const Command& command) {
  TraceEvent event = command.event;
  event.device = state_->info().id;
  event.name = command.name;
  try {
    const DeviceState::Current current(*state_);
    command.end->wait();
    event.time_ns = command.begin->completed_ns();
    sink_.event(event);
    event.time_ns = command.end->completed_ns();
  } catch (const Error&) {
    event.failed = true;
    sink_.event(event);
  }
  event.phase = TraceEvent::Phase::end;
  sink_.event(event);
}

}  // namespace heddle::device::cuda
