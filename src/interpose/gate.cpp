#include "interpose/gate.hpp"

#include <fmt/format.h>
#include <pthread.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string_view>
#include <thread>
#include <utility>

#include "base/print_error.hpp"
#include "base/thread.hpp"
#include "daemon/place.hpp"
#include "daemon/tenant_variable.hpp"
#include "interpose/relaxed_capture.hpp"

namespace heddle::interpose {
namespace {

constexpr std::uint64_t look_ns = 200'000;         // between looks at the streams of a process with work
constexpr std::uint64_t maintain_ns = 10'000'000;  // between looks at the daemon, of one without work
constexpr std::uint64_t linger_ns = 50'000;        // after the last work, for which the tenant counts as having some
constexpr std::uint64_t first_grant_ns = 1'000'000'000;
// A launch may be what those in flight wait for: through a function of the host, or a value in memory. So where nothing
// ends for so long, it goes.
constexpr std::uint64_t longest_hold_ns = 20'000'000;
constexpr std::uint64_t worth_telling_ns = 20'000;
constexpr std::size_t most_looked_at = 8;  // of what is in flight, at once: streams do not end in order

std::atomic<Gate*> gate{nullptr};

using Verdict = Admission::Verdict;

}  // namespace

// Never destroyed: programs submit commands until their very end.
Gate* Gate::current() {
  static const bool made = [] {
    try {
      if (auto settings = daemon::tenant_of_environment()) gate = new Gate(std::move(*settings));
    } catch (const std::exception& error) {
      base::print_error("heddle: this process is no tenant: {}\n", error.what());
    }
    return true;
  }();
  static_cast<void>(made);
  return gate.load(std::memory_order_acquire);
}

Gate::Gate(sched::TenantSettings settings)
    : latency_(settings.kind == sched::TenantClass::latency),
      client_(daemon::socket_path(), std::move(settings), clock_) {
  {
    const base::Lock lock(mutex_);
    client_.wait_for_grant(first_grant_ns);
  }
  ::pthread_atfork(nullptr, nullptr, [] { gate = nullptr; });  // a child has no thread of this object
  thread_ = base::start_thread("heddle-tenant", [this] { run(); });
  // Handlers run in reverse order: this one before those of NVIDIA's library, which was used before.
  std::atexit([] {
    if (Gate* const mine = gate.exchange(nullptr)) mine->finish();
  });
}

void Gate::wake() {
  const base::Lock lock(mutex_);
  wake_up();
}

void Gate::wake_up() {
  idle_.end();
  if (awake_.exchange(true)) return;
  busy_since_ns_ = clock_.now_ns();
  client_.set_awake(true);
  changed_.notify_all();
}

void Gate::touch(CUstream stream) {
  StreamTable::Stream* const found = streams_.find(stream);
  if (found) note(*found);
}

std::optional<Share> Gate::share() {
  const auto grant = client_.grant();
  if (!grant || grant->of_units == 0) return std::nullopt;
  return Share{static_cast<double>(grant->units.count()) / grant->of_units, latency_ ? 0 : grant->throttle_ns};
}

std::optional<Gate::Own> Gate::own() {
  const base::Lock lock(mutex_);
  const auto grant = client_.grant();
  if (!grant || grant->own_units == 0 || grant->own_units > grant->of_units) return std::nullopt;
  return Own{grant->own_units, grant->of_units};
}

bool Gate::counts(const std::optional<Share>& share) const {
  return share && (share->most_in_flight_ns != 0 || (share->part > 0 && share->part < 1));
}

Gate::Pass Gate::enter(CUstream stream, const WorkKey& key) {
  Pass pass{.stream = streams_.find(stream), .key = key};
  if (!pass.stream) return {};
  if (latency_ && !counting_.load(std::memory_order_acquire)) {
    if (!awake_.load(std::memory_order_acquire)) wake();
    return pass;
  }
  if (streams_.capturing() && is_captured(stream)) return {};
  const std::uint64_t since_ns = clock_.now_ns();
  for (Admission::Answer answer = ask(pass, since_ns); answer.verdict != Verdict::go; answer = ask(pass, since_ns)) {
    if (answer.verdict == Verdict::enough_in_flight) {
      std::this_thread::yield();  // a thread that slept would wake up long after the GPU has become idle
    } else {
      base::Lock lock(mutex_);
      clock_.wait_until(lock, changed_, answer.at_ns);
    }
  }
  if (pass.start && HEDDLE_FORWARD(cuEventRecord, pass.start, stream) != CUDA_SUCCESS) pass.start = nullptr;
  return pass;
}

// Whether the launch may go. If so, it counts as in flight from now on.
Admission::Answer Gate::ask(Pass& pass, std::uint64_t since_ns) {
  const base::Lock lock(mutex_);
  wake_up();  // with the lock: a launch that is held keeps the process awake, which is granted nothing otherwise
  collect();
  const std::uint64_t now_ns = clock_.now_ns();
  pass.predicted_ns = durations_.predict(pass.key);
  const std::optional<Share> granted = share();
  const Admission::Answer answer = admission_.may_go(granted, pass.predicted_ns, now_ns);
  const bool for_too_long =
      answer.verdict == Verdict::enough_in_flight && now_ns > std::max(since_ns, last_end_ns_) + longest_hold_ns;
  if (answer.verdict != Verdict::go && !for_too_long && !stop_) {
    held_ += std::exchange(pass.held, true) ? 0 : 1;
    return answer;
  }
  if (std::exchange(pass.held, false)) --held_;
  if (now_ns - since_ns >= worth_telling_ns) explain(pass, since_ns);
  if (counts(granted)) {
    pass.counted = true;
    admission_.submitted(pass.predicted_ns);
    if (durations_.to_measure(pass.key)) pass.start = take_event(pass.stream->context, true);
  }
  return {};
}

// For `heddle explain`: launches that did not wait are too many to be told.
void Gate::explain(const Pass& pass, std::uint64_t since_ns) {
  const auto grant = client_.grant();
  if (!grant) return;
  const std::uint64_t now_ns = clock_.now_ns();
  const char* name = nullptr;
  const auto function = reinterpret_cast<CUfunction>(const_cast<void*>(pass.key.what));
  if (pass.key.threads == 0)
    name = "CUDA graph";
  else if (HEDDLE_FORWARD(cuFuncGetName, &name, function) != CUDA_SUCCESS || !name)
    name = "a kernel";
  client_.tell({.now_ns = now_ns,
                .waited_ns = now_ns - since_ns,
                .begin = 0,
                .end = pass.key.blocks,
                .of_blocks = pass.key.blocks,
                .units = static_cast<std::uint32_t>(grant->units.count()),
                .of_units = grant->of_units,
                .why = pass.predicted_ns ? sched::Submitted::Why::whole : sched::Submitted::Why::measure,
                .predicted_ns = pass.predicted_ns},
               name);
}

void Gate::leave(const Pass& pass, bool submitted) {
  if (!pass.stream) return;
  if (!pass.counted) launches_.fetch_add(1, std::memory_order_relaxed);
  if (submitted) note(*pass.stream);
  if (!pass.counted) return;
  const RelaxedCapture relaxed;
  const base::Lock lock(mutex_);
  ++made_;
  InFlight work{pass.stream->context, pass.stream->device, pass.key, pass.predicted_ns, pass.start, nullptr};
  if (submitted) work.end = take_event(work.context, work.start != nullptr);
  if (work.end && HEDDLE_FORWARD(cuEventRecord, work.end, pass.stream->handle) == CUDA_SUCCESS) {
    in_flight_.push_back(work);
    return;
  }
  give_back(work);
  admission_.ended(pass.predicted_ns, 0);
}

// Whoever stops counting the process as awake looks at the streams afterwards; so this order.
void Gate::note(StreamTable::Stream& stream) {
  streams_.touch(stream);
  if (!awake_.load()) wake();
}

void Gate::give_back(const InFlight& work) {
  Events& events = events_[work.context];
  if (work.start) events.timed.push_back(work.start);
  if (work.end) (work.start ? events.timed : events.untimed).push_back(work.end);
}

CUevent Gate::take_event(CUcontext context, bool timed) {
  Events& events = events_[context];
  std::vector<CUevent>& spare = timed ? events.timed : events.untimed;
  CUevent event = nullptr;
  if (!spare.empty()) {
    event = spare.back();
    spare.pop_back();
    return event;
  }
  const unsigned flags = timed ? CU_EVENT_DEFAULT : CU_EVENT_DISABLE_TIMING;
  return HEDDLE_FORWARD(cuEventCreate, &event, flags) == CUDA_SUCCESS ? event : nullptr;
}

// Looks at what was submitted first. True: some of it has ended.
bool Gate::collect() {
  const RelaxedCapture relaxed;
  bool any = false;
  std::size_t looked_at = 0;
  for (auto work = in_flight_.begin(); work != in_flight_.end() && looked_at < most_looked_at;) {
    if (HEDDLE_FORWARD(cuEventQuery, work->end) == CUDA_ERROR_NOT_READY) {
      ++work;
      ++looked_at;
      continue;
    }
    end(*work);
    work = in_flight_.erase(work);
    any = true;
  }
  if (any) last_end_ns_ = clock_.now_ns();
  return any;
}

void Gate::end(const InFlight& work) {
  std::optional<std::uint64_t> took_ns;
  float ms = 0;
  if (work.start && HEDDLE_FORWARD(cuEventElapsedTime, &ms, work.start, work.end) == CUDA_SUCCESS) {
    took_ns = static_cast<std::uint64_t>(std::llround(std::max(ms, 0.0F) * 1e6));
    durations_.measured(work.key, *took_ns);
  }
  give_back(work);
  admission_.ended(work.predicted_ns, took_ns);
  ++untold_.ranges;
  untold_.seconds += static_cast<double>(took_ns.value_or(work.predicted_ns.value_or(0))) * 1e-9;
}

template <class Matches>
void Gate::drop_where(const Matches& matches) {
  std::deque<InFlight> others;
  for (const InFlight& work : in_flight_) {
    if (matches(work))
      admission_.ended(work.predicted_ns, std::nullopt);
    else
      others.push_back(work);
  }
  in_flight_.swap(others);
}

void Gate::forget(CUcontext context) {
  streams_.forget(context);
  const base::Lock lock(mutex_);
  drop_where([&](const InFlight& work) { return work.context == context; });
  events_.erase(context);  // it ends its events itself
}

void Gate::forget_device(CUdevice device) {
  streams_.forget_device(device);
  const base::Lock lock(mutex_);
  drop_where([&](const InFlight& work) { return work.device == device; });
  events_.clear();  // those of other devices are lost, and made again
}

void Gate::forget_functions() {
  const base::Lock lock(mutex_);
  durations_.forget();
}

// -- The gate's thread ------------------------------------------------------------------------------------------------

void Gate::run() {
  CUstreamCaptureMode relaxed = CU_STREAM_CAPTURE_MODE_RELAXED;
  HEDDLE_FORWARD(cuThreadExchangeStreamCaptureMode, &relaxed);
  do {
    look_at_daemon();
    // Without the lock: the driver may keep the thread waiting.
    if (awake_.load(std::memory_order_acquire)) look_at_load(streams_.load());
  } while (pause());
}

void Gate::look_at_daemon() {
  const base::Lock lock(mutex_);
  client_.maintain();
  const auto granted = share();
  counting_.store(!latency_ || counts(granted) || (granted && !(granted->part > 0)), std::memory_order_release);
  collect();
}

void Gate::look_at_load(const StreamTable::Load& load) {
  const base::Lock lock(mutex_);
  const std::uint64_t now_ns = clock_.now_ns();
  count_device_time(load.busy, now_ns);
  idle_.look(load.busy || held_ > 0 || admission_.in_flight() > 0, load.used, now_ns);
  if (idle_.lasts(linger_ns, now_ns)) sleep();
}

// What is so at a look counts for the time since the one before.
void Gate::count_device_time(bool busy, std::uint64_t now_ns) {
  if (looked_ns_ == 0) {  // MPS lets programs have the GPU at the same time
    int mps = 0;
    HEDDLE_FORWARD(cuDeviceGetAttribute, &mps, CU_DEVICE_ATTRIBUTE_MPS_ENABLED, 0);
    takes_turns_ = mps == 0;
  }
  const std::uint64_t since_ns = std::max(looked_ns_, busy_since_ns_);
  if (busy && takes_turns_ && now_ns > since_ns) device_ns_ += now_ns - since_ns;
  looked_ns_ = now_ns;
}

// False: the process ends.
bool Gate::pause() {
  base::Lock lock(mutex_);
  report();
  const std::uint64_t pause_ns = awake_.load() ? idle_.pause_ns(linger_ns, look_ns) : maintain_ns;
  if (!stop_) clock_.wait_until(lock, changed_, clock_.now_ns() + pause_ns);
  return !stop_;
}

void Gate::sleep() {
  awake_.store(false);
  if (streams_.any_dirty()) return awake_.store(true);
  // A tenant of the latency class works on a request from when it wakes until it sleeps.
  const std::uint64_t took_ns = idle_.since_ns() - std::min(busy_since_ns_, idle_.since_ns());
  if (latency_) client_.count_latency(took_ns);
  was_busy_ns_ += took_ns;
  if (!counting_.load()) untold_.seconds += static_cast<double>(took_ns) * 1e-9;
  client_.set_awake(false);
}

void Gate::report() {
  client_.set_load(held_, admission_.in_flight());
  const std::uint64_t launches = launches_.exchange(0, std::memory_order_relaxed);
  made_ += launches;
  untold_.ranges += launches;
  const std::uint64_t until_ns = idle_.since_ns() != 0 ? idle_.since_ns() : clock_.now_ns();
  const std::uint64_t busy_ns = awake_.load() ? until_ns - std::min(busy_since_ns_, until_ns) : 0;
  client_.set_progress({made_, was_busy_ns_ + busy_ns, device_ns_});
  if (untold_.ranges > 0 && client_.tell(untold_)) untold_ = {};
}

void Gate::finish() {
  {
    const base::Lock lock(mutex_);
    stop_ = true;
    changed_.notify_all();
  }
  thread_.join();
}

}  // namespace heddle::interpose
