#include "cuda_api/core/process.hpp"

#include <unistd.h>

#include <algorithm>

#include "base/apart.hpp"

namespace heddle::cuda_api {
namespace {

std::atomic<Process*> made_process{nullptr};

}  // namespace

Process* Process::if_made() noexcept { return made_process.load(std::memory_order_acquire); }

// A thread's own streams end with it; what is in them still runs. (In a process that was forked off there is nobody who
// would run it, and locks may be held for ever.)
ThreadState::~ThreadState() {
  if (streams.empty() || getpid() != process) return;
  for (const OwnStream& own : streams) {
    try {
      if (own.stream && own.stream->context && own.epoch == own.stream->context->epoch())
        own.stream->context->destroy_stream(*own.stream);
    } catch (const std::exception&) {  // it ended with the context
    }
  }
}

namespace {

// Ends a thread's state with the thread. That of the main thread stays: programs call CUDA from destructors of global
// objects, which run after those of the thread's.
struct ThreadEnd {
  ThreadState** state;
  ~ThreadEnd() {
    if (getpid() == gettid()) return;
    delete *state;
    *state = nullptr;  // whoever comes later gets another, which stays
  }
};

ThreadState& make_thread_state(ThreadState*& state) {
  state = new ThreadState;
  thread_local bool ends = false;
  if (!ends) {
    thread_local const ThreadEnd end{&state};
    ends = end.state != nullptr;
  }
  return *state;
}

}  // namespace

ThreadState& thread_state() {
  thread_local ThreadState* state = nullptr;
  return state ? *state : make_thread_state(state);
}

Registry& registry() {
  static Registry* const made = new Registry;  // never taken down, see Process
  return *made;
}

Process::Process()
    : settings_(read_settings()),
      // A CUDA program sees GPUs; the CPU stands in for one where there is none, or where it is asked for.
      runtime_({.devices = settings_.devices.empty() ? "gpus" : settings_.devices,
                .check = settings_.check,
                .slice = settings_.slice,
                .ranges = !settings_.policy.empty() && settings_.policy != "direct",
                .policy = settings_.policy,
                .trace = settings_.trace}) {
  const int count = static_cast<int>(runtime_.devices().size());
  for (int i = 0; i < count; ++i) contexts_.push_back(std::make_unique<Context>(*this, i, i, runtime_.device(i)));
}

namespace {
bool& under_way() {
  thread_local bool is = false;
  return is;
}
}  // namespace

bool Process::is_under_way() { return under_way(); }

Process& Process::get() {
  if (Process* const there = if_made()) [[likely]]
    return *there;
  // Looking for GPUs may open a library of ours instead of NVIDIA's driver and come back to here.
  if (is_under_way()) throw Failure(cudaErrorInitializationError, "Heddle is starting");
  static Process* const made = [] {
    Process* process = nullptr;
    try {
      base::run_apart([&process] {
        const struct Mark {
          Mark() { under_way() = true; }
          ~Mark() { under_way() = false; }
        } mark;
        process = new Process;  // never taken down
      });
    } catch (const Error& error) {
      // The call that asked for it tells; the next one tries again.
      throw Failure(cudaErrorNoDevice, error.what());
    }
    registry().managed_variables.show_to(*process);
    made_process.store(process, std::memory_order_release);
    return process;
  }();
  return *made;
}

Context& Process::context(int number) {
  if (number < 0 || number >= device_count())
    throw Failure(cudaErrorInvalidDevice,
                  "there is no device " + std::to_string(number) + "; there are " + std::to_string(device_count()));
  return *contexts_[static_cast<std::size_t>(number)];
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

Context& Process::make_context(int number) {
  Context& primary = context(number);
  const std::lock_guard lock(made_mutex_);
  const auto again = std::find_if(ended_.begin(), ended_.end(), [&](Context* c) { return c->number() == number; });
  if (again != ended_.end()) {
    Context& context = **again;
    ended_.erase(again);
    return context;
  }
  const int slot = device_count() + static_cast<int>(made_.size());
  return *made_.emplace_back(std::make_unique<Context>(*this, number, slot, primary.device()));
}

void Process::destroy_context(Context& context) {
  context.reset();
  memory.take_all(context.slot());
  const std::lock_guard lock(made_mutex_);
  ended_.push_back(&context);
}

bool Process::has(const Context* context) const {
  const auto is = [&](const std::unique_ptr<Context>& c) { return c.get() == context; };
  if (std::any_of(contexts_.begin(), contexts_.end(), is)) return true;
  const std::lock_guard lock(made_mutex_);
  return std::any_of(made_.begin(), made_.end(), is) &&
         std::find(ended_.begin(), ended_.end(), context) == ended_.end();
}

}  // namespace heddle::cuda_api
