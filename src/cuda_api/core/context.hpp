// The state of a device in CUDA: its streams in their order, its sticky error, memory that will be freed later.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/thread_safety.hpp"
#include "cuda_api/core/device_settings.hpp"
#include "cuda_api/core/failure.hpp"
#include "cuda_api/core/graph_lanes.hpp"
#include "cuda_api/core/pool.hpp"
#include "cuda_api/core/stream.hpp"
#include "heddle/device.hpp"

namespace heddle::cuda_api {

class Context {
 public:
  // `slot`: which of the process's contexts it is. Those of devices come first, then those that programs make.
  Context(Handles& handles, int number, int slot, heddle::Device device);
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  int number() const { return number_; }  // of the device, as CUDA counts
  int slot() const { return slot_; }
  bool primary() const { return slot_ == number_; }  // the one that the runtime API uses
  const heddle::Device& device() const { return device_; }
  const DeviceInfo& info() const { return info_; }
  // Those of a tenant's quota as they were when the program began (docs/tenants.md); else the device's.
  unsigned processors() const { return processors_; }
  // Of a GPU, as 90 for 9.0; 0 for devices that run PTX for any.
  unsigned capability() const { return info_.capability; }
  // The one that programs see and choose their launches by: the CPU device and the interpreter report 8.0.
  unsigned reported_capability() const { return capability() != 0 ? capability() : 80; }

  // Throws the error that has ended the context, if one has.
  void check_sticky() const;
  // Remembers an error if it ends the context; the first one stays.
  void note(cudaError_t code, const char* what);
  cudaError_t sticky() const { return sticky_.load(std::memory_order_acquire); }

  // The stream of a handle: null and cudaStreamLegacy are the legacy stream, cudaStreamPerThread the calling thread's.
  // `per_thread`: null is the calling thread's too. Throws cudaErrorInvalidResourceHandle.
  CUstream_st& stream(cudaStream_t handle, bool per_thread = false);
  // The same for calls that are allowed in streams of any device; `stream.context` is the stream's.
  CUstream_st& any_stream(cudaStream_t handle, bool per_thread = false);
  CUstream_st& make_stream(unsigned flags, int priority);
  // The work in the stream still runs. Waits only where a thousand streams before it still have work, so that
  // programs which make streams faster than their work runs take bounded memory. Throws cudaErrorInvalidResourceHandle
  // for the default streams.
  void destroy_stream(CUstream_st& stream);
  bool is_legacy(const CUstream_st& stream) const { return &stream == legacy_; }

  // Announces a command for the stream. It is ordered after everything that it has to wait for between the legacy
  // stream and the others. `put` must put it into the stream's queue.
  // The thread then waits where the stream is full, without the lock: other threads go on meanwhile.
  template <class Put>
  void submit(CUstream_st& stream, Put&& put) {
    std::optional<heddle::Queue> full;
    {
      const base::Lock lock(mutex_);
      check_usable(stream);
      order(stream);
      put(*stream.queue);
      if (stream.queue->full()) [[unlikely]]
        full = *stream.queue;
    }
    if (full) [[unlikely]]
      full->wait_for_room();
  }
  // Puts in a function that is called in any case: where the stream has failed, with its error, by another thread.
  void add_callback(CUstream_st& stream, const CallbackLine::Callback& callback);
  // Records an event, and what the host has to wait for with it.
  void record(CUstream_st& stream, CUevent_st& event);
  // Blocks until the stream's commands, and those before them elsewhere, have run; throws the failure of one of them.
  void synchronize(CUstream_st& stream);
  void synchronize();  // all streams, also those that were destroyed
  bool idle(CUstream_st& stream);

  // Frees memory when the work now in the stream has run. Memory of a pool can be reused before that by later work in
  // the stream's order, and its pool may keep it.
  void free_behind(CUstream_st& stream, heddle::Memory memory, std::size_t size, CUmemPoolHandle_st* pool);
  // Memory of that size which was freed in this stream, or which nobody uses any more.
  std::optional<heddle::Memory> take_again(CUstream_st& stream, std::size_t size, CUmemPoolHandle_st& pool);
  // Waits for memory that is to be freed, and frees it; false when there was nothing to free.
  bool free_waiting();
  // Frees what a pool keeps, except for so many bytes.
  void trim(CUmemPoolHandle_st& pool, std::uint64_t keep);

  GraphLanes graph_lanes;
  GuardedSettings settings;

  // All streams except the legacy one, as they are now.
  std::vector<CUstream_st*> streams();
  // Ends these streams, also those that other threads have made meanwhile, and clears the error that has ended the
  // context; loaded code is forgotten.
  void end_all();
  // Changes with every reset, and is never that of another context: code that was loaded before is gone.
  std::uint64_t epoch() const { return epoch_.load(std::memory_order_acquire); }

  // State of the driver API: flags and API version of the call that made the context; how often a device's own was
  // retained, and whether the runtime API uses it too, which is a retention of its own.
  std::atomic<unsigned> flags{0}, api_version{0}, retained{0};
  std::atomic<bool> used_by_runtime{false};

 private:
  static constexpr std::size_t most_ended = 1000;  // streams that were destroyed with work in them
  struct Later {
    heddle::Event end;
    heddle::Memory memory;
    std::size_t size;
    std::uint64_t stream;  // its id
    CUmemPoolHandle_st* pool;
  };
  struct Ended {
    heddle::Event end;
    heddle::Queue queue;
    CallbackMark callbacks;
  };
  // Memory that can be freed, for freeing without the mutex: that may take the device's time.
  struct Finished {
    std::vector<Later> memory;
    std::vector<Ended> queues;
  };
  // The state of a stream when a thread began to wait for it.
  struct Waited {
    CUstream_st* stream;
    std::uint64_t id, submitted;
    heddle::Queue queue;
    CallbackMark callbacks;
  };
  // With the mutex.
  static CallbackMark callbacks_of(const CUstream_st& stream);
  static Waited waited_of(CUstream_st& stream);
  static void was_waited_for(const Waited& waited);
  void check_usable(const CUstream_st& stream) const;
  void order(CUstream_st& stream) HEDDLE_REQUIRES(mutex_);
  Finished take_finished() HEDDLE_REQUIRES(mutex_);
  void take_later(std::size_t i, std::vector<Later>& to) HEDDLE_REQUIRES(mutex_);
  void end_stream(CUstream_st& stream) HEDDLE_REQUIRES(mutex_);
  // Without it.
  void let_go(const Finished& finished);
  void wait_for(const heddle::Queue& queue, const CallbackMark& callbacks, std::optional<Error>& first);
  CUstream_st& start_stream(unsigned flags, int priority);
  CUstream_st& thread_stream();
  void check_graphs();
  [[noreturn]] void fail(const Error& error);

  Handles& handles_;
  int number_, slot_;
  heddle::Device device_;
  DeviceInfo info_;
  const unsigned processors_;
  std::atomic<cudaError_t> sticky_{cudaSuccess};
  mutable heddle::base::Mutex why_mutex_;
  std::string why_ HEDDLE_GUARDED_BY(why_mutex_);  // of sticky_
  std::atomic<std::uint64_t> epoch_;
  heddle::base::Mutex mutex_;
  CUstream_st* legacy_ = nullptr;
  std::vector<CUstream_st*> streams_ HEDDLE_GUARDED_BY(mutex_);  // all others
  std::vector<Later> later_ HEDDLE_GUARDED_BY(mutex_);           // memory that goes when its event is reached
  std::vector<Ended> ended_ HEDDLE_GUARDED_BY(mutex_);  // queues of streams that were destroyed with work in them
};

}  // namespace heddle::cuda_api
