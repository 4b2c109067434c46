#include "interpose/timeline.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "base/print_error.hpp"
#include "base/thread.hpp"
#include "base/trace_claim.hpp"
#include "interpose/forward.hpp"
#include "interpose/relaxed_capture.hpp"

namespace heddle::interpose {

using base::TraceEvent;

struct Timeline::Context {
  CUcontext handle = nullptr;
  CUdevice number = 0;
  std::string device;           // "cuda:0"
  CUstream service = nullptr;   // for references
  std::vector<CUevent> spare;   // guarded by Timeline::mutex_
  CUevent reference = nullptr;  // reached at reference_ns; these two belong to the reporting thread
  std::uint64_t reference_ns = 0;
  std::uint64_t next_reference_ns = 0;  // guarded by Timeline::mutex_
};

namespace {

// NVIDIA's library gives differences of times as floats: after a second they are exact to 60 ns.
constexpr std::uint64_t reference_period_ns = 1'000'000'000;
// At the end of the process: how long commands in flight may take to be reported.
constexpr std::uint64_t patience_at_end_ns = 2'000'000'000;

std::atomic<Timeline*> timeline{nullptr};

}  // namespace

// Never destroyed: programs submit commands until their very end.
Timeline* Timeline::current() {
  static const bool made = [] {
    try {
      const std::string file = base::trace_of_environment();
      if (file.empty()) return false;
      timeline = new Timeline(file);
    } catch (const std::exception& error) {
      base::print_error("heddle: there will be no timeline: {}\n", error.what());
    }
    return true;
  }();
  static_cast<void>(made);
  return timeline.load(std::memory_order_acquire);
}

Timeline::Timeline(const std::string& file) : process_(::getpid()) {
  recorder_ = std::make_unique<trace::Recorder>(file, clock_);
  thread_ = base::start_thread("heddle-trace", [this] { run(); });
  // Handlers run in reverse order: this one before those of NVIDIA's library, which was used before.
  std::atexit([] {
    if (Timeline* const mine = timeline.exchange(nullptr)) mine->finish();
  });
}

CUevent Timeline::take_event(Context& context) {
  {
    const base::Lock lock(mutex_);
    if (!context.spare.empty()) {
      CUevent event = context.spare.back();
      context.spare.pop_back();
      return event;
    }
  }
  CUevent event = nullptr;
  const unsigned flags = CU_EVENT_DEFAULT;
  return HEDDLE_FORWARD(cuEventCreate, &event, flags) == CUDA_SUCCESS ? event : nullptr;
}

void Timeline::give_back(Context& context, CUevent event) {
  const base::Lock lock(mutex_);
  context.spare.push_back(event);
}

std::shared_ptr<Timeline::Context> Timeline::context_of_thread() {
  CUcontext handle = nullptr;
  if (HEDDLE_FORWARD(cuCtxGetCurrent, &handle) != CUDA_SUCCESS || !handle) return nullptr;
  {
    const base::Lock lock(mutex_);
    if (const auto found = contexts_.find(handle); found != contexts_.end()) return found->second;
  }
  auto made = std::make_shared<Context>();
  made->handle = handle;
  HEDDLE_FORWARD(cuCtxGetDevice, &made->number);
  made->device = fmt::format("cuda:{}", made->number);
  char name[128] = "";
  HEDDLE_FORWARD(cuDeviceGetName, static_cast<char*>(name), static_cast<int>(sizeof name), made->number);
  const unsigned non_blocking = CU_STREAM_NON_BLOCKING;
  if (HEDDLE_FORWARD(cuStreamCreate, &made->service, non_blocking) != CUDA_SUCCESS) return nullptr;
  made->reference = take_event(*made);
  if (!made->reference || HEDDLE_FORWARD(cuEventRecord, made->reference, made->service) != CUDA_SUCCESS ||
      HEDDLE_FORWARD(cuEventSynchronize, made->reference) != CUDA_SUCCESS)
    return nullptr;
  made->reference_ns = clock_->now_ns();
  made->next_reference_ns = made->reference_ns + reference_period_ns;
  const base::Lock lock(mutex_);
  recorder_->name_device(made->device, name);
  return contexts_.try_emplace(handle, std::move(made)).first->second;
}

void Timeline::renew_reference(const std::shared_ptr<Context>& context) {
  {
    const base::Lock lock(mutex_);
    const std::uint64_t now = clock_->now_ns();
    if (now < context->next_reference_ns) return;
    context->next_reference_ns = now + reference_period_ns;
  }
  CUevent event = take_event(*context);
  if (!event) return;
  if (HEDDLE_FORWARD(cuEventRecord, event, context->service) == CUDA_SUCCESS)
    add({context, event, nullptr, {}, {}});
  else
    give_back(*context, event);
}

Timeline::Begun Timeline::begin(CUstream stream) {
  if (::getpid() != process_) return {};
  const RelaxedCapture relaxed;
  CUstreamCaptureStatus capture = CU_STREAM_CAPTURE_STATUS_NONE;
  if (HEDDLE_FORWARD(cuStreamIsCapturing, stream, &capture) != CUDA_SUCCESS || capture != CU_STREAM_CAPTURE_STATUS_NONE)
    return {};
  const std::shared_ptr<Context> context = context_of_thread();
  if (!context) return {};
  renew_reference(context);
  CUevent start = take_event(*context);
  if (!start) return {};
  if (HEDDLE_FORWARD(cuEventRecord, start, stream) != CUDA_SUCCESS) {
    give_back(*context, start);
    return {};
  }
  unsigned long long id = 0;
  HEDDLE_FORWARD(cuStreamGetId, stream, &id);
  return {context, stream, start, id};
}

void Timeline::end(const Begun& begun, bool submitted, TraceEvent event, std::string name) {
  if (!begun.context) return;
  const RelaxedCapture relaxed;
  CUevent end = submitted ? take_event(*begun.context) : nullptr;
  if (!end || HEDDLE_FORWARD(cuEventRecord, end, begun.stream) != CUDA_SUCCESS) {
    give_back(*begun.context, begun.start);
    if (end) give_back(*begun.context, end);
    return;
  }
  event.queue = begun.queue;
  add({begun.context, begun.start, end, event, std::move(name)});
}

void Timeline::add(Command command) {
  const base::Lock lock(mutex_);
  command.event.command = next_command_++;
  commands_.push_back(std::move(command));
  changed_.notify_one();
}

std::string Timeline::name_of(CUfunction function) {
  {
    const base::Lock lock(mutex_);
    if (const auto found = names_.find(function); found != names_.end()) return found->second;
  }
  const char* name = nullptr;
  // Programs pass kernels of libraries as functions too.
  if (HEDDLE_FORWARD(cuFuncGetName, &name, function) != CUDA_SUCCESS || !name)
    if (HEDDLE_FORWARD(cuKernelGetName, &name, reinterpret_cast<CUkernel>(function)) != CUDA_SUCCESS || !name)
      name = "";
  const base::Lock lock(mutex_);
  return names_.emplace(function, name).first->second;
}

void Timeline::forget_names() {
  const base::Lock lock(mutex_);
  names_.clear();
}

void Timeline::drain(base::Lock& lock) {
  while ((!commands_.empty() || reporting_) && !over_) lock.wait(drained_);
}

// The context ends its streams and events itself.
void Timeline::forget(CUcontext context) {
  if (::getpid() != process_) return;
  base::Lock lock(mutex_);
  drain(lock);
  contexts_.erase(context);
}

void Timeline::forget_device(CUdevice device) {
  if (::getpid() != process_) return;
  base::Lock lock(mutex_);
  drain(lock);
  std::erase_if(contexts_, [&](const auto& entry) { return entry.second->number == device; });
}

// Polls: a thread that waits in NVIDIA's library could not be woken when the process ends.
bool Timeline::wait_for(CUevent event) {
  constexpr std::uint64_t pause_ns = 100'000;
  while (true) {
    const CUresult state = HEDDLE_FORWARD(cuEventQuery, event);
    if (state != CUDA_ERROR_NOT_READY) return state == CUDA_SUCCESS;
    base::Lock lock(mutex_);
    const std::uint64_t now = clock_->now_ns();
    if (stop_ && now >= give_up_ns_) return false;
    clock_->wait_until(lock, changed_, now + pause_ns);
  }
}

void Timeline::report(const Command& command) {
  Context& context = *command.context;
  HEDDLE_FORWARD(cuCtxSetCurrent, context.handle);
  const auto time_of = [&](CUevent event) {
    float ms = 0;
    HEDDLE_FORWARD(cuEventElapsedTime, &ms, context.reference, event);
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(context.reference_ns) +
                                      std::llround(static_cast<double>(ms) * 1e6));
  };
  if (!command.end) {
    if (!wait_for(command.start)) return;
    context.reference_ns = time_of(command.start);
    const base::Lock lock(mutex_);
    context.spare.push_back(std::exchange(context.reference, command.start));
    return;
  }
  TraceEvent event = command.event;
  event.failed = !wait_for(command.end);
  event.device = context.device;
  event.name = command.name;
  event.time_ns = event.failed ? clock_->now_ns() : time_of(command.start);
  recorder_->event(event);
  if (!event.failed) event.time_ns = time_of(command.end);
  event.phase = TraceEvent::Phase::end;
  recorder_->event(event);
  const base::Lock lock(mutex_);
  context.spare.push_back(command.start);
  context.spare.push_back(command.end);
}

void Timeline::run() {
  CUstreamCaptureMode relaxed = CU_STREAM_CAPTURE_MODE_RELAXED;
  HEDDLE_FORWARD(cuThreadExchangeStreamCaptureMode, &relaxed);
  base::Lock lock(mutex_);
  while (true) {
    while (commands_.empty() && !stop_) lock.wait(changed_);
    if (commands_.empty()) break;
    const Command command = std::move(commands_.front());
    commands_.pop_front();
    reporting_ = true;
    lock.unlock();
    report(command);
    lock.lock();
    reporting_ = false;
    if (commands_.empty()) drained_.notify_all();
  }
  over_ = true;
  drained_.notify_all();
}

void Timeline::finish() {
  if (::getpid() != process_) return;
  {
    const base::Lock lock(mutex_);
    stop_ = true;
    give_up_ns_ = clock_->now_ns() + patience_at_end_ns;
    changed_.notify_one();
  }
  thread_.join();
  try {
    recorder_->save(true);
  } catch (const std::exception& error) {  // a full disk
    base::print_error("heddle: {}\n", error.what());
  }
  recorder_.reset();
}

}  // namespace heddle::interpose
