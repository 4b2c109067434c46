// The timeline of `heddle run --trace` for commands that NVIDIA's library runs: timing events around each command,
// reported once the command has run.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "base/clock.hpp"
#include "base/thread_safety.hpp"
#include "base/trace.hpp"
#include "cuda_api/abi/driver.hpp"
#include "trace/recorder.hpp"

namespace heddle::interpose {

// One for each process, while HEDDLE_RUN_TRACE is set. Any thread.
class Timeline {
 public:
  // Null: nothing is traced.
  static Timeline* current();

  struct Context;
  // A command that is being submitted.
  struct Begun {
    std::shared_ptr<Context> context = {};  // null: the command is not traced
    CUstream stream = nullptr;
    CUevent start = nullptr;
    std::uint64_t queue = 0;
  };
  // Before and after a command is put into the stream. Commands of a stream that is being captured do not run, and are
  // not traced. Needs the stream's context to be current, as the command does.
  Begun begin(CUstream stream);
  void end(const Begun& begun, bool submitted, base::TraceEvent event, std::string name);

  // The kernel's name; "" if NVIDIA's library does not give it.
  std::string name_of(CUfunction function);
  // To be called when functions are unloaded: their handles are used again.
  void forget_names();
  // To be called before a context may end, or the contexts of a device: reports what has been submitted.
  void forget(CUcontext context);
  void forget_device(CUdevice device);

 private:
  explicit Timeline(const std::string& file);
  struct Command {
    std::shared_ptr<Context> context = {};
    CUevent start = nullptr, end = nullptr;  // without an end: a new reference for times
    base::TraceEvent event;
    std::string name;
  };
  std::shared_ptr<Context> context_of_thread();
  CUevent take_event(Context& context);
  void give_back(Context& context, CUevent event);
  void renew_reference(const std::shared_ptr<Context>& context);
  void drain(base::Lock& lock) HEDDLE_REQUIRES(mutex_);
  void add(Command command);
  void run();
  void report(const Command& command);
  bool wait_for(CUevent event);
  void finish();

  const std::shared_ptr<const base::Clock> clock_ = std::make_shared<base::SteadyClock>();
  const int process_;  // a child of fork() has no thread of this object
  base::Mutex mutex_;
  std::condition_variable changed_, drained_;
  std::unique_ptr<trace::Recorder> recorder_;
  std::map<CUcontext, std::shared_ptr<Context>> contexts_ HEDDLE_GUARDED_BY(mutex_);
  std::unordered_map<CUfunction, std::string> names_ HEDDLE_GUARDED_BY(mutex_);
  std::deque<Command> commands_ HEDDLE_GUARDED_BY(mutex_);
  std::uint64_t next_command_ HEDDLE_GUARDED_BY(mutex_) = 1;
  bool reporting_ HEDDLE_GUARDED_BY(mutex_) = false, stop_ HEDDLE_GUARDED_BY(mutex_) = false;
  bool over_ HEDDLE_GUARDED_BY(mutex_) = false;  // the process ends
  std::uint64_t give_up_ns_ HEDDLE_GUARDED_BY(mutex_) = 0;
  std::thread thread_;
};

}  // namespace heddle::interpose
