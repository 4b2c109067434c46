// Trace events of a GPU: timing events around each command, reported to the sink once the command has run.
#pragma once

#include <memory>
#include <string>

#include "base/thread_safety.hpp"
#include "base/trace.hpp"
#include "base/worker_thread.hpp"
#include "device/cuda/event.hpp"
#include "device/queue.hpp"

namespace heddle::device::cuda {

// Only traced devices have one; its destructor reports what is pending. Any thread.
class Tracer {
 public:
  Tracer(std::shared_ptr<DeviceState> state, base::TraceSink& sink);
  Tracer(const Tracer&) = delete;
  Tracer& operator=(const Tracer&) = delete;

  // Around the calls that put one command into a stream. Does nothing without a tracer. Needs the GPU's context.
  class Scope {
   public:
    Scope(Tracer* tracer, base::TraceEvent::Kind kind, std::uint64_t queue, driver::Stream stream,
          std::string_view name = {}, std::uint64_t bytes = 0, const BlockRange& blocks = {},
          const LaunchConfig& config = {}, base::TraceEvent::Way way = base::TraceEvent::Way::within);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    Tracer* tracer_;
    driver::Stream stream_;
    base::TraceEvent event_;
    std::string name_;
    std::shared_ptr<CudaPoint> begin_;
  };

  // The task that this thread submits commands for; 0 without a tracer.
  static std::uint64_t task(const Tracer* tracer);
  // While it lives, the thread submits held commands for the task that they were put in for.
  class TaskScope {
   public:
    explicit TaskScope(std::uint64_t task);
    ~TaskScope();
    TaskScope(const TaskScope&) = delete;
    TaskScope& operator=(const TaskScope&) = delete;

   private:
    std::uint64_t before_;
  };

 private:
  struct Command {
    base::TraceEvent event;
    std::string name;
    std::shared_ptr<CudaPoint> begin, end;
  };

  void add(Command command);
  void report(const Command& command);

  std::shared_ptr<DeviceState> state_;
  base::TraceSink& sink_;
  base::Mutex mutex_;
  std::uint64_t next_ HEDDLE_GUARDED_BY(mutex_) = 1;
  base::WorkerThread worker_{"heddle-trace"};  // the last member: its work uses the others
};

}  // namespace heddle::device::cuda
