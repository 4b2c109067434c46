// The streams into which a process puts work, and which of them still have some.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <set>
#include <unordered_map>
#include <vector>

#include "base/thread_safety.hpp"
#include "interpose/forward.hpp"

namespace heddle::interpose {

// Whether what is put into the stream becomes part of a graph instead of running. True also where that is not known.
bool is_captured(CUstream stream);

class StreamTable {
 public:
  struct Stream {
    CUstream handle = nullptr;
    CUcontext context = nullptr;
    CUdevice device = 0;
    bool of_thread = false;  // CU_STREAM_PER_THREAD: another thread has another stream by that name
    CUevent mark = nullptr;  // of a thread's stream: after its last work
    std::atomic<bool> dirty{false};
  };

  // The stream, by the name that the calling thread uses, in its current context. Null: it has no context. What it
  // returns stays valid; of a stream that was destroyed it may become another one.
  Stream* find(CUstream handle);
  // After work was put into it. Any thread; of a thread's stream: that thread.
  void touch(Stream& stream);

  // A query of a stream ends captures with an error, so no stream is queried while one is captured.
  template <class Call>
  CUresult begin_capture(CUstream stream, Call&& call) {
    const base::Lock lock(mutex_);
    const CUresult result = call();
    if (result == CUDA_SUCCESS) captured_.insert(stream);
    capturing_ = !captured_.empty();
    return result;
  }
  void end_capture(CUstream stream);
  bool capturing() const { return capturing_.load(std::memory_order_acquire); }

  struct Load {
    bool busy = false;  // some stream may still have work
    bool used = false;  // some had work at the last call, or was given some since
  };
  // Changes the calling thread's context.
  Load load();
  // Whether work was put into some stream since load() found it idle.
  bool any_dirty();
  void forget(CUstream stream);
  void forget(CUcontext context);
  void forget_device(CUdevice device);

 private:
  struct Key {
    CUcontext context = nullptr;
    CUstream handle = nullptr;
    const void* thread = nullptr;
    friend auto operator<=>(const Key&, const Key&) = default;
  };
  template <class Matches>
  void forget_where(const Matches& matches) HEDDLE_REQUIRES(mutex_);

  base::Mutex mutex_;
  std::vector<std::pair<Key, Stream*>> streams_ HEDDLE_GUARDED_BY(mutex_);
  std::vector<std::unique_ptr<Stream>> all_ HEDDLE_GUARDED_BY(mutex_);
  std::vector<Stream*> unused_ HEDDLE_GUARDED_BY(mutex_);
  std::set<CUstream> captured_ HEDDLE_GUARDED_BY(mutex_);
  std::atomic<bool> capturing_{false};
  std::atomic<std::uint64_t> epoch_{1};  // changes when streams are forgotten
};

}  // namespace heddle::interpose
