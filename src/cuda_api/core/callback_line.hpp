// Functions that cudaStreamAddCallback puts into a stream: they are called even where a failure has the stream skip
// them.
#pragma once

#include <atomic>
#include <condition_variable>
#include <csignal>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>

#include "base/thread_safety.hpp"
#include "cuda_api/abi/runtime.hpp"
#include "heddle/device.hpp"

namespace heddle::cuda_api {

// The callbacks of one stream. As long as the stream has not failed, its queue calls them in its order. The ones that
// the queue skips are called one after the other, in the order of the stream, by another thread: the queue drops its
// commands under locks of devices and of the scheduler. Any thread.
class CallbackLine : public std::enable_shared_from_this<CallbackLine> {
 public:
  struct Callback {
    cudaStream_t stream;
    cudaStreamCallback_t function;
    void* data;
  };
  // What the stream's queue runs. Its destructor means that the queue has skipped it, unless it has run.
  class Command {
   public:
    Command(std::shared_ptr<CallbackLine> line, std::uint64_t number) : line_(std::move(line)), number_(number) {}
    ~Command() { line_->skip(number_); }
    Command(const Command&) = delete;
    Command& operator=(const Command&) = delete;
    void run() { line_->run(number_); }
    void drop() { line_->drop(number_); }  // it could not be put into the queue, and will not be called

   private:
    const std::shared_ptr<CallbackLine> line_;
    const std::uint64_t number_;
  };

  // `sticky`: the error that has ended the context; it outlives the line.
  explicit CallbackLine(const std::atomic<cudaError_t>& sticky) : sticky_(sticky) {}

  // `before`: recorded in the stream directly before the command; it carries the stream's error. Calls come in the
  // order in which they are put into the stream.
  std::shared_ptr<Command> add(const Callback& callback, heddle::Event before);
  // The number of callbacks so far.
  std::uint64_t added() const;
  // Waits until the first so many have been called. For threads that have waited for the stream, so that its queue has
  // run or skipped their commands.
  void wait(std::uint64_t count);
  bool done(std::uint64_t count) const;

 private:
  struct Entry {
    Callback callback;
    heddle::Event before;
    sigset_t blocked;  // by the thread that has added it
    bool skipped = false;
  };
  void run(std::uint64_t number);
  void drop(std::uint64_t number);
  void skip(std::uint64_t number) noexcept;
  void call_skipped();
  cudaError_t failure_before(const heddle::Event& before) const noexcept;
  bool is_due() const HEDDLE_REQUIRES(mutex_) { return !open_.empty() && open_.begin()->second.skipped; }
  void start_thread() noexcept HEDDLE_REQUIRES(mutex_);

  const std::atomic<cudaError_t>& sticky_;
  mutable base::Mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t added_ HEDDLE_GUARDED_BY(mutex_) = 0;
  std::map<std::uint64_t, Entry> open_ HEDDLE_GUARDED_BY(mutex_);  // not called yet, by number
  bool calling_ HEDDLE_GUARDED_BY(mutex_) = false;                 // a thread calls skipped ones
};

}  // namespace heddle::cuda_api
