#include "cuda_api/core/process.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/dedicated_thread.hpp"
#include "base/memory_limit.hpp"
#include "base/thread_safety.hpp"
#include "cuda_api/core/fork.hpp"
#include "cuda_api/core/mistake.hpp"

namespace heddle::cuda_api {
namespace {

std::atomic<Process*> made_process{nullptr};

// Who wants to know of the process when it is made.
struct Waiting {
  heddle::base::Mutex mutex;
  Process* made HEDDLE_GUARDED_BY(mutex) = nullptr;
  std::vector<std::function<void(Process&)>> all HEDDLE_GUARDED_BY(mutex);
};
Waiting& waiting() {
  static Waiting* const made = new Waiting;  // never taken down, see Process
  return *made;
}

void announce(Process& process) {
  const base::Lock lock(waiting().mutex);
  for (const auto& f : waiting().all) f(process);
  waiting().made = &process;
  waiting().all.clear();
}

}  // namespace

Process* Process::if_made() noexcept { return made_process.load(std::memory_order_acquire); }

void Process::when_made(std::function<void(Process&)> f) {
  const base::Lock lock(waiting().mutex);
  if (waiting().made)
    f(*waiting().made);
  else
    waiting().all.push_back(std::move(f));
}

Process::Process()
    : settings_(read_settings()),
      // A CUDA program sees GPUs; the CPU stands in for one where there is none, or where it is asked for.
      runtime_({.devices = settings_.devices.empty() ? "gpus" : settings_.devices,
                .check = settings_.check,
                .on_finding = [](const std::string& text) { report_mistake(text.c_str()); },
                .slice = settings_.slice,
                .ranges = !settings_.policy.empty() && settings_.policy != "direct",
                .policy = settings_.policy,
                .launch_timeout_ms = settings_.timeout_ms,
                .trace = settings_.trace}) {
  const int count = static_cast<int>(runtime_.devices().size());
  for (int i = 0; i < count; ++i) contexts.add_device(runtime_.device(i));
}

namespace {
bool& under_way() {
  thread_local bool is = false;
  return is;
}
}  // namespace

bool Process::is_under_way() { return under_way(); }

namespace {

// Why the process could not start. A program may call on and on after that, and a start may take seconds. What devices
// there are does not change, as in CUDA; memory may come back, so that such a start is tried again some time later:
// ten times as long as it took, so that most of the program's time is its own.
class FailedStart {
 public:
  // Throws it as long as another start would fail, too.
  void check() const {
    const base::Lock lock(mutex_);
    if (has_failed_ && (lasts_ || clock_.now_ns() < until_ns_)) fail();
  }
  [[noreturn]] void rethrow() const {
    const base::Lock lock(mutex_);
    fail();
  }
  // Where there is no memory for the message, the rest is remembered. `message`: null: there was none for it.
  void note(cudaError_t code, const char* message, bool lasts, std::uint64_t begin_ns) {
    const base::Lock lock(mutex_);
    const std::uint64_t now = clock_.now_ns();
    has_failed_ = true;
    code_ = code;
    lasts_ = lasts;
    until_ns_ = now + std::max(shortest_ns, 10 * (now - begin_ns));
    message_.clear();
    message_ = message != nullptr ? message : no_memory + base::memory_limit_note();
  }
  std::uint64_t now_ns() const { return clock_.now_ns(); }

 private:
  [[noreturn]] void fail() const HEDDLE_REQUIRES(mutex_) {
    thread_state().launch_lacked_memory = code_ == cudaErrorMemoryAllocation;  // no allocation that the program tries
    throw Failure(code_, message_.empty() ? no_memory : message_);
  }

  static constexpr std::uint64_t shortest_ns = 1'000'000'000;
  const std::string no_memory = "there is no memory to open the devices";
  const base::SteadyClock clock_{};
  mutable base::Mutex mutex_;
  bool has_failed_ HEDDLE_GUARDED_BY(mutex_) = false, lasts_ HEDDLE_GUARDED_BY(mutex_) = false;
  cudaError_t code_ HEDDLE_GUARDED_BY(mutex_) = cudaErrorNoDevice;
  std::uint64_t until_ns_ HEDDLE_GUARDED_BY(mutex_) = 0;
  std::string message_ HEDDLE_GUARDED_BY(mutex_);
};

FailedStart& failed_start() {
  static FailedStart* const made = new FailedStart;  // never taken down, see Process
  return *made;
}

}  // namespace

Process& Process::get() {
  if (Process* const there = if_made()) [[likely]]
    return *there;
  require_not_forked();
  // Looking for GPUs may open a library of ours instead of NVIDIA's driver and come back to here.
  if (is_under_way()) throw Failure(cudaErrorInitializationError, "Heddle is starting");
  static Process* const made = [] {
    FailedStart& failed = failed_start();
    failed.check();
    const std::uint64_t begin = failed.now_ns();
    Process* process = nullptr;
    try {
      base::run_on_dedicated_thread([&process] {
        const struct Mark {
          Mark() { under_way() = true; }
          ~Mark() { under_way() = false; }
        } mark;
        process = new Process;  // never taken down
      });
    } catch (const Error& error) {
      const bool lasts = error.code() == ErrorCode::not_found || error.code() == ErrorCode::invalid_argument ||
                         error.code() == ErrorCode::unsupported;
      const bool lacks_memory = error.code() == ErrorCode::out_of_memory;
      failed.note(lacks_memory ? cudaErrorMemoryAllocation : cudaErrorNoDevice, error.what(), lasts, begin);
    } catch (const std::bad_alloc&) {
      failed.note(cudaErrorMemoryAllocation, nullptr, false, begin);
    }
    if (process == nullptr) failed.rethrow();
    announce(*process);
    watch_forks([] { made_process.store(nullptr, std::memory_order_relaxed); });
    made_process.store(process, std::memory_order_release);
    return process;
  }();
  return *made;
}

Context& Process::current() {
  ThreadState& thread = thread_state();
  if (thread.contexts.empty()) {
    thread.contexts.push_back(&context(thread.device));
    thread.contexts.back()->used_by_runtime = true;
  }
  enter(*thread.contexts.back());
  return *thread.contexts.back();
}

void Process::enter(const Context& context) {
  ThreadState& thread = thread_state();
  if (thread.entered == context.number()) return;
  context.device().enter();
  thread.entered = context.number();
}

void Process::use_device(int number) {
  use_context(context(number));
  context(number).used_by_runtime = true;
}

void Process::use_context(Context& context) {
  ThreadState& thread = thread_state();
  thread.device = context.number();
  if (thread.contexts.empty())
    thread.contexts.push_back(&context);
  else
    thread.contexts.back() = &context;
}

}  // namespace heddle::cuda_api
