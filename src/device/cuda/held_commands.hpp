// What a queue does on the host: functions in queue order, waits for events that the driver does not know, and whatever
// is put into the queue after them.
//
// A stream is never made to wait for the host. The driver may wait for all streams of a GPU before it loads a kernel or
// maps memory, on the very thread that the host's part depends on. Instead, commands after a step of the host are held
// back here until it is over, and go into the stream then.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <variant>

#include "base/thread_safety.hpp"
#include "device/cuda/event.hpp"
#include "device/cuda/state.hpp"
#include "device/event.hpp"

namespace heddle::device::cuda {

// Made by make_shared. Has no thread of its own: the watcher resumes it after a wait, and the thread that has run a
// function after that.
class HeldCommands : public std::enable_shared_from_this<HeldCommands> {
 public:
  // What it does to the queue's stream. Both are called with the GPU's context.
  struct Stream {
    std::function<std::shared_ptr<const CudaPoint>()> mark;  // records an event
    std::function<void()> synchronize;                       // waits for the stream; throws what failed there
  };
  HeldCommands(std::shared_ptr<DeviceState> state, Stream stream)
      : state_(std::move(state)), stream_(std::move(stream)) {}
  HeldCommands(const HeldCommands&) = delete;
  HeldCommands& operator=(const HeldCommands&) = delete;

  // One thread at a time calls these.
  // Whether commands must be held back, also to be skipped after a failure.
  bool busy() const { return busy_.load(std::memory_order_acquire); }
  // Runs the function, on a thread of its own, once the stream has done what is before it.
  void call(std::function<void()> function);
  void wait(std::shared_ptr<const EventPoint> point);
  // Puts a command into the stream when its turn comes. After a failure `skipped` is called instead. `may_block`: the
  // driver may wait in it, as it does in copies of memory that is not pinned.
  void hold_back(std::function<void()> command, std::function<void(std::exception_ptr)> skipped = {},
                 bool may_block = false);
  // Blocks until nothing is held back.
  void drain();
  // What failed first, once.
  std::exception_ptr take_failure();

 private:
  struct Call {
    std::function<void()> function;
  };
  struct Wait {
    std::shared_ptr<const EventPoint> point;
  };
  struct Command {
    std::function<void()> run;
    std::function<void(std::exception_ptr)> skipped;
    bool may_block = false;
  };
  using Step = std::variant<Call, Wait, Command>;
  enum class Thread : std::uint8_t { may_block, must_not_block };

  void add(Step step);
  void advance(Thread thread);
  // Whether the next step may run on this thread; else another thread resumes.
  bool may_continue(Thread thread, unsigned done) HEDDLE_REQUIRES(mutex_);
  // Starts a step. True: it is over, and the next may start; false: resume() follows.
  bool start(Step& step);
  bool start_call(std::function<void()> function);
  void run_function(const std::function<void()>& function);
  void fail(std::exception_ptr failure);
  void resume(Thread thread);

  std::shared_ptr<DeviceState> state_;
  const Stream stream_;
  std::atomic<bool> busy_{false};
  base::Mutex mutex_;
  std::condition_variable changed_;
  std::deque<Step> steps_ HEDDLE_GUARDED_BY(mutex_);
  std::exception_ptr failure_ HEDDLE_GUARDED_BY(mutex_);
  bool in_step_ HEDDLE_GUARDED_BY(mutex_) = false;    // a step is in progress: resume() follows
  bool advancing_ HEDDLE_GUARDED_BY(mutex_) = false;  // a thread is in advance(): it checks again before it returns
};

}  // namespace heddle::device::cuda
